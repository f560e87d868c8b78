/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Parts of a span's time: what the thread waited for a CPU, and what it was blocked. They are counted by
 * programs on the scheduler's events, which each includer has for its own storage, in the thread's
 * struct parts; a span has their differences.
 */
#ifndef BPF_PARTS_BPF_H
#define BPF_PARTS_BPF_H

#include "bpf/kernel.bpf.h"

enum thread_state { THREAD_RUNS, THREAD_WAITS_FOR_CPU, THREAD_BLOCKED, THREAD_BLOCKED_BY_DISK };

struct parts_ns {
	u64 runq, blocked, disk; /* disk: of blocked */
};

struct parts {
	struct parts_ns ns;
	u64 since_ns; /* of the state */
	u32 state;    /* enum thread_state */
	u32 pad;
};

static __always_inline void parts__end_state(struct parts *p, u64 now)
{
	u64 ns = now - p->since_ns;

	if (p->state == THREAD_WAITS_FOR_CPU)
		p->ns.runq += ns;
	else if (p->state)
		p->ns.blocked += ns;
	if (p->state == THREAD_BLOCKED_BY_DISK)
		p->ns.disk += ns;
	p->since_ns = now;
}

/* Of sched_switch: it leaves its CPU. */
static __always_inline void parts__leave(struct parts *p, struct task_struct *task, bool preempted)
{
	p->since_ns = bpf_ktime_get_ns();
	if (preempted || !task__state(task))
		p->state = THREAD_WAITS_FOR_CPU;
	else
		p->state = task__in_iowait(task) ? THREAD_BLOCKED_BY_DISK : THREAD_BLOCKED;
}

/* Of sched_switch: it gets one. */
static __always_inline void parts__arrive(struct parts *p)
{
	if (!p->state)
		return;
	parts__end_state(p, bpf_ktime_get_ns());
	p->state = THREAD_RUNS;
}

/* Of sched_wakeup. */
static __always_inline void parts__wake(struct parts *p)
{
	if (p->state < THREAD_BLOCKED)
		return;
	parts__end_state(p, bpf_ktime_get_ns());
	p->state = THREAD_WAITS_FOR_CPU;
}

static __always_inline struct parts_ns parts__since(const struct parts *p,
						    const struct parts_ns *at_begin)
{
	return (struct parts_ns){.runq = p->ns.runq - at_begin->runq,
				 .blocked = p->ns.blocked - at_begin->blocked,
				 .disk = p->ns.disk - at_begin->disk};
}

#endif
