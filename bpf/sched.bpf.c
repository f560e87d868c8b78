// SPDX-License-Identifier: GPL-2.0-only
/*
 * Where threads are: running, waiting for a CPU, or asleep, where and until whom. One program
 * each on sched_switch, sched_waking, sched_wakeup and sched_wakeup_new cuts each thread's
 * time into states without gaps; an iterator visits every thread once an interval, so that
 * threads that do not move are seen too.
 *
 * What is known of a thread lives in its task-local storage. A wait is counted when it ends,
 * in one of two maps that take turns as in cpu.bpf.c; while it lasts the iterator reports it.
 * Nothing is done for threads out of scope beyond finding that out, which is remembered.
 */
#include "bpf/kernel.bpf.h"
#include "bpf/sched.h"
#include "bpf/scope.bpf.h"
#include "bpf/stack_task.bpf.h"

char LICENSE[] SEC("license") = "GPL";

const volatile u32 switch_tells_state = 0; /* sched_switch has a fourth argument, 5.18 on */

volatile u32 active = 0;		       /* which map counts now */
volatile u32 wanted = 0;		       /* SCHED_WANT_x */
volatile u64 epoch = 0;			       /* counts intervals */
volatile u64 wait_min_ns = 0, wait_max_ns = 0; /* which waits count; max 0: no limit */
volatile u32 wait_states = 0;		       /* bit per sched_state; 0: all */
volatile u32 thread_kinds = 0;		       /* 1: user threads only, 2: kernel threads only */
volatile u32 slow_told = 0;		       /* delays told one by one in this interval */
volatile u64 slow_ns = 0;		       /* delays from here on are told one by one */
volatile u32 watch_tid = 0;		       /* each of its changes is told */
volatile u32 look_again =
	0; /* the iterator decides anew who is in scope: names and cgroups change */
volatile u64 visited_ns = 0; /* the iterator's last round began */

/* One thread, in its own storage. */
struct thread {
	struct sched_wait wait; /* the present or last one */
	u64 scope;		/* the scope_state that `watched` was decided under */
	u64 watch_id;		/* when it came into scope */
	u64 start_ns;		/* when it began, as it was then */
	u64 accounted_ns;	/* up to when state_ns is complete */
	u64 since_ns;		/* the present state began */
	u64 off_ns;		/* the present wait began; 0: it runs */
	u64 told_ns;		/* up to when the present wait is in open_ns or a row */
	u64 woken_ns;		/* of the present wait; 0: not yet */
	u64 state_ns[SCHED_STATES];
	u64 runs, delays, delay_ns, open_ns, open_runq_ns;
	u64 voluntary, preempted, migrations; /* the kernel's counts when it came into scope */
	struct sched_max delay_max, run_max;
	u32 state, cpu;
	u32 watched, gone;
};

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct thread);
} threads SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct sched_hists);
} hists SEC(".maps");

#define WAITS                                                                                      \
	__uint(type, BPF_MAP_TYPE_HASH);                                                           \
	__uint(max_entries, 16384);                                                                \
	__type(key, u64);                                                                          \
	__type(value, struct sched_wait_sum)

struct {
	WAITS;
} waits_a SEC(".maps");

struct {
	WAITS;
} waits_b SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct sched_cpu);
} cpus SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct sched_stats);
} stats SEC(".maps");

/* The last long runs on a CPU, of whoever: watched or not. */
#define LONG_RUNS   4 /* a power of two */
#define LONG_RUN_NS 500000

struct long_run {
	u64 begin, end;
	struct sched_ident who;
	u64 kstack, ustack;
};

struct long_runs {
	u32 n;
	struct long_run v[LONG_RUNS];
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct long_runs);
} long_runs SEC(".maps");

/* Scratch: what is too large for the programs' stack. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct sched_wait_sum);
} sum_scratch SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 2); /* the switch's, the iterator's */
	__type(key, u32);
	__type(value, struct sched_task_record);
} record_scratch SEC(".maps");

static __always_inline struct sched_stats *stats__get(void)
{
	u32 zero = 0;

	return bpf_map_lookup_elem(&stats, &zero);
}

/* --- what a thread is --- */

