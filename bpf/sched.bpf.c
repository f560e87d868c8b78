// SPDX-License-Identifier: GPL-2.0-only
/*
 * Where threads are: running, waiting for a CPU, or asleep, where and until whom. One program
 * each on sched_switch, sched_waking, sched_wakeup and sched_wakeup_new cuts each thread's
 * time into states without gaps; one on sched_process_fork gives a new one its place; an
 * iterator visits every thread once an interval, so that threads that do not move are seen too.
 *
 * What is known of a thread lives in its task-local storage. A wait is counted when it ends,
 * in one of two maps that take turns as in cpu.bpf.c; while it lasts the iterator reports it.
 * Nothing is done for threads out of scope beyond finding that out, which is remembered.
 */
#include "bpf/sched_record.bpf.h"
#include "bpf/sched_run.bpf.h"
#include "bpf/slept_on.bpf.h"

char LICENSE[] SEC("license") = "GPL";

const volatile u32 switch_has_state = 0; /* sched_switch has a fourth argument, 5.18 on */

volatile u64 visited_ns = 0; /* its last round began */
volatile u32 sleepers = SCHED_SLEEPERS_ALL;

/* began: when prev got the CPU; before that it was running_tid's, if that is another. */
static __always_inline void cpu__count(struct sched_cpu *c, struct task_struct *prev, u64 began,
				       u64 now)
{
	u64 ran = now - began;

	if (c->running_tid)
		c->busy_ns += began - c->since_ns;
	else
		c->idle_ns += began - c->since_ns;
	if (prev->pid) {
		c->busy_ns += ran;
		if (max__of(&c->run_max, epoch) < ran) {
			max__note(&c->run_max, ran);
			ident__fill(&c->longest[epoch & 1], prev);
		}
	} else {
		c->idle_ns += ran;
	}
	c->switches++;
}

static __noinline void switch_in(struct task_struct *prev, struct task_struct *next,
				      struct sched_cpu *c, u64 now, struct sched_stats *st)
{
	struct thread *t = bpf_task_storage_get(&threads, next, 0, 0);

	if (!t || !thread__watched(t, next, now))
		return;
	thread__account(t, now, st);
	thread__arrive(t, next, prev, c, now, st);
}

/* NULL: it is not watched. */
static __always_inline struct thread *leaver(struct task_struct *prev, u64 now,
					     struct sched_stats *st)
{
	/* Made here for the few for whom there was no memory when they began. */
	struct thread *t = bpf_task_storage_get(&threads, prev, 0, create_under_lock());

	if (!t && create_under_lock())
		st->tasks_full++;
	return t && thread__watched(t, prev, now) ? t : NULL;
}

/* Where the thread is that leaves; t: NULL, it is not watched. */
static __always_inline void look_where(void *ctx, u64 here, struct task_struct *task,
				       struct thread *t, bool held, struct leaving *l, u64 now)
{
	bool each = held || (t && t->tid == watch_tid);

	if (each)
		l->kstack = leaving_stack(ctx, here, task);
	if (each || (t && (wanted & SCHED_WANT_WAITS)))
		l->ustack = own_user_stack(now);
	l->early = l->ustack && user_stack_is_early();
}

static __always_inline void switch_out(struct thread *t, struct task_struct *prev, const struct leaving *l,
				       struct sched_cpu *c, u64 began, u64 now, struct sched_stats *st)
{
	if (began)
		catch_up(t, prev, c, began, st);
	thread__leave(t, prev, l, now, st);
	if (l->dead) {
		report_end(t, prev, st);
		t->gone = 1;
	}
}

/* A program's arguments lie on the kernel stack: where, as a number. */
static __always_inline u64 address_of(u64 *ctx, struct sched_stats *st)
{
	st->here = (u64)ctx;
	barrier_var(st);
	return *(volatile u64 *)&st->here;
}

