// SPDX-License-Identifier: GPL-2.0-only
/* What threads wait for: on stacks that were seen, and by the tables alone. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <cmocka.h>

#include "bpf/sched.h"
#include "models/wait_reason.h"
#include "tests/unit/wait_reason_seen.h"

#define FRAMES 64

struct place {
	char text[1024];
	const char *names[FRAMES];
	u32 n;
};

/* "leaf caller ... root"; "?" is a name that is not known. */
static void place__init(struct place *p, const char *frames)
{
	*p = (struct place){0};
	copy_str(p->text, sizeof(p->text), frames);
	for (char *s = strtok(p->text, " "); s && p->n < FRAMES; s = strtok(NULL, " "))
		p->names[p->n++] = strcmp(s, "?") ? s : NULL;
}

static struct wait_clue clue_of(const char *frames)
{
	struct wait_clue c;
	struct place p;

	place__init(&p, frames);
	wait_clue__read(&c, p.names, p.n);
	return c;
}

static struct wait_context context(char state, u32 syscall)
{
	struct wait_context ctx = {.syscall = syscall, .use = WAIT_REASONS};

	for (u32 s = 0; s < TASK_STATES; s++)
		if (task_state_names[s][0] == state && !task_state_names[s][1])
			ctx.state = s;
	return ctx;
}

static enum wait_reason reason_of(const char *frames, const struct wait_context *ctx)
{
	struct wait_clue c = clue_of(frames);

	return wait_reason__judge(&c, ctx);
}

static void assert_reason(const char *frames, const struct wait_context *ctx, enum wait_reason want)
{
	enum wait_reason got = reason_of(frames, ctx);

	if (got != want)
		fail_msg("%s: \"%s\", not \"%s\"", frames, wait_reasons[got].name,
			 wait_reasons[want].name);
}

static void assert_called(const char *frames, const char *name)
{
	struct wait_clue c;
	struct place p;

	place__init(&p, frames);
	wait_clue__read(&c, p.names, p.n);
	if (c.passed >= p.n)
		fail_msg("%s: all frames are passed", frames);
	assert_string_equal(p.names[c.passed], name);
}

/* --- what was seen --- */

static void waits_are_told_by_their_frames(void **state)
{
	for (u32 i = 0; i < ARRAY_SIZE(user_waits); i++) {
		const struct seen *s = &user_waits[i];
		struct wait_context ctx = context(s->state, WAIT_NO_SYSCALL);
		char frames[1024] = "__schedule schedule ";

		copy_str(frames + strlen(frames), sizeof(frames) - strlen(frames), s->frames);
		assert_reason(frames, &ctx, s->reason);
		assert_reason(s->frames, &ctx, s->reason);
		assert_called(frames, s->name);
	}
}

/* --- kernel threads --- */

static void kernel_threads_are_idle_without_work(void **state)
{
	for (u32 i = 0; i < ARRAY_SIZE(kthread_waits); i++) {
		const struct seen *s = &kthread_waits[i];
		struct wait_context ctx = context(s->state, WAIT_NO_SYSCALL);
		char frames[1024] = "__schedule schedule ";

		ctx.kthread = true;
		copy_str(frames + strlen(frames), sizeof(frames) - strlen(frames), s->frames);
		assert_reason(frames, &ctx, s->reason);
		assert_reason(s->frames, &ctx, s->reason);
		assert_called(frames, s->name);
	}
}

/* Those that io_uring makes belong to programs. */
static void workers_of_programs_are_idle_too(void **state)
{
	struct wait_context ctx = context('S', WAIT_NO_SYSCALL);

	assert_reason("schedule schedule_timeout io_wq_worker ret_from_fork", &ctx, WAIT_WORKER);
	assert_reason("schedule io_sq_thread ret_from_fork ret_from_fork_asm", &ctx, WAIT_WORKER);
	assert_reason("io_schedule folio_wait_bit_common filemap_read io_read io_issue_sqe "
		      "io_wq_submit_work io_worker_handle_work io_wq_worker ret_from_fork",
		      &ctx, WAIT_DISK);
}

/* --- futexes --- */

#define FUTEX_FRAMES "schedule futex_do_wait __futex_wait futex_wait do_futex __x64_sys_futex" X64

struct futex_case {
	u32 op;
	enum wait_reason reason;
};