static __always_inline void ident__fill(struct sched_ident *id, struct task_struct *task)
{
	id->tgid = task->tgid;
	id->tid = task->pid;
	id->start_ns = task->start_time;
	id->kthread = (task->flags & PF_KTHREAD) != 0;
	id->cgroup = BPF_CORE_READ(task, cgroups, dfl_cgrp, kn, id);
	BPF_CORE_READ_STR_INTO(&id->comm, task, comm);
}

static __always_inline u32 state__of(u64 state)
{
	if (state & TASK_INTERRUPTIBLE)
		return SCHED_SLEEP;
	if (state & TASK_UNINTERRUPTIBLE)
		return state & TASK_NOLOAD ? SCHED_IDLE : SCHED_DISK;
	if (state & TASK_STOPPED)
		return SCHED_STOPPED;
	if (state & TASK_TRACED)
		return SCHED_TRACED;
	return state ? SCHED_OTHER : SCHED_RUNNABLE;
}

static __always_inline bool has_user_part(struct task_struct *task)
{
	return !(task->flags & (PF_KTHREAD | PF_IO_WORKER | PF_USER_WORKER));
}

/* The call it is in, as its registers were when it entered the kernel; -1: none. */
static __always_inline u32 task__syscall(struct task_struct *task)
{
	REGS_TYPE *regs;

	if (!has_user_part(task))
		return ~0u;
	regs = (void *)bpf_task_pt_regs(task);
	return (s32)REGS_SYSCALL(regs) < 0 ? ~0u : REGS_SYSCALL(regs);
}

static __always_inline void wait__note_syscall(struct sched_wait *w, struct task_struct *task)
{
	REGS_TYPE *regs = (void *)bpf_task_pt_regs(task);

	w->syscall = task__syscall(task);
	w->futex_op = w->syscall == ~0u ? 0 : (u32)REGS_ARG2(regs);
}

static __always_inline u64 task__state(struct task_struct *task)
{
	if (bpf_core_field_exists(task->__state))
		return task->__state;
	return BPF_CORE_READ((struct task_struct___old *)task, state);
}

static __always_inline bool in_scope(struct task_struct *task)
{
	u32 kinds = thread_kinds;

	if (kinds && ((task->flags & PF_KTHREAD) ? kinds != 2 : kinds != 1))
		return false;
	return scope__task(task, task->tgid, task->pid);
}

static __always_inline u32 state__now(struct task_struct *task)
{
	return task->on_cpu ? SCHED_RUNNING : state__of(task__state(task));
}

/* From now on. What it does at the moment began before. */
static __always_inline void thread__begin(struct thread *t, struct task_struct *task, u64 now)
{
	__builtin_memset(t->state_ns, 0, sizeof(t->state_ns));
	t->watch_id = (now << 8) | (bpf_get_smp_processor_id() & 255);
	t->accounted_ns = t->since_ns = now;
	t->start_ns = task->start_time;
	t->runs = t->delays = t->delay_ns = t->open_ns = t->open_runq_ns = 0;
	t->voluntary = task->nvcsw;
	t->preempted = task->nivcsw;
	t->migrations = task->se.nr_migrations;
	t->state = state__now(task);
	t->off_ns = t->state == SCHED_RUNNING ? 0 : now;
	t->told_ns = now;
	t->woken_ns = 0;
	__builtin_memset(&t->wait, 0, sizeof(t->wait));
	t->wait.state = t->state;
	t->wait.since_before = 1;
	wait__note_syscall(&t->wait, task);
	t->watched = 1;
}

/* Decides anew when the scope has changed. */
static __always_inline bool thread__watched(struct thread *t, struct task_struct *task, u64 now)
{
	u64 scope = scope_state ^ ((u64)thread_kinds << 29) ^ (1u << 31); /* never 0 */
	bool in;

	if (t->scope == scope)
		return t->watched;
	in = in_scope(task);
	t->scope = scope;
	if (!in)
		t->watched = 0;
	else if (!t->watched)
		thread__begin(t, task, now);
	return in;
}

/* Two CPUs that look at the clock may come in the other order: that much is no step back, and
 * who came first has counted it. */