SEC("tp_btf/sched_switch")
int sched_switch(u64 *ctx)
{
	struct task_struct *prev = (void *)ctx[1], *next = (void *)ctx[2];
	struct sched_stats *st = stats__get();
	struct sched_cpu *c = map__only(&cpus);
	struct leaving *leaving = map__only(&leaving_scratch);
	struct thread *t;
	u64 began, now, here, left_in;
	bool long_run, held;

	if (!st || !c || !leaving)
		return 0;
	now = run__begin(st);
	began = run_began(c, prev, now);
	here = address_of(ctx, st);
	if (prev->pid) {
		t = leaver(prev, now, st);
		left_in = ctx[0] ? 0 : switch_has_state ? ctx[3] : task__state(prev);
		leaving->state = state__leaving(left_in);
		leaving->dead = !!(left_in & TASK_DEAD);
		long_run = next->pid && is_long_run(began, now);
		held = long_run && slow__is_due(&long_ns, &long_kept, SCHED_LONG_MAX, now - began);
		leaving->kstack = leaving->ustack = 0;
		look_where(ctx, here, prev, t, held, leaving, now);
		if (t)
			switch_out(t, prev, leaving, c, began, now, st);
		if (long_run)
			keep_run(prev, leaving, began, now);
	}
	if (next->pid)
		switch_in(prev, next, c, now, st);
	if (began && (wanted & SCHED_WANT_TASKS))
		cpu__count(c, prev, began, now);
	c->since_ns = now;
	c->running_tid = next->pid;
	run__end(st, now);
	return 0;
}

/* A thread's wakeups are distinguished by what it does. What an interrupt does depends on whom it
 * wakes; those of user code run on the thread's stack and look like no system call. */
static __always_inline u64 waker_stack(void *ctx, u64 here, bool own, struct task_struct *self,
				       struct task_struct *task, u32 syscall)
{
	u32 call = own ? ~0u : task__syscall(self);
	u64 key;

	if (own || (call == ~0u && has_user_part(self)))
		key = stack__key(task, STACK_KIND_INTERRUPT, syscall);
	else
		key = stack__key(self, STACK_KIND_RUNNING, call);
	return stack__running(ctx, here, own, key, STACK_SLOT_TRACE);
}

#define SHORT_NS   10000000 /* the wakers of longer waits are all looked at */
#define STANDS_FOR 16	    /* wakings that one stands for, at most; half of it on average */

/*
 * Who wakes it, and where it waits: as long as this is the same, the waker's stacks of a short wait
 * are as of a sample. By whom, how often and how long stays exact.
 */
static __always_inline u64 waker_key(const struct sched_wait *w, struct task_struct *self, bool own)
{
	u64 h = own ? SCHED_WAKER_INTERRUPT : hash_step(self->pid, self->self_exec_id);

	return hash_step(hash_step(hash_step(h, w->ustack), w->syscall), stacks_round);
}

static __always_inline bool waker__stands(struct thread *t, u64 key, u64 now)
{
	if (t->waker_key != key || !t->waker_left || now - t->off_ns >= SHORT_NS)
		return false;
	t->waker_left--;
	return true;
}

/* At random, so that wakers' stacks that come in turns are each seen. */
static __always_inline void waker__stands_from_now(struct thread *t, u64 key)
{
	t->waker_key = key;
	t->waker_left = bpf_get_prandom_u32() & (STANDS_FOR - 1);
}

/* In the context of whoever wakes, or of the interrupt that does. */
SEC("tp_btf/sched_waking")
int sched_waking(u64 *ctx)
{
	struct task_struct *task = (void *)ctx[0], *self = bpf_get_current_task_btf();
	struct sched_stats *st = stats__get();
	struct sched_waker *w;
	struct thread *t;
	u64 now, here, key;
	bool own;

	if (!st || !(wanted & SCHED_WANT_WAITS))
		return 0;
	t = bpf_task_storage_get(&threads, task, 0, 0);
	if (!t)
		return 0;
	now = run__begin(st);
	if (!thread__watched(t, task, now) || t->state == SCHED_RUNNING ||
	    t->state == SCHED_RUNNABLE || now - t->off_ns < wait_min_ns)
		return 0;
	w = &t->wait.waker;
	here = address_of(ctx, st);
	own = stack__is_own(here, self);
	w->kind = own ? SCHED_WAKER_INTERRUPT : SCHED_WAKER_TASK;
	key = waker_key(&t->wait, self, own);
	if (!waker__stands(t, key, now)) {
		w->kstack = waker_stack(ctx, here, own, self, task, t->wait.syscall);
		w->tgid = own ? 0 : self->tgid; /* whom an interrupt interrupts does not matter */
		w->tid = own ? 0 : self->pid;
		w->ustack = own || !has_user_part(self) ? 0 : own_user_stack(now);
		bpf_get_current_comm(w->comm, sizeof(w->comm));
		waker__stands_from_now(t, key);
	}
	run__end(st, now);
	return 0;
}

