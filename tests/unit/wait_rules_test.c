// SPDX-License-Identifier: GPL-2.0-only
/* The table of rules: who is held up and who is idle, by stacks and descriptors that were seen. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "models/wait_rules.h"

#define FRAMES 16

static struct wait_verdict judge(enum wait_reason reason, const struct wait_facts *facts,
				 const char *const *user, const char *const *kernel)
{
	struct rule_names seen = {0};
	struct rule_set set, of_user;
	u32 nu = 0, nk = 0;

	while (user && nu < FRAMES && user[nu])
		nu++;
	while (kernel && nk < FRAMES && kernel[nk])
		nk++;
	rule_set__kernel(&set, kernel, nk);
	rule_set__user(&of_user, user, nu, &seen);
	rule_names__fini(&seen);
	for (u32 i = 0; i < ARRAY_SIZE(set.bits); i++)
		set.bits[i] &= of_user.bits[i];
	return wait_rules__judge(&set, reason, facts);
}

/* --- by frames --- */

struct seen {
	const char *what;
	enum wait_reason looks, is;
	enum wait_class class;
	const char *user[FRAMES];
};

/* Leaf first, as they were seen in the servers and runtimes that Debian 12 has. */
static const struct seen seen_stacks[] = {
	{"a row lock of PostgreSQL",
	 WAIT_POLL,
	 WAIT_LOCK,
	 CLASS_HARMFUL,
	 {"epoll_wait", "WaitEventSetWait", "WaitLatch", "ProcSleep", "LockAcquireExtended",
	  "XactLockTableWait", "heap_update", "PostgresMain", "PostmasterMain", "main"}},
	{"a backend of PostgreSQL without a command",
	 WAIT_POLL,
	 WAIT_POLL,
	 CLASS_IDLE,
	 {"epoll_wait", "WaitEventSetWait", "secure_read", "pq_getbyte", "PostgresMain"}},
	{"a client of PostgreSQL that sends COPY data",
	 WAIT_POLL,
	 WAIT_POLL,
	 CLASS_UNCLEAR,
	 {"epoll_wait", "WaitEventSetWait", "secure_read", "pq_getbytes", "PostgresMain"}},
	{"a client of PostgreSQL that does not read",
	 WAIT_POLL,
	 WAIT_NETWORK,
	 CLASS_HARMFUL,
	 {"epoll_wait", "WaitEventSetWait", "secure_write", "internal_flush"}},
	{"PostgreSQL's log writer",
	 WAIT_POLL,
	 WAIT_POLL,
	 CLASS_IDLE,
	 {"epoll_wait", "WaitEventSetWait", "WaitLatch", "WalWriterMain", "PostmasterMain"}},
	{"PostgreSQL's log writer at a lock",
	 WAIT_CONDITION,
	 WAIT_LOCK,
	 CLASS_HARMFUL,
	 {"do_futex_wait", "PGSemaphoreLock", "LWLockAcquire", "XLogFlush", "WalWriterMain"}},
	{"a checkpoint that spreads its writes",
	 WAIT_POLL,
	 WAIT_SLEEP,
	 CLASS_UNCLEAR,
	 {"epoll_wait", "WaitLatch", "CheckpointWriteDelay", "CheckpointerMain"}},
	{"a row lock of MariaDB, stripped",
	 WAIT_CONDITION,
	 WAIT_LOCK,
	 CLASS_HARMFUL,
	 {"__futex_abstimed_wait_common", "pthread_cond_timedwait", "mariadbd+0xd5ad50",
	  "handler::ha_index_read_map(unsigned char*, unsigned long, ha_rkey_function)",
	  "mysql_execute_command(THD*, bool)"}},
	{"a row lock of MariaDB",
	 WAIT_CONDITION,
	 WAIT_LOCK,
	 CLASS_HARMFUL,
	 {"pthread_cond_timedwait", "lock_wait(que_thr_t*)", "row_mysql_handle_errors"}},
	{"a metadata lock of MariaDB",
	 WAIT_CONDITION,
	 WAIT_LOCK,
	 CLASS_HARMFUL,
	 {"pthread_cond_timedwait", "MDL_wait::timed_wait(MDL_context_owner*, timespec*)"}},
	{"MariaDB's pool",
	 WAIT_CONDITION,
	 WAIT_CONDITION,
	 CLASS_IDLE,
	 {"pthread_cond_clockwait",
	  "tpool::thread_pool_generic::wait_for_tasks(std::unique_lock<std::mutex>&)"}},
	{"SELECT SLEEP()",
	 WAIT_CONDITION,
	 WAIT_SLEEP,
	 CLASS_UNCLEAR,
	 {"pthread_cond_timedwait", "Item_func_sleep::val_int()", "mysql_execute_command(THD*)"}},
	{"a monitor of Java",
	 WAIT_CONDITION,
	 WAIT_LOCK,
	 CLASS_HARMFUL,
	 {"pthread_cond_timedwait", "os::PlatformEvent::park(long)",
	  "ObjectMonitor::EnterI(JavaThread*)", "ObjectMonitor::enter(JavaThread*)"}},
	{"Object.wait",
	 WAIT_CONDITION,
	 WAIT_CONDITION,
	 CLASS_UNCLEAR,
	 {"pthread_cond_wait", "os::PlatformEvent::park()",
	  "ObjectMonitor::wait(long, bool, JavaThread*)"}},
	{"a lock of java.util.concurrent, without names",
	 WAIT_CONDITION,
	 WAIT_CONDITION,
	 CLASS_UNCLEAR,
	 {"pthread_cond_wait", "Parker::park(bool, long)", "Unsafe_Park"}},
	{"the same with a perf map",
	 WAIT_CONDITION,
	 WAIT_LOCK,
	 CLASS_HARMFUL,
	 {"pthread_cond_wait", "Parker::park(bool, long)", "Unsafe_Park",
	  "Ljava/util/concurrent/locks/LockSupport;::park",
	  "Ljava/util/concurrent/locks/AbstractQueuedSynchronizer;::acquire"}},
	{"a pool of Java with a perf map",
	 WAIT_CONDITION,
	 WAIT_CONDITION,
	 CLASS_IDLE,
	 {"pthread_cond_wait", "Parker::park(bool, long)", "Unsafe_Park",
	  "Ljava/util/concurrent/ThreadPoolExecutor;::getTask"}},
	{"Java's periodic timer",
	 WAIT_CONDITION,
	 WAIT_CONDITION,
	 CLASS_IDLE,
	 {"pthread_cond_timedwait", "os::PlatformMonitor::wait(long)",
	  "Monitor::wait_without_safepoint_check(long)", "WatcherThread::sleep() const",
	  "WatcherThread::run()"}},
	{"Thread.sleep",
	 WAIT_CONDITION,
	 WAIT_SLEEP,
	 CLASS_UNCLEAR,
	 {"pthread_cond_timedwait", "os::PlatformEvent::park(long)", "JavaThread::sleep(long)",
	  "JVM_Sleep"}},
	{"Python's global lock",
	 WAIT_CONDITION,
	 WAIT_LOCK,
	 CLASS_HARMFUL,
	 {"pthread_cond_timedwait", "take_gil", "PyEval_RestoreThread"}},
	{"a Lock of Python",
	 WAIT_CONDITION,
	 WAIT_LOCK,
	 CLASS_UNCLEAR,
	 {"__futex_abstimed_wait_common", "__new_sem_wait_slow64.constprop.0",
	  "PyThread_acquire_lock_timed", "_PyEval_EvalFrameDefault"}},
	{"libuv's pool",
	 WAIT_CONDITION,
	 WAIT_CONDITION,
	 CLASS_IDLE,
	 {"pthread_cond_wait", "uv_cond_wait", "worker", "start_thread"}},
	{"a worker of somebody's",
	 WAIT_CONDITION,
	 WAIT_CONDITION,
	 CLASS_UNCLEAR,
	 {"pthread_cond_wait", "worker", "start_thread"}},
	{"Node.js's platform",
	 WAIT_CONDITION,
	 WAIT_CONDITION,
	 CLASS_IDLE,
	 {"pthread_cond_wait", "uv_cond_wait",
	  "node::(anonymous namespace)::PlatformWorkerThread(void*)"}},
	{"Atomics.wait",
	 WAIT_CONDITION,
	 WAIT_LOCK,
	 CLASS_HARMFUL,
	 {"pthread_cond_wait",
	  "v8::internal::Object v8::internal::FutexEmulation::WaitSync<int>(x)"}},
	{"a thread of Go without a goroutine",
	 WAIT_CONDITION,
	 WAIT_CONDITION,
	 CLASS_UNCLEAR,
	 {"runtime.futex.abi0", "runtime.futexsleep", "runtime.notesleep", "runtime.stopm",
	  "runtime.findRunnable"}},
	{"a lock of Go's runtime",
	 WAIT_LOCK,
	 WAIT_LOCK,
	 CLASS_HARMFUL,
	 {"runtime.futex.abi0", "runtime.futexsleep", "runtime.lock2"}},
	{"Go's monitor", WAIT_SLEEP, WAIT_SLEEP, CLASS_IDLE, {"runtime.usleep", "runtime.sysmon"}},
	{"a job thread of Redis",
	 WAIT_CONDITION,
	 WAIT_CONDITION,
	 CLASS_IDLE,
	 {"pthread_cond_wait", "bioProcessBackgroundJobs"}},
	{"a barrier",
	 WAIT_CONDITION,
	 WAIT_CONDITION,
	 CLASS_UNCLEAR,
	 {"pthread_barrier_wait", "compute"}},
	{"a mutex", WAIT_LOCK, WAIT_LOCK, CLASS_HARMFUL, {"pthread_mutex_lock", "main"}},
	{"nothing that is known", WAIT_POLL, WAIT_POLL, CLASS_UNCLEAR, {"poll", "main"}},
};