#define RACE_NS 1000000

/* Adds the time since the last call to the present state. Whoever comes first takes it. */
static __always_inline u64 thread__account(struct thread *t, u64 now, struct sched_stats *st)
{
	u64 then = __sync_lock_test_and_set(&t->accounted_ns, now);
	u32 state = t->state;

	if ((s64)(now - then) < 0) {
		__sync_lock_test_and_set(&t->accounted_ns, then);
		st->backward += then - now > RACE_NS;
		return 0;
	}
	if (state < SCHED_STATES)
		__sync_fetch_and_add(&t->state_ns[state], now - then);
	return now - then;
}

static __always_inline void max__note(struct sched_max *m, u64 ns)
{
	u64 e = epoch;
	u32 i = e & 1;

	if (m->epoch[i] != e) {
		m->epoch[i] = e;
		m->ns[i] = ns;
	} else if (m->ns[i] < ns) {
		m->ns[i] = ns;
	}
}

static __always_inline u64 max__of(const struct sched_max *m, u64 e)
{
	return m->epoch[e & 1] == e ? m->ns[e & 1] : 0;
}

/* NULL: not wanted, or no memory. */
static __always_inline struct sched_hists *hists__of(struct task_struct *task)
{
	if (!(wanted & SCHED_WANT_TASKS))
		return NULL;
	return bpf_task_storage_get(&hists, task, 0, BPF_LOCAL_STORAGE_GET_F_CREATE);
}

static __always_inline void hist__add(struct sched_hists *h, u32 kind, u64 ns)
{
	u32 i = hist__bucket(ns);

	if (h && i < HIST_BUCKETS && kind < SCHED_HIST_KINDS)
		h->n[kind][i]++;
}

static __always_inline void tell_switch(struct thread *t, u32 tid, u64 kstack, u64 now)
{
	struct sched_switch_record r = {
		.type = RECORD_SCHED_SWITCH,
		.tid = tid,
		.cpu = bpf_get_smp_processor_id(),
		.state = t->state,
		.t_ns = now,
	};
	struct sched_stats *st = stats__get();

	if (t->state != SCHED_RUNNING) {
		r.syscall = t->wait.syscall;
		r.futex_op = t->wait.futex_op;
		r.kstack = kstack;
		r.ustack = t->wait.ustack;
	}
	if (bpf_ringbuf_output(&records, &r, sizeof(r), ring_flags(false)) && st)
		st->records_full++;
}

/* kstack: of who is watched, where it leaves its CPU. */
static __always_inline void thread__enter(struct thread *t, u32 tid, u32 state, u64 kstack, u64 now)
{
	t->state = state;
	t->since_ns = now;
	if (tid == watch_tid)
		tell_switch(t, tid, kstack, now);
}

/* --- leaving the CPU --- */

/* Can only be had while it is the current task. */
static __always_inline u64 user_stack(struct task_struct *task, struct sched_stats *st)
{
	u64 hash;

	if (!has_user_part(task))
		return 0;
	hash = stack__user(task, (void *)bpf_task_pt_regs(task), STACK_SLOT_TRACE);
	st->stacks_lost += !hash;
	return hash;
}

static __always_inline void thread__leave(struct thread *t, struct task_struct *task, u32 state,
					  u64 kstack, u64 now, struct sched_stats *st)
{
	u64 ran = now - t->since_ns;
	bool knew = t->state == SCHED_RUNNING;

	thread__account(t, now, st);
	if (knew && (wanted & SCHED_WANT_TASKS)) {
		max__note(&t->run_max, ran);
		hist__add(hists__of(task), SCHED_HIST_ON, ran);
	}
	t->off_ns = t->told_ns = now;
	t->woken_ns = 0;
	t->wait.kstack = 0;
	t->wait.state = state;
	t->wait.since_before = 0;
	t->wait.waker.kind = 0;
	if ((wanted & SCHED_WANT_WAITS) || task->pid == watch_tid) {
		wait__note_syscall(&t->wait, task);
		t->wait.ustack = user_stack(task, st);
	}
	thread__enter(t, task->pid, state, kstack, now);
}

/* --- coming back --- */