static __always_inline void woken(struct task_struct *task, struct sched_stats *st)
{
	struct thread *t = bpf_task_storage_get(&threads, task, 0, 0);
	u64 now;

	if (!t)
		return;
	now = run__begin(st);
	if (!thread__watched(t, task, now) || t->state == SCHED_RUNNING ||
	    t->state == SCHED_RUNNABLE)
		return;
	thread__account(t, now, st);
	t->woken_ns = now;
	thread__enter(t, SCHED_RUNNABLE, 0, now);
	run__end(st, now);
}

SEC("tp_btf/sched_wakeup")
int sched_wakeup(u64 *ctx)
{
	struct sched_stats *st = stats__get();

	if (st)
		woken((void *)ctx[0], st);
	return 0;
}

/* A new thread gets its place. It is looked at when it wakes up: whether it is in scope is known
 * only when sched_fork has run, too. */
SEC("tp_btf/sched_process_fork")
int sched_new(u64 *ctx)
{
	struct task_struct *parent = (void *)ctx[0], *child = (void *)ctx[1];
	struct sched_stats *st = stats__get();
	struct thread *t;

	if (!st)
		return 0;
	if (!bpf_task_storage_get(&threads, child, 0, BPF_LOCAL_STORAGE_GET_F_CREATE)) {
		st->tasks_full++;
		return 0;
	}
	t = create_under_lock() ? NULL : bpf_task_storage_get(&threads, parent, 0, 0);
	if (t && t->watched)
		hists__make(child);
	return 0;
}

SEC("tp_btf/sched_wakeup_new")
int sched_wakeup_new(u64 *ctx)
{
	struct task_struct *task = (void *)ctx[0];
	struct sched_stats *st = stats__get();
	struct thread *t;
	u64 now;

	if (!st)
		return 0;
	t = bpf_task_storage_get(&threads, task, 0, 0);
	if (!t)
		return 0;
	now = run__begin(st);
	if (thread__watched(t, task, now))
		t->off_ns = 0; /* it has not been on a CPU that it could be off */
	run__end(st, now);
	return 0;
}

/* A thread that executes takes its process's id: it ends under its own, and begins anew. Its name is another
 * now, too: whoever has that is watched from here on, or no more. */
SEC("tp_btf/sched_process_exec")
int sched_exec(u64 *ctx)
{
	struct task_struct *task = (void *)ctx[0];
	struct sched_stats *st = stats__get();
	struct thread *t = bpf_task_storage_get(&threads, task, 0, 0);
	u64 now = bpf_ktime_get_ns();

	if (!st || !t || !thread__watched(t, task, now) || t->tid == (u32)task->pid)
		return 0;
	thread__account(t, now, st);
	report_end(t, task, st);
	thread__begin(t, task, now);
	return 0;
}

/* --- once an interval --- */

HASH_MAP(polled, 1024, u32, struct sched_polled);

/* What a thread waits on that left its CPU before it was watched. */
static __always_inline u32 sleeper__on(struct task_struct *task, u32 syscall)
{
	u32 tid = task->pid, on;
	struct sched_polled *p = bpf_map_lookup_elem(&polled, &tid);

	if (!p)
		return task__on(task, syscall, 1);
	on = of_so_many(p->n);
	for (u32 i = 0; i < SCHED_POLLED && i < p->n; i++)
		if (p->fds[i] >= 0)
			on |= file__on(file_of(as_number(task), p->fds[i]));
	return on;
}

static __always_inline void visit_wait(struct thread *t, struct task_struct *task, u64 now,
				       struct sched_stats *st)
{
	u64 off = t->off_ns, woken = t->woken_ns, summed, from;

	if (!off || t->state == SCHED_RUNNING || now < off || !wait__passes(&t->wait, now - off, t->cpu))
		return;
	if (!t->wait.kstack) {
		u64 kstack = stack__sleeping(task, t->wait.syscall, STACK_SLOT_ITER);

		/* Unless it went on meanwhile: then the stack may be any. */
		if (t->off_ns == off)
			t->wait.kstack = kstack;
	}
	if (t->wait.since_before && !t->wait.on) {
		u32 on = sleeper__on(task, t->wait.syscall);

		if (t->off_ns == off)
			t->wait.on = on;
	}
	summed = __sync_lock_test_and_set(&t->summed_ns, now);
	from = of_intervals(summed);
	/* It ends later than that, or has been told of: unless it went on meanwhile it is as it was. */
	if (now < from) {
		__sync_val_compare_and_swap(&t->summed_ns, now, summed);
		return;
	}
	t->open_ns += now - from;
	if (woken && woken < now)
		t->open_runq_ns += now - (woken > from ? woken : from);
}