/* As strace shows them: mutex, private and shared; cond, sem, join; what has an owner. */
static const struct futex_case futexes[] = {
	{0x80, WAIT_LOCK},	{0, WAIT_LOCK},		 {0x189, WAIT_CONDITION},
	{0x89, WAIT_CONDITION}, {0x109, WAIT_CONDITION}, {9, WAIT_CONDITION},
	{0x80 | SCHED_FUTEX_FREE, WAIT_CONDITION}, {0x86 | SCHED_FUTEX_FREE, WAIT_LOCK},
	{0x8b, WAIT_CONDITION}, {0x86, WAIT_LOCK},	 {0x8d, WAIT_LOCK},
};

static void futexes_are_told_apart_by_operation(void **state)
{
	for (u32 i = 0; i < ARRAY_SIZE(futexes); i++) {
		struct wait_context ctx = context('S', SYS_futex);

		ctx.futex_op = futexes[i].op;
		assert_reason(FUTEX_FRAMES, &ctx, futexes[i].reason);
		assert_int_equal(wait_reason__judge(NULL, &ctx), futexes[i].reason);
	}
	assert_called(FUTEX_FRAMES, "futex_wait");
	assert_called("__schedule schedule futex_wait_queue_me futex_wait do_futex __x64_sys_futex",
		      "futex_wait");
}

static void futex_calls_without_an_operation_are_conditions(void **state)
{
	struct wait_context wait = context('S', 455), waitv = context('S', 449);

	assert_reason("futex_do_wait __futex_wait __x64_sys_futex_wait" X64, &wait, WAIT_CONDITION);
	assert_reason("futex_wait_multiple __do_sys_futex_waitv" X64, &waitv, WAIT_CONDITION);
}

struct use_case {
	const char *frames;
	enum wait_reason use;
};

static const struct use_case uses[] = {
	{"__lll_lock_wait ___pthread_mutex_lock f", WAIT_LOCK},
	{"__lll_lock_wait ___pthread_mutex_lock ___pthread_cond_wait f", WAIT_LOCK},
	{"__futex_abstimed_wait_common __pthread_rwlock_rdlock_full64 f", WAIT_LOCK},
	{"__futex_abstimed_wait_common pthread_cond_wait@@GLIBC_2.3.2 f", WAIT_CONDITION},
	{"__futex_abstimed_wait_common __new_sem_wait_slow64 sem_wait f", WAIT_CONDITION},
	{"__futex_abstimed_wait_common __pthread_clockjoin_ex main", WAIT_CONDITION},
	{"? pthread_barrier_wait f", WAIT_CONDITION},
	{"runtime.futex runtime.futexsleep runtime.notesleep runtime.stopm", WAIT_CONDITION},
	{"runtime.futex runtime.futexsleep runtime.lock2 runtime.lockWithRank", WAIT_LOCK},
	{"syscall std::sys::sync::mutex::futex::Mutex::lock_contended f", WAIT_LOCK},
	{"syscall std::sys::sync::thread_parking::futex::Parker::park std::thread::park",
	 WAIT_CONDITION},
	{"syscall parking_lot::raw_mutex::RawMutex::lock_slow f", WAIT_LOCK},
	{"syscall main", WAIT_REASONS},
	{"? ?", WAIT_REASONS},
	{"", WAIT_REASONS},
};

static void callers_tell_the_use_of_a_futex(void **state)
{
	for (u32 i = 0; i < ARRAY_SIZE(uses); i++) {
		struct wait_context ctx = context('S', SYS_futex);
		struct place p;

		place__init(&p, uses[i].frames);
		ctx.use = wait_futex__use(p.names, p.n);
		if (ctx.use != uses[i].use)
			fail_msg("%s: %d, not %d", uses[i].frames, ctx.use, uses[i].use);
		ctx.futex_op = uses[i].use == WAIT_LOCK ? 0x189 : 0x80;
		if (ctx.use != WAIT_REASONS)
			assert_reason(FUTEX_FRAMES, &ctx, ctx.use);
	}
}

/* Only what the thread waits for in the futex itself is a futex. */
static void a_fault_on_a_futex_is_a_fault(void **state)
{
	struct wait_context ctx = context('D', SYS_futex);

	assert_reason("io_schedule folio_wait_bit_common do_swap_page handle_mm_fault "
		      "do_user_addr_fault exc_page_fault asm_exc_page_fault futex_get_value_locked "
		      "futex_wait_setup __futex_wait futex_wait do_futex __x64_sys_futex" X64,
		      &ctx, WAIT_FAULT);
}