static void frames_decide(void **state)
{
	const struct wait_facts none = {0};

	for (u32 i = 0; i < ARRAY_SIZE(seen_stacks); i++) {
		const struct seen *s = &seen_stacks[i];
		struct wait_verdict v = judge(s->looks, &none, s->user, NULL);

		if (v.reason != s->is || v.class != s->class)
			fail_msg("%s: \"%s\", %s (%s)", s->what, wait_reasons[v.reason].name,
				 wait_class_names[v.class], v.why);
	}
}

/* A lock that somebody holds for long is never taken for a queue or a timer. */
static void history_does_not_excuse_a_lock(void **state)
{
	const struct wait_facts facts = {.end = END_TIMER, .periodic = true, .queue = true};

	for (u32 i = 0; i < ARRAY_SIZE(seen_stacks); i++) {
		const struct seen *s = &seen_stacks[i];

		if (s->class == CLASS_HARMFUL)
			assert_int_equal(judge(s->looks, &facts, s->user, NULL).class,
					 CLASS_HARMFUL);
	}
}

/* --- by descriptors --- */

static void descriptors_decide(void **state)
{
	static const struct {
		u32 on;
		enum wait_reason is;
		enum wait_class class;
	} cases[] = {
		{0, WAIT_POLL, CLASS_UNCLEAR},
		{ON_LISTENER, WAIT_POLL, CLASS_IDLE},
		{ON_LISTENER | ON_ANSWERED | ON_PIPE | ON_EVENT | ON_MANY, WAIT_POLL, CLASS_IDLE},
		{ON_LISTENER | ON_ANSWERED | ON_MANY | ON_MORE, WAIT_POLL, CLASS_IDLE},
		{ON_LISTENER | ON_REQUEST | ON_MANY, WAIT_POLL, CLASS_UNCLEAR},
		{ON_REQUEST, WAIT_NETWORK, CLASS_HARMFUL},
		{ON_REQUEST | ON_EVENT | ON_PIPE | ON_MANY, WAIT_NETWORK, CLASS_HARMFUL},
		{ON_REPLIED, WAIT_NETWORK, CLASS_UNCLEAR},
		{ON_CLIENT, WAIT_NETWORK, CLASS_UNCLEAR},
		{ON_ANSWERED, WAIT_POLL, CLASS_IDLE},
		{ON_ANSWERED | ON_UNANSWERED | ON_MANY, WAIT_POLL, CLASS_UNCLEAR},
		{ON_ANSWERED | ON_REPLIED | ON_MANY, WAIT_POLL, CLASS_UNCLEAR},
		{ON_SOCKET, WAIT_POLL, CLASS_UNCLEAR},
		{ON_TTY, WAIT_TERMINAL, CLASS_IDLE},
		{ON_TTY | ON_CLIENT | ON_MANY, WAIT_POLL, CLASS_UNCLEAR},
		{ON_EVENT, WAIT_POLL, CLASS_UNCLEAR},
		{ON_PIPE, WAIT_PIPE, CLASS_UNCLEAR},
		{ON_NONE, WAIT_SLEEP, CLASS_UNCLEAR},
	};

	for (u32 i = 0; i < ARRAY_SIZE(cases); i++) {
		struct wait_facts facts = {.on = cases[i].on ? cases[i].on | ON_LOOKED : 0};
		struct wait_verdict v = judge(WAIT_POLL, &facts, NULL, NULL);

		if (v.reason != cases[i].is || v.class != cases[i].class)
			fail_msg("%#x: \"%s\", %s (%s)", cases[i].on, wait_reasons[v.reason].name,
				 wait_class_names[v.class], v.why);
	}
}