/* A thread that came unseen and runs: its time is cut there, and the rest is done when it leaves.
 * It may leave just now: then the state is not ours to change. */
#define UNSEEN_NS 10000

static __always_inline void visit_unseen(struct thread *t, struct task_struct *task, u64 now,
					 struct sched_stats *st)
{
	u32 zero = 0, state = t->state;
	struct sched_cpu *c = bpf_map_lookup_elem(&cpus, &zero);
	u64 since = t->since_ns, at;

	if (!c || state == SCHED_RUNNING || !task->on_cpu)
		return;
	at = arrival(c, task);
	if (at < since + UNSEEN_NS || at > now)
		return;
	if (at > t->accounted_ns)
		thread__account(t, at, st);
	if (t->since_ns != since)
		return;
	t->since_ns = at;
	__sync_val_compare_and_swap(&t->state, state, SCHED_RUNNING);
}

static __always_inline bool in_turn(struct task_struct *task)
{
	return ((u32)task->pid + epoch) % SCHED_TURNS == 0;
}

/* Nothing happened to it since the last round. Locks of user space are waited for in futexes. */
static __always_inline bool sleeps_on(const struct thread *t)
{
	return t->state == SCHED_SLEEP && t->since_ns < visited_ns &&
	       t->wait.syscall != WAIT_CALL_FUTEX;
}

/* What lasts is cut where the interval ends. What came after that is told up to when it is known. */
static __always_inline u64 cut_of(const struct thread *t, u64 now)
{
	u64 cut = cut_ns, known = t->accounted_ns;

	if (cut > now)
		return now;
	return cut < known ? known : cut;
}

/* It sleeps, and its turn is another round: found without a look at what is kept of it. */
static __always_inline bool is_left_out(struct task_struct *task)
{
	u32 zero = 0;
	const struct sched_cpu *c = bpf_map_lookup_elem(&cpus, &zero);
	bool slept = c && slept_on(task, c->clock, visited_ns, epoch);

	return slept && !look_again && sleepers == SCHED_SLEEPERS_IN_TURN && !in_turn(task) &&
	       state__now(task) == SCHED_SLEEP && task__syscall(task) != WAIT_CALL_FUTEX;
}

/* A record may be written twice when the buffer is full: it holds sums, nothing is taken. */
SEC("iter/task")
int sched_visit(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;
	struct sched_stats *st = stats__get();
	struct sched_task_record *r;
	struct thread *t;
	u32 slot = 1, asleep;
	u64 now;

	if (!task || !st || task->exit_state || is_left_out(task))
		return 0;
	t = bpf_task_storage_get(&threads, task, 0, BPF_LOCAL_STORAGE_GET_F_CREATE);
	if (!t) {
		st->tasks_full++;
		return 0;
	}
	now = bpf_ktime_get_ns();
	if (look_again)
		t->scope = 0;
	if (!thread__watched(t, task, now) || t->gone)
		return 0;
	visit_unseen(t, task, now, st);
	now = cut_of(t, now);
	asleep = sleepers && sleeps_on(t);
	if (asleep && sleepers == SCHED_SLEEPERS_IN_TURN && !in_turn(task))
		return 0;
	hists__make(task);
	thread__account(t, now, st);
	if (wanted & SCHED_WANT_WAITS)
		visit_wait(t, task, now, st);
	r = bpf_map_lookup_elem(&record_scratch, &slot);
	if (!r)
		return 0;
	record__fill(r, t, task, epoch - 1);
	record__regs(r, task);
	r->gone = 0;
	r->asleep = asleep;
	if ((wanted & SCHED_WANT_TASKS) && t->since_ns >= visited_ns)
		record__hists(r, task);
	if (r->has_hists)
		bpf_seq_write(ctx->meta->seq, r, sizeof(*r));
	else
		bpf_seq_write(ctx->meta->seq, r, offsetof(struct sched_task_record, hists));
	return 0;
}