static __always_inline bool wait__passes(const struct sched_wait *w, u64 ns, u32 cpu)
{
	u32 states = wait_states;

	if (ns < wait_min_ns || (wait_max_ns && ns > wait_max_ns))
		return false;
	if (states && !(states & (1u << (w->state & 31))))
		return false;
	return !(u32)scope_state || scope__cpu(cpu);
}

static __always_inline u64 wait__id(const struct sched_wait *w, u32 tid, u64 start)
{
	u64 h = hash_step(tid, start);

	h = hash_step(h, w->kstack);
	h = hash_step(h, w->ustack);
	h = hash_step(h, ((u64)w->state << 32) | w->syscall);
	h = hash_step(h, ((u64)w->futex_op << 32) | w->since_before);
	h = hash_step(h, ((u64)w->waker.kind << 32) | w->waker.tid);
	h = hash_step(h, w->waker.kstack);
	return hash_finish(hash_step(h, w->waker.ustack));
}

static __always_inline void sum__add(struct sched_wait_sum *sum, u64 off, u64 runq, u64 full,
				     u64 now)
{
	sum->count++;
	sum->off_ns += off;
	sum->runq_ns += runq;
	sum->full_ns += full;
	if (sum->max_ns < full)
		sum->max_ns = full;
	sum->last_ns = now;
}

static __always_inline void count_wait(struct thread *t, struct task_struct *task, u64 off,
				       u64 runq, u64 full, u64 now, struct sched_stats *st)
{
	void *map = active ? (void *)&waits_b : (void *)&waits_a;
	u64 id = wait__id(&t->wait, task->pid, task->start_time);
	struct sched_wait_sum *sum = bpf_map_lookup_elem(map, &id);
	u32 zero = 0;

	st->waits++;
	if (sum) {
		sum__add(sum, off, runq, full, now);
		return;
	}
	sum = bpf_map_lookup_elem(&sum_scratch, &zero);
	if (!sum)
		return;
	ident__fill(&sum->task, task);
	sum->wait = t->wait;
	sum->cpu = t->cpu;
	sum->count = sum->off_ns = sum->runq_ns = sum->full_ns = sum->max_ns = 0;
	sum__add(sum, off, runq, full, now);
	if (bpf_map_update_elem(map, &id, sum, BPF_ANY))
		st->waits_full++;
}

/* Where it waited can be seen until it goes on: not when the switch was unseen. */
static __always_inline void end_wait(struct thread *t, struct task_struct *task, bool seen, u64 now,
				     struct sched_stats *st)
{
	u64 told = __sync_lock_test_and_set(&t->told_ns, now), off = now - told, runq = 0;
	u64 full = now - t->off_ns, runnable = t->woken_ns > told ? t->woken_ns : told;

	if ((s64)full < 0) {
		st->backward++;
		return;
	}
	/* The iterator has told of it a moment ago, by a later look at the clock. */
	if ((s64)off < 0)
		off = 0;
	if (!wait__passes(&t->wait, full, t->cpu))
		return;
	if (t->woken_ns && runnable < now)
		runq = now - runnable;
	if (!t->wait.kstack && seen)
		t->wait.kstack = stack__sleeping(task, t->wait.syscall, STACK_SLOT_TRACE);
	count_wait(t, task, off, runq, full, now, st);
}

/* Where the present task is that is about to lose its CPU. */
static __always_inline u64 leaving_stack(void *ctx, u64 here, struct task_struct *task)
{
	return stack__running(ctx, here, false,
			      stack__key(task, STACK_KIND_RUNNING, task__syscall(task)),
			      STACK_SLOT_TRACE);
}

/* A long run is kept with its stack: it may turn out to have held somebody up. */
static __always_inline void keep_run(void *ctx, u64 here, struct task_struct *task, u64 since,
				     u64 now, struct sched_stats *st)
{
	u32 zero = 0;
	struct long_runs *runs = bpf_map_lookup_elem(&long_runs, &zero);
	struct long_run *run;

	if (!runs || !slow_ns || !since || now - since < LONG_RUN_NS)
		return;
	run = &runs->v[runs->n++ & (LONG_RUNS - 1)];
	run->begin = since;
	run->end = now;
	ident__fill(&run->who, task);
	run->kstack = leaving_stack(ctx, here, task);
	run->ustack = user_stack(task, st);
}

