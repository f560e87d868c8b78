/* SPDX-License-Identifier: GPL-2.0-only */
/* What all shapes of measures have, kernel side: who is in scope, statistics, upkeep. */
#ifndef BPF_MEASURE_BASE_BPF_H
#define BPF_MEASURE_BASE_BPF_H

#include "bpf/kernel.bpf.h"
#include "bpf/measure.h"
#include "bpf/moment.bpf.h"
#define SOURCE_STATS measure_stats
#include "bpf/source.bpf.h"
#include "bpf/stack.bpf.h"

/* --- where and when --- */

/* What a measure's programs that count are on (bpf/moment.h). */
#ifndef MEASURE_MOMENT
#define MEASURE_MOMENT MOMENT_SAVED
#endif
#define IRQS_UNREAD 2
const volatile u32 measure_moment = MEASURE_MOMENT; /* for user space */
/* The first interval has not begun: what comes now is of none. Spans are too short then, by min_ns. */
volatile u32 held_off = 0;

/* A global function, as scope__judge(): whether the CPU and what goes on there pass. */
__noinline bool scope__here(u32 irqs_disabled, u32 mode)
{
	if (!scope__cpu(bpf_get_smp_processor_id()))
		return false;
	if (!((u32)scope_state & SCOPE_BPF_MOMENT))
		return true;
	if (irqs_disabled == IRQS_UNREAD)
		irqs_disabled = cpu__irqs_disabled();
	return scope__judge_moment(bpf_get_current_task(), irqs_disabled, mode);
}

/* Of an event of the current CPU, in the context of whoever does it. */
static __always_inline bool measure__moment_passes(void *ctx)
{
	u32 irqs = IRQS_UNREAD;

	if (!(u32)scope_state || MEASURE_MOMENT == MOMENT_JUDGED)
		return true;
	if (MEASURE_MOMENT != MOMENT_SAVED)
		irqs = moment__irqs_disabled(ctx, MEASURE_MOMENT);
	return scope__here(irqs, moment__mode(ctx, MEASURE_MOMENT));
}

static __always_inline bool measure__is_here(void *ctx)
{
	return !held_off && measure__moment_passes(ctx);
}

/* --- who --- */

static __always_inline void who__fill(struct measure_who *w, struct task_struct *task)
{
	w->start_ns = task->start_time;
	w->process_ns = BPF_CORE_READ(task, group_leader, start_time);
	w->tgid = task->tgid;
	w->tid = task->pid;
	w->kthread = (task->flags & PF_KTHREAD) != 0;
	w->cgroup = BPF_CORE_READ(task, cgroups, dfl_cgrp, kn, id);
	BPF_CORE_READ_STR_INTO(&w->comm, task, comm);
	BPF_CORE_READ_STR_INTO(&w->process, task, group_leader, comm);
}

#endif