static void a_read_of_a_socket_is_judged_by_who_sent_last(void **state)
{
	struct wait_facts f = {.on = ON_LOOKED | ON_REQUEST};

	assert_int_equal(judge(WAIT_NETWORK, &f, NULL, NULL).class, CLASS_HARMFUL);
	f.on = ON_LOOKED | ON_ANSWERED;
	assert_int_equal(judge(WAIT_NETWORK, &f, NULL, NULL).class, CLASS_IDLE);
	f.on = 0;
	assert_int_equal(judge(WAIT_NETWORK, &f, NULL, NULL).class, CLASS_UNCLEAR);
	assert_int_equal(judge(WAIT_NETWORK, &f, NULL,
			       (const char *const[]){"schedule", "rpc_wait_bit_killable", NULL})
				 .class,
			 CLASS_HARMFUL);
}

/* --- by what ended it --- */

static void completions_are_disk(void **state)
{
	static const char *const aio[] = {"read_events", "do_io_getevents", NULL};
	struct wait_facts f = {.end = END_DISK};
	struct wait_verdict v = judge(WAIT_POLL, &f, NULL, aio);

	assert_int_equal(v.reason, WAIT_DISK);
	assert_int_equal(v.class, CLASS_HARMFUL);
	f = (struct wait_facts){.end = END_TIMER, .periodic = true};
	assert_int_equal(judge(WAIT_POLL, &f, NULL, aio).class, CLASS_UNCLEAR);
}