/* --- without frames --- */

struct call_case {
	u32 nr;
	char state;
	enum wait_reason reason;
};

static const struct call_case calls[] = {
	{SYS_read, 'D', WAIT_DISK},
	{SYS_read, 'S', WAIT_UNKNOWN},
	{SYS_pread64, 'D', WAIT_DISK},
	{SYS_fsync, 'S', WAIT_DISK},
	{SYS_clock_nanosleep, 'S', WAIT_SLEEP},
	{SYS_ppoll, 'S', WAIT_POLL},
	{SYS_epoll_pwait, 'S', WAIT_POLL},
	{SYS_accept4, 'S', WAIT_ACCEPT},
	{SYS_recvfrom, 'S', WAIT_NETWORK},
	{SYS_wait4, 'S', WAIT_CHILD},
	{SYS_rt_sigsuspend, 'S', WAIT_SIGNAL},
	{SYS_msgrcv, 'S', WAIT_PIPE},
	{SYS_semtimedop, 'S', WAIT_CONDITION},
	{SYS_exit_group, 'D', WAIT_EXIT},
	{SYS_getpid, 'S', WAIT_UNKNOWN},
	{WAIT_NO_SYSCALL, 'D', WAIT_UNKNOWN},
	{WAIT_NO_SYSCALL, 'S', WAIT_UNKNOWN},
	{WAIT_NO_SYSCALL, 'T', WAIT_STOPPED},
	{WAIT_NO_SYSCALL, 't', WAIT_STOPPED},
	{WAIT_NO_SYSCALL, 'I', WAIT_WORKER},
};

static void system_calls_tell_when_frames_do_not(void **state)
{
	for (u32 i = 0; i < ARRAY_SIZE(calls); i++) {
		struct wait_context ctx = context(calls[i].state, calls[i].nr);

		assert_int_equal(wait_reason__judge(NULL, &ctx), calls[i].reason);
		assert_reason("schedule a_function_of_later_kernels", &ctx, calls[i].reason);
		assert_reason("? ?", &ctx, calls[i].reason);
	}
}

static void frames_know_better_than_system_calls(void **state)
{
	struct wait_context ctx = context('D', SYS_fsync);

	assert_reason("schedule rwsem_down_write_slowpath down_write ext4_sync_file do_fsync", &ctx,
		      WAIT_KERNEL_LOCK);
	ctx = context('S', SYS_ppoll);
	assert_reason("schedule schedule_preempt_disabled __mutex_lock mutex_lock pipe_poll "
		      "do_sys_poll",
		      &ctx, WAIT_KERNEL_LOCK);
}

static void preempted_is_preempted_wherever_it_was(void **state)
{
	struct wait_context ctx = context('S', SYS_read);

	ctx.state = TASK_STATE_RUNNABLE;
	assert_reason(
		"__schedule preempt_schedule_irq irqentry_exit asm_sysvec_apic_timer_interrupt "
		"filemap_read vfs_read",
		&ctx, WAIT_PREEMPTED);
	assert_int_equal(wait_reason__judge(NULL, &ctx), WAIT_PREEMPTED);
	ctx.kthread = true;
	assert_int_equal(wait_reason__judge(NULL, &ctx), WAIT_PREEMPTED);
	assert_called("__schedule preempt_schedule_irq irqentry_exit "
		      "asm_sysvec_apic_timer_interrupt filemap_read vfs_read",
		      "filemap_read");
}

/* User code is what was preempted: no kernel frame names it. */
static void entry_frames_name_nothing(void **state)
{
	struct wait_clue c = clue_of("__schedule schedule exit_to_user_mode_loop "
				     "irqentry_exit_to_user_mode asm_sysvec_apic_timer_interrupt");

	assert_int_equal(c.passed, 5);
	c = clue_of("__schedule schedule irqentry_exit_to_user_mode asm_exc_page_fault");
	assert_int_equal(c.passed, 4);
	c = clue_of("__schedule schedule do_notify_resume el0_interrupt __el0_irq_handler_common "
		    "el0t_64_irq_handler el0t_64_irq");
	assert_int_equal(c.passed, 7);
}

