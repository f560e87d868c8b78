/* SPDX-License-Identifier: GPL-2.0-only */
/* What is known of a thread: in its task-local storage, with its time cut into states. */
#ifndef BPF_SCHED_THREAD_BPF_H
#define BPF_SCHED_THREAD_BPF_H

#include "bpf/kernel.bpf.h"
#include "bpf/sched.h"
#define SOURCE_STATS sched_stats
#include "bpf/source.bpf.h"
#include "bpf/stack_task.bpf.h"
#include "bpf/wait_on.bpf.h"

volatile u32 wanted = 0;       /* SCHED_WANT_x */
volatile u64 epoch = 0;	       /* counts intervals */
/* Where what lasts is cut: where the last interval ended, where the first one began; ~0: none has begun. The round
 * that reports it comes later, on a busy machine much later, and the halves of maps turn after that. */
volatile u64 cut_ns = 0, begin_ns = 0;
volatile u32 cut_half = 0;     /* the half of what comes after the cut */
volatile u64 left_out_ns = 0;  /* up to then sleepers were left out, and of their waits nothing is summed up */
volatile u32 watch_tid = 0;    /* each of its changes is told */

/* One thread, in its own storage. */
struct thread {
	struct sched_wait wait; /* the present or last one */
	u64 scope;		/* the task__scope_version() that `watched` was decided under */
	u64 watch_id;		/* when it came into scope */
	u64 start_ns;		/* when it began, as it was then */
	u64 counted_from_ns;	/* state_ns sums up from then on, */
	u64 accounted_ns;	/* up to then */
	u64 since_ns;		/* the present state began */
	u64 off_ns;		/* the present wait began; 0: it runs */
	u64 summed_ns;		/* up to when the present wait is in open_ns or a row */
	u64 woken_ns;		/* of the present wait; 0: not yet */
	u64 state_ns[SCHED_STATES];
	u64 runs, delays, delay_ns, open_ns, open_runq_ns;
	u64 voluntary, preempted, migrations; /* the kernel's counts when it came into scope */
	struct sched_max delay_max, run_max;
	u64 on_key, on_until_ns; /* wait.on holds for this call and descriptor until then */
	u64 waker_key, waker_left; /* what wait.waker stands for, and how many times yet */
	u32 state, cpu;
	u32 watched, gone;
	u32 tid; /* as it was then, too */
};

TASK_MAP(threads, struct thread);

TASK_MAP(hists, struct sched_hists);

/* What is summed up of a wait begins there. */
static __always_inline u64 of_intervals(u64 summed_ns)
{
	u64 from = begin_ns < left_out_ns ? left_out_ns : begin_ns;

	return summed_ns < from ? from : summed_ns;
}

extern int LINUX_KERNEL_VERSION __kconfig;
#define STORAGE_FROM_POOL 0x60400 /* 6.4 */

/* What the events of a thread need is made before, at its fork or by the iterator: older kernels'
 * kmalloc may wake kswapd when memory is low, and whoever holds a run queue must not. */
static __always_inline u64 create_under_lock(void)
{
	return LINUX_KERNEL_VERSION >= STORAGE_FROM_POOL ? BPF_LOCAL_STORAGE_GET_F_CREATE : 0;
}

/* Counts how often user space has forgotten all stacks: what refers to them does not hold then. */
volatile u64 stacks_round = 0;

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

/* The same by the task's address, as global functions have it. */
static __always_inline void ident__read(struct sched_ident *id, u64 address)
{
	struct task_struct *task = (void *)address;

	id->tgid = BPF_CORE_READ(task, tgid);
	id->tid = BPF_CORE_READ(task, pid);
	id->start_ns = BPF_CORE_READ(task, start_time);
	id->kthread = (BPF_CORE_READ(task, flags) & PF_KTHREAD) != 0;
	id->cgroup = BPF_CORE_READ(task, cgroups, dfl_cgrp, kn, id);
	BPF_CORE_READ_STR_INTO(&id->comm, task, comm);
}

/* Whose times these are. When another thread than the first executes, the two change ids and that one takes
 * the other's age, all while the other is about to end: what is the thread's stays under what it was. */