static void wakers_are_told_apart_by_their_frames(void **state)
{
	static const char *const timer[] = {"try_to_wake_up", "hrtimer_wakeup", "sysvec_x"};
	static const char *const aio[] = {"try_to_wake_up", "aio_complete_rw",
					  "blk_mq_end_request"};
	static const char *const writer[] = {"try_to_wake_up", "blk_flush_plug", "tcp_sendmsg"};

	assert_int_equal(wait_end__of(timer, 3, false), END_TIMER);
	assert_int_equal(wait_end__of(timer, 3, true), END_THREAD);
	assert_int_equal(wait_end__of(aio, 3, false), END_DISK);
	assert_int_equal(wait_end__of(aio, 3, true), END_DISK); /* as ksoftirqd or a kworker */
	assert_int_equal(wait_end__of(writer, 3, true), END_THREAD);
	assert_int_equal(wait_end__of(NULL, 0, false), END_INTERRUPT);
	assert_string_equal(wait_end__text(END_DISK), "[disk]");
	assert_string_equal(wait_end__text(END_INTERRUPT), "[interrupt]");
}

/* --- the table itself --- */

/* Idle has to be proven: by names, descriptors or a history. */
static void idle_rows_have_a_proof(void **state)
{
	for (u32 i = 0; i < wait_rules_count; i++) {
		const struct wait_rule *r = &wait_rules[i];

		assert_true(r->of);
		assert_true(strlen(r->why) > 8 && strlen(r->why) < 90);
		assert_true(r->class < WAIT_CLASSES);
		if (!r->called.v && !r->kernel.v && !r->on && !r->ends && !r->shape)
			fail_msg("\"%s\" holds always", r->why);
		if (r->class == CLASS_IDLE && !r->called.v && !r->on && !r->shape)
			fail_msg("\"%s\" proves nothing", r->why);
		if (r->class == CLASS_IDLE && r->of >> WAIT_LOCK & 1)
			fail_msg("\"%s\" would hide a lock", r->why);
		/* Without all descriptors known, of one connection nothing follows. */
		if (r->on)
			assert_false(r->on & r->but);
	}
}

static void reasons_that_hold_somebody_up_are_never_idle(void **state)
{
	static const enum wait_reason never[] = {WAIT_DISK, WAIT_FAULT, WAIT_KERNEL_LOCK,
						 WAIT_PREEMPTED, WAIT_STOPPED};

	for (u32 k = 0; k < ARRAY_SIZE(never); k++) {
		assert_int_equal(wait_reasons[never[k]].class, CLASS_HARMFUL);
		for (u32 i = 0; i < wait_rules_count; i++)
			assert_false(wait_rules[i].of >> never[k] & 1);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(frames_decide),
		cmocka_unit_test(history_does_not_excuse_a_lock),
		cmocka_unit_test(descriptors_decide),
		cmocka_unit_test(a_read_of_a_socket_is_judged_by_who_sent_last),
		cmocka_unit_test(completions_are_disk),
		cmocka_unit_test(wakers_are_told_apart_by_their_frames),
		cmocka_unit_test(idle_rows_have_a_proof),
		cmocka_unit_test(reasons_that_hold_somebody_up_are_never_idle),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