/* However many frames of the tracer there are, none names the wait nor takes part in it. */
static void the_tracer_is_not_there(void **state)
{
	const char *frames = "bpf_prog_1234_switch bpf_trace_run4 __bpf_trace_sched_switch "
			     "__traceiter_sched_switch __schedule schedule pipe_read" X64;
	struct wait_context ctx = context('S', WAIT_NO_SYSCALL);

	assert_int_equal(clue_of(frames).tracer, 4);
	assert_reason(frames, &ctx, WAIT_PIPE);
	assert_called(frames, "pipe_read");
	assert_int_equal(clue_of("pipe_read __bpf_trace_sched_switch").tracer, 0);
}

static void interrupts_are_seen_among_the_frames(void **state)
{
	assert_true(clue_of("try_to_wake_up hrtimer_wakeup asm_sysvec_apic_timer_interrupt f")
			    .interrupt);
	assert_true(clue_of("wake_up_process el0_interrupt el0t_64_irq_handler").interrupt);
	assert_false(clue_of("try_to_wake_up futex_wake do_futex" X64).interrupt);
	assert_false(clue_of("wake_up f exc_page_fault asm_exc_page_fault").interrupt);
}

/* --- the tables --- */

static void assert_pattern(const char *pattern, enum wait_says says, enum wait_reason reason)
{
	struct wait_context ctx = context('S', WAIT_NO_SYSCALL);
	char name[64];
	struct wait_clue c;

	copy_str(name, sizeof(name), pattern);
	if (strchr(name, '*'))
		strcpy(strchr(name, '*'), "_zz");
	c = clue_of(name);
	if (c.futex != (says == SAYS_FUTEX) || c.working != (says == SAYS_WORK))
		fail_msg("%s says something else", name);
	if (says >= SAYS_HINT && reason != WAIT_UNKNOWN && c.reason != reason)
		fail_msg("%s is shadowed: %d", name, c.reason);
	if (says == SAYS_PASS || says == SAYS_HINT || says == SAYS_LOCK)
		assert_int_equal(c.passed, 1);
	else
		assert_int_equal(c.passed, 0);
	if (reason != WAIT_UNKNOWN)
		assert_reason(name, &ctx, reason);
}

#define COUNT(...) (sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *))

/* Each says what its row says: none is shadowed by one before it. */
static void no_name_is_shadowed(void **state)
{
#define WAIT_NAMES(says, reason, ...)                                                              \
	for (u32 i = 0; i < COUNT(__VA_ARGS__); i++)                                               \
		assert_pattern(((const char *const[]){__VA_ARGS__})[i], SAYS_##says, WAIT_##reason);
#define WAIT_USER_NAMES(...)
#include "models/wait_reason_names.def"
}

static void every_reason_has_a_name_of_its_own(void **state)
{
	for (u32 i = 0; i < WAIT_REASONS; i++) {
		assert_true(strlen(wait_reasons[i].name) > 2);
		assert_true(strlen(wait_reasons[i].help) > 10);
		for (u32 k = 0; k < i; k++)
			assert_string_not_equal(wait_reasons[i].name, wait_reasons[k].name);
	}
	assert_int_equal(wait_reasons[WAIT_CONDITION].class, CLASS_UNCLEAR);
	assert_int_equal(wait_reasons[WAIT_WORKER].class, CLASS_IDLE);
	assert_int_equal(wait_reasons[WAIT_LOCK].class, CLASS_HARMFUL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(waits_are_told_by_their_frames),
		cmocka_unit_test(kernel_threads_are_idle_without_work),
		cmocka_unit_test(workers_of_programs_are_idle_too),
		cmocka_unit_test(futexes_are_told_apart_by_operation),
		cmocka_unit_test(futex_calls_without_an_operation_are_conditions),
		cmocka_unit_test(callers_tell_the_use_of_a_futex),
		cmocka_unit_test(a_fault_on_a_futex_is_a_fault),
		cmocka_unit_test(system_calls_tell_when_frames_do_not),
		cmocka_unit_test(frames_know_better_than_system_calls),
		cmocka_unit_test(preempted_is_preempted_wherever_it_was),
		cmocka_unit_test(entry_frames_name_nothing),
		cmocka_unit_test(the_tracer_is_not_there),
		cmocka_unit_test(interrupts_are_seen_among_the_frames),
		cmocka_unit_test(no_name_is_shadowed),
		cmocka_unit_test(every_reason_has_a_name_of_its_own),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