/* Who had the CPU longest of the time that a thread waited for it, as far as kept. */
static __always_inline void name_holder(struct sched_delay_record *r)
{
	u64 from = r->t_ns - r->delay_ns, most = 0;
	u32 zero = 0;
	struct long_runs *runs = bpf_map_lookup_elem(&long_runs, &zero);

	for (u32 i = 0; runs && i < LONG_RUNS; i++) {
		struct long_run *run = &runs->v[i];
		u64 begin = run->begin > from ? run->begin : from;

		if (run->end <= begin || run->end - begin <= most)
			continue;
		most = run->end - begin;
		r->holder = run->who;
		r->holder_ran_ns = run->end - run->begin;
		r->holder_kstack = run->kstack;
		r->holder_ustack = run->ustack;
	}
}

static __always_inline void tell_delay(struct task_struct *task, u64 delay,
				       struct task_struct *last, struct sched_cpu *c, u64 now,
				       struct sched_stats *st)
{
	struct sched_delay_record r = {
		.type = RECORD_SCHED_DELAY,
		.cpu = bpf_get_smp_processor_id(),
		.t_ns = now,
		.delay_ns = delay,
	};

	ident__fill(&r.task, task);
	name_holder(&r);
	/* Nobody ran for long: whoever was the last of many. */
	if (!r.holder.tid && last && last->pid) {
		ident__fill(&r.holder, last);
		r.holder_ran_ns = now - c->since_ns;
	}
	if (bpf_ringbuf_output(&records, &r, sizeof(r), ring_flags(false)))
		st->records_full++;
}

/* --- events --- */

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

static __always_inline void note_delay(struct thread *t, struct sched_hists *h, u64 delay,
				       struct sched_cpu *c)
{
	u32 i = hist__bucket(delay);

	max__note(&t->delay_max, delay);
	hist__add(h, SCHED_HIST_DELAY, delay);
	if (i < HIST_BUCKETS)
		c->delay_hist[i]++;
}

/* When too many are told, only slower ones are from then on: the slowest are never missed. */
static __always_inline bool is_slow(u64 delay)
{
	if (!slow_ns || delay < slow_ns)
		return false;
	if (__sync_fetch_and_add(&slow_told, 1) >= SLOW_TOLD_MAX) {
		slow_told = 0;
		slow_ns *= 2;
	}
	return true;
}

/* When it could have run: it was woken, preempted, or new. 0: it could not. */
static __always_inline u64 thread__ready_since(const struct thread *t)
{
	if (t->woken_ns)
		return t->woken_ns;
	if (t->off_ns)
		return t->wait.state == SCHED_RUNNABLE ? t->off_ns : 0;
	return t->state == SCHED_RUNNABLE ? t->since_ns : 0;
}

/* It got its CPU. last: who had it before; NULL: the switch was unseen. */
static __always_inline void thread__arrive(struct thread *t, struct task_struct *task,
					   struct task_struct *last, struct sched_cpu *c, u64 now,
					   struct sched_stats *st)
{
	struct sched_hists *h = hists__of(task);
	u64 ready = thread__ready_since(t), delay = now - ready;

	if (ready && (s64)delay > 0) {
		t->delays++;
		t->delay_ns += delay;
		if (h && c) {
			note_delay(t, h, delay, c);
			if (is_slow(delay))
				tell_delay(task, delay, last, c, now, st);
		}
	}
	if (t->off_ns && (wanted & SCHED_WANT_WAITS))
		end_wait(t, task, last != NULL, now, st);
	if (t->off_ns)
		hist__add(h, SCHED_HIST_OFF, now - t->off_ns);
	t->off_ns = 0;
	t->runs++;
	st->switches++;
	t->cpu = bpf_get_smp_processor_id();
	thread__enter(t, task->pid, SCHED_RUNNING, 0, now);
}

static __always_inline void switch_in(struct task_struct *prev, struct task_struct *next,
				      struct sched_cpu *c, u64 now, struct sched_stats *st)
{
	struct thread *t = bpf_task_storage_get(&threads, next, 0, 0);