static __always_inline void thread__ident(const struct thread *t, struct task_struct *task,
					  struct sched_ident *id)
{
	ident__fill(id, task);
	id->tid = t->tid;
	id->start_ns = t->start_ns;
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

/* A global function: to the verifier all states are one. */
__noinline u32 state__leaving(u64 state)
{
	return state__of(state);
}

static __always_inline void wait__note_syscall(struct sched_wait *w, struct task_struct *task)
{
	REGS_TYPE *regs = (void *)bpf_task_pt_regs(task);

	w->syscall = task__syscall(task);
	w->futex_op = 0;
	w->object = 0;
	if (w->syscall != WAIT_CALL_FUTEX)
		return;
	w->futex_op = (u32)REGS_ARG2(regs);
	w->object = REGS_ARG1(regs);
	if (futex__is_lock(regs))
		return;
	w->futex_op |= SCHED_FUTEX_FREE;
	w->object &= ~7ULL; /* a condition variable has two words, which take turns */
}

/* Of one connection who sent last may change at any time; of a set, what it is seldom does. */
#define ON_CHANGES (ON_ANSWERED | ON_UNANSWERED | ON_REQUEST | ON_REPLIED)

static __always_inline void thread__note_on(struct thread *t, struct task_struct *task, u64 now)
{
	REGS_TYPE *regs = (void *)bpf_task_pt_regs(task);
	u32 syscall = t->wait.syscall;
	u64 key;

	if (syscall == ~0u || syscall == WAIT_CALL_FUTEX) {
		t->wait.on = 0;
		return;
	}
	key = ((u64)syscall << 32) ^ REGS_ARG1(regs);
	if (t->on_key == key && now < t->on_until_ns)
		return;
	t->wait.on = task__on(task, syscall, 0);
	t->on_key = key;
	t->on_until_ns =
		(t->wait.on & ON_CHANGES) && !(t->wait.on & ON_MANY) ? 0 : now + ON_AGAIN_NS;
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
	t->counted_from_ns = t->accounted_ns = t->since_ns = now;
	t->start_ns = task->start_time;
	t->tid = task->pid;
	t->runs = t->delays = t->delay_ns = t->open_ns = t->open_runq_ns = 0;
	t->voluntary = task->nvcsw;
	t->preempted = task->nivcsw;
	t->migrations = task->se.nr_migrations;
	t->state = state__now(task);
	t->off_ns = t->state == SCHED_RUNNING ? 0 : now;
	t->summed_ns = now;
	t->woken_ns = 0;
	__builtin_memset(&t->wait, 0, sizeof(t->wait));
	t->wait.state = t->state;
	t->wait.since_before = 1;
	wait__note_syscall(&t->wait, task);
	t->on_until_ns = 0;
	t->watched = 1;
}

/* Decides anew when the scope has changed. */
static __always_inline bool thread__watched(struct thread *t, struct task_struct *task, u64 now)
{
	u64 scope = task__scope_version(task);
	bool in;

	if (t->scope == scope)
		return t->watched;
	in = task__in_scope(task);
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

/* Adds the time since the last call to the present state; once more where another CPU did so at the same moment. */
static __always_inline u64 thread__account(struct thread *t, u64 now, struct sched_stats *st)
{
	for (int i = 0; i < 2; i++) {
		u64 begin_ns = t->accounted_ns;
		u32 state = t->state;

		if ((s64)(now - begin_ns) < 0) {
			st->backward += begin_ns - now > RACE_NS;
			return 0;
		}
		if (__sync_val_compare_and_swap(&t->accounted_ns, begin_ns, now) != begin_ns)
			continue;
		barrier_var(state); /* what the verifier of 6.1 learns of one copy on the stack it knows of no other */
		if (state < SCHED_STATES)
			__sync_fetch_and_add(&t->state_ns[state], now - begin_ns);
		return now - begin_ns;
	}
	return 0;
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

/* NULL: not wanted, or no memory, or not made yet. */
static __always_inline struct sched_hists *hists__of(struct task_struct *task)
{
	if (!(wanted & SCHED_WANT_TASKS))
		return NULL;
	return bpf_task_storage_get(&hists, task, 0, create_under_lock());
}

/* Where no lock is held; for the kernels whose threads cannot make them when they need them. */
static __always_inline void hists__make(struct task_struct *task)
{
	if ((wanted & SCHED_WANT_TASKS) && !create_under_lock())
		bpf_task_storage_get(&hists, task, 0, BPF_LOCAL_STORAGE_GET_F_CREATE);
}

/* A global function: its many paths are looked at once. */
__noinline u32 hist__slot(u64 ns)
{
	return hist__bucket(ns);
}

static __always_inline void hist__add(struct sched_hists *h, u32 kind, u64 ns)
{
	u32 i = hist__slot(ns);

	if (h && i < HIST_BUCKETS && kind < SCHED_HIST_KINDS)
		h->n[kind][i]++;
}

static __always_inline void report_switch(struct thread *t, u64 kstack, u64 now)
{
	struct sched_switch_record r = {
		.type = RECORD_SCHED_SWITCH,
		.tid = t->tid,
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
static __always_inline void thread__enter(struct thread *t, u32 state, u64 kstack, u64 now)
{
	t->state = state;
	t->since_ns = now;
	if (t->tid == watch_tid)
		report_switch(t, kstack, now);
}

/* Can only be had while it is the current task. */
static __always_inline u64 user_stack(struct task_struct *task, u64 now, struct sched_stats *st)
{
	u64 hash;

	if (!has_user_part(task) || unwind_by_tables == UNWIND_OFF)
		return 0;
	hash = stack__user(task, (void *)bpf_task_pt_regs(task), STACK_SLOT_TRACE, now);
	st->stacks_lost += !hash;
	return hash;
}

/* That of the current task. Global, as walks are much to verify. */
__noinline u64 own_user_stack(u64 now)
{
	struct sched_stats *st = stats__get();

	return st ? user_stack(bpf_get_current_task_btf(), now, st) : 0;
}

/* Where a thread is that loses its CPU, and in which state it will be. Stacks 0: not looked at, or nowhere. */
struct leaving {
	u64 kstack, ustack;
	u32 early; /* struct sched_wait */
	u32 state, dead;
};

/* Scratch: the programs' stack is for walks. */
PERCPU_MAP(leaving_scratch, 1, struct leaving);

/* Of the walk that was taken last: tables would have helped it. */
static __always_inline u32 user_stack_is_early(void)
{
	struct unwind_state *s = unwind__state(STACK_SLOT_TRACE);

	return s && s->why && !s->whole;
}

/* Where the present task is that is about to lose its CPU. */
static __always_inline u64 leaving_stack(void *ctx, u64 here, struct task_struct *task)
{
	return stack__running(ctx, here, false,
			      stack__key(task, STACK_KIND_RUNNING, task__syscall(task)),
			      STACK_SLOT_TRACE);
}

#endif
