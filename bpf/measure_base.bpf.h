/* SPDX-License-Identifier: GPL-2.0-only */
/* What all shapes of measures have, kernel side: who is in scope, statistics, upkeep. */
#ifndef BPF_MEASURE_BASE_BPF_H
#define BPF_MEASURE_BASE_BPF_H

#include "bpf/kernel.bpf.h"
#include "bpf/measure.h"
#include "bpf/scope.bpf.h"
#include "bpf/stack.bpf.h"

volatile u32 thread_kinds = 0;	     /* 1: user threads only, 2: kernel threads only */
volatile u32 look_again = 0;	     /* the iterator decides anew who is in scope */

DEFINE_STATS(measure_stats)

/* --- who --- */

static __always_inline bool task__in_scope(struct task_struct *task)
{
	u32 kinds = thread_kinds;

	if (kinds && ((task->flags & PF_KTHREAD) ? kinds != 2 : kinds != 1))
		return false;
	return scope__task(task, task->tgid, task->pid);
}

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

/* --- upkeep --- */

static __always_inline u64 run__begin(struct measure_stats *st)
{
	st->runs++;
	return bpf_ktime_get_ns();
}

/* A look at the clock costs as much as many a run: one in 64 is timed. */
static __always_inline void run__end(struct measure_stats *st, u64 began)
{
	if (st->runs & 63)
		return;
	st->timed++;
	st->run_ns += bpf_ktime_get_ns() - began;
}

SEC("raw_tp/sched_process_fork")
int scope_fork(struct bpf_raw_tracepoint_args *ctx)
{
	struct measure_stats *st = stats__get();

	if (!scope__follow_fork((void *)ctx->args[0], (void *)ctx->args[1]) && st)
		st->forks_lost++;
	return 0;
}

SEC("raw_tp/sched_process_exit")
int scope_exit(struct bpf_raw_tracepoint_args *ctx)
{
	scope__follow_exit((void *)ctx->args[0]);
	return 0;
}

#endif