	if (!t) {
		st->unknown++;
		return;
	}
	if (!thread__watched(t, next, now))
		return;
	thread__account(t, now, st);
	thread__arrive(t, next, prev, c, now, st);
}

/* --- switches that no program was run for --- */

/*
 * Some kernels keep switches from the programs, as when one side is a task that nobody may
 * trace. Then the other side's time is taken from the scheduler's own account; its clock is
 * compared with ours at the switches that are seen.
 */
static __always_inline u64 arrival(const struct sched_cpu *c, struct task_struct *task)
{
	if (!c->clock || !bpf_core_field_exists(task->sched_info.last_arrival))
		return 0;
	return task->sched_info.last_arrival + c->clock;
}

/* When prev, which leaves the CPU now, got it. */
static __always_inline u64 run_began(struct sched_cpu *c, struct task_struct *prev, u64 now)
{
	u64 at;

	if (c->running_tid == prev->pid || !c->since_ns || !prev->pid) {
		if (prev->pid && c->since_ns &&
		    bpf_core_field_exists(prev->sched_info.last_arrival))
			c->clock = c->since_ns - prev->sched_info.last_arrival;
		return c->since_ns;
	}
	at = arrival(c, prev);
	return at > c->since_ns && at <= now ? at : c->since_ns;
}

/* Does what was left undone when the thread that leaves now came unseen. */
static __always_inline void catch_up(struct thread *t, struct task_struct *task,
				     struct sched_cpu *c, u64 began, struct sched_stats *st)
{
	if (t->state == SCHED_RUNNING && !t->off_ns)
		return;
	if (began < t->off_ns)
		began = t->off_ns;
	if (t->state != SCHED_RUNNING && began > t->accounted_ns)
		thread__account(t, began, st);
	thread__arrive(t, task, NULL, c, began, st);
	st->unseen++;
}

static __always_inline void record__fill(struct sched_task_record *r, struct thread *t,
					 struct task_struct *task, u64 now, u64 e)
{
	r->type = RECORD_SCHED_TASK;
	ident__fill(&r->task, task);
	r->wait = t->wait;
	r->t_ns = now;
	r->watch_id = t->watch_id;
	__builtin_memcpy(r->state_ns, t->state_ns, sizeof(r->state_ns));
	r->runs = t->runs;
	r->delays = t->delays;
	r->delay_ns = t->delay_ns;
	r->voluntary = task->nvcsw - t->voluntary;
	r->preempted = task->nivcsw - t->preempted;
	r->migrations = task->se.nr_migrations - t->migrations;
	r->delay_max_ns = max__of(&t->delay_max, e);
	r->run_max_ns = max__of(&t->run_max, e);
	r->open_ns = t->open_ns;
	r->open_runq_ns = t->open_runq_ns;
	r->since_ns = t->since_ns;
	r->off_since_ns = t->state == SCHED_RUNNING ? 0 : t->off_ns;
	r->state = t->state;
	r->cpu = t->cpu;
	r->has_hists = 0;
}

static __always_inline void record__hists(struct sched_task_record *r, struct task_struct *task)
{
	struct sched_hists *h = bpf_task_storage_get(&hists, task, 0, 0);

	if (!h)
		return;
	bpf_probe_read_kernel(&r->hists, sizeof(r->hists), h);
	r->has_hists = 1;
}

/* The last that can be said of it by this id: it will not run again, or has taken another. */
static __always_inline void tell_end(struct thread *t, struct task_struct *task, u32 tid, u64 now,
				     struct sched_stats *st)
{
	u32 slot = 0;
	struct sched_task_record *r = bpf_map_lookup_elem(&record_scratch, &slot);
	long size = offsetof(struct sched_task_record, hists);

	if (!r)
		return;
	record__fill(r, t, task, now, epoch);
	r->gone = 1;
	r->task.tid = tid;
	r->task.start_ns = t->start_ns;
	if (wanted & SCHED_WANT_TASKS)
		record__hists(r, task);
	if (bpf_ringbuf_output(&records, r, r->has_hists ? sizeof(*r) : size, ring_flags(false)))
		st->records_full++;
}

static __always_inline void switch_out(void *ctx, u64 here, struct task_struct *prev, bool preempt,
				       u64 state, struct sched_cpu *c, u64 began, u64 now,
				       struct sched_stats *st)
{
	/* Made here for the few that the iterator is not allowed to see. */
	struct thread *t = bpf_task_storage_get(&threads, prev, 0, BPF_LOCAL_STORAGE_GET_F_CREATE);
	u64 kstack;

	if (!t) {
		st->tasks_full++;
		return;
	}
	if (!thread__watched(t, prev, now))
		return;
	if (began)
		catch_up(t, prev, c, began, st);
	kstack = prev->pid == watch_tid ? leaving_stack(ctx, here, prev) : 0;
	thread__leave(t, prev, preempt ? SCHED_RUNNABLE : state__of(state), kstack, now, st);
	if (!preempt && (state & TASK_DEAD)) {
		tell_end(t, prev, prev->pid, now, st);
		t->gone = 1;
	}
}

static __always_inline u64 begin(struct sched_stats *st)
{
	st->runs++;
	return bpf_ktime_get_ns();
}

/* A program's arguments lie on the kernel stack: where, as a number. */
static __always_inline u64 address_of(u64 *ctx, struct sched_stats *st)
{
	st->here = (u64)ctx;
	barrier_var(st);
	return *(volatile u64 *)&st->here;
}

/* A look at the clock costs as much as many a run: one in 64 is timed. */
static __always_inline void end(struct sched_stats *st, u64 then)
{
	if (st->runs & 63)
		return;
	st->timed++;
	st->run_ns += bpf_ktime_get_ns() - then;
}

SEC("tp_btf/sched_switch")
int sched_switch(u64 *ctx)
{
	struct task_struct *prev = (void *)ctx[1], *next = (void *)ctx[2];
	struct sched_stats *st = stats__get();
	struct sched_cpu *c;
	u32 zero = 0;
	u64 began, now, here;

	c = bpf_map_lookup_elem(&cpus, &zero);
	if (!st || !c)
		return 0;
	now = begin(st);
	began = run_began(c, prev, now);
	here = address_of(ctx, st);
	if (prev->pid)
		switch_out(ctx, here, prev, ctx[0], switch_tells_state ? ctx[3] : task__state(prev),
			   c, began, now, st);
	if (prev->pid && (wanted & SCHED_WANT_TASKS))
		keep_run(ctx, here, prev, began, now, st);
	if (next->pid)
		switch_in(prev, next, c, now, st);
	if (began && (wanted & SCHED_WANT_TASKS))
		cpu__count(c, prev, began, now);
	c->since_ns = now;
	c->running_tid = next->pid;
	end(st, now);
	return 0;
}

/* A thread's wakeups are told apart by what it does. What an interrupt does depends on whom it
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

/* In the context of whoever wakes, or of the interrupt that does. */
SEC("tp_btf/sched_waking")
int sched_waking(u64 *ctx)
{
	struct task_struct *task = (void *)ctx[0], *self = bpf_get_current_task_btf();
	struct sched_stats *st = stats__get();
	struct sched_waker *w;
	struct thread *t;
	u64 now, here;
	bool own;

	if (!st || !(wanted & SCHED_WANT_WAITS))
		return 0;
	t = bpf_task_storage_get(&threads, task, 0, 0);
	if (!t)
		return 0;
	now = begin(st);
	if (!thread__watched(t, task, now) || t->state == SCHED_RUNNING ||
	    t->state == SCHED_RUNNABLE || now - t->off_ns < wait_min_ns)
		return 0;
	w = &t->wait.waker;
	here = address_of(ctx, st);
	own = stack__is_own(here, self);
	w->kstack = waker_stack(ctx, here, own, self, task, t->wait.syscall);
	w->kind = own ? SCHED_WAKER_INTERRUPT : SCHED_WAKER_TASK;
	w->tgid = self->tgid;
	w->tid = self->pid;
	w->ustack = own || !self->pid ? 0 : user_stack(self, st);
	bpf_get_current_comm(w->comm, sizeof(w->comm));
	end(st, now);
	return 0;
}

static __always_inline void woken(struct task_struct *task, struct sched_stats *st)
{
	struct thread *t = bpf_task_storage_get(&threads, task, 0, 0);
	u64 now;

	if (!t)
		return;
	now = begin(st);
	if (!thread__watched(t, task, now) || t->state == SCHED_RUNNING ||
	    t->state == SCHED_RUNNABLE)
		return;
	thread__account(t, now, st);
	t->woken_ns = now;
	thread__enter(t, task->pid, SCHED_RUNNABLE, 0, now);
	end(st, now);
}

SEC("tp_btf/sched_wakeup")
int sched_wakeup(u64 *ctx)
{
	struct sched_stats *st = stats__get();

	if (st)
		woken((void *)ctx[0], st);
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
	now = begin(st);
	t = bpf_task_storage_get(&threads, task, 0, BPF_LOCAL_STORAGE_GET_F_CREATE);
	if (!t)
		st->tasks_full++;
	else if (thread__watched(t, task, now))
		t->off_ns = 0; /* it has not been on a CPU that it could be off */
	end(st, now);
	return 0;
}

/* A thread that executes takes its process's id: it ends under its own, and begins anew. */
SEC("tp_btf/sched_process_exec")
int sched_exec(u64 *ctx)
{
	struct task_struct *task = (void *)ctx[0];
	u32 old_tid = ctx[1];
	struct sched_stats *st = stats__get();
	struct thread *t;
	u64 now = bpf_ktime_get_ns();

	if (!st || old_tid == task->pid)
		return 0;
	t = bpf_task_storage_get(&threads, task, 0, 0);
	if (!t || !thread__watched(t, task, now))
		return 0;
	thread__account(t, now, st);
	tell_end(t, task, old_tid, now, st);
	thread__begin(t, task, now);
	return 0;
}

SEC("raw_tp/sched_process_fork")
int sched_fork(struct bpf_raw_tracepoint_args *ctx)
{
	struct sched_stats *st = stats__get();

	if (!scope__follow_fork((void *)ctx->args[0], (void *)ctx->args[1]) && st)
		st->forks_lost++;
	return 0;
}

SEC("raw_tp/sched_process_exit")
int sched_exit(struct bpf_raw_tracepoint_args *ctx)
{
	scope__follow_exit((void *)ctx->args[0]);
	return 0;
}

/* --- once an interval --- */

static __always_inline void visit_wait(struct thread *t, struct task_struct *task, u64 now,
				       struct sched_stats *st)
{
	u64 off = t->off_ns, woken = t->woken_ns, told;

	if (!off || t->state == SCHED_RUNNING || !wait__passes(&t->wait, now - off, t->cpu))
		return;
	if (!t->wait.kstack) {
		u64 kstack = stack__sleeping(task, t->wait.syscall, STACK_SLOT_ITER);

		/* Unless it went on meanwhile: then the stack may be any. */
		if (t->off_ns == off)
			t->wait.kstack = kstack;
	}
	told = __sync_lock_test_and_set(&t->told_ns, now);
	if ((s64)(now - told) < 0)
		return;
	t->open_ns += now - told;
	if (woken)
		t->open_runq_ns += now - (woken > told ? woken : told);
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

/* A record may be written twice when the buffer is full: it holds sums, nothing is taken. */
SEC("iter/task")
int sched_visit(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;
	struct sched_stats *st = stats__get();
	struct sched_task_record *r;
	struct thread *t;
	u32 slot = 1;
	u64 now;

	if (!task || !st || task->exit_state)
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
	thread__account(t, now, st);
	if (wanted & SCHED_WANT_WAITS)
		visit_wait(t, task, now, st);
	r = bpf_map_lookup_elem(&record_scratch, &slot);
	if (!r)
		return 0;
	record__fill(r, t, task, now, epoch - 1);
	r->gone = 0;
	if ((wanted & SCHED_WANT_TASKS) && t->since_ns >= visited_ns)
		record__hists(r, task);
	if (r->has_hists)
		bpf_seq_write(ctx->meta->seq, r, sizeof(*r));
	else
		bpf_seq_write(ctx->meta->seq, r, offsetof(struct sched_task_record, hists));
	return 0;
}
