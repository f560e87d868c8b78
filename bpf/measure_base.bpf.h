/* SPDX-License-Identifier: GPL-2.0-only */
/* What all shapes of measures have, kernel side: who is in scope, statistics, upkeep. */
#ifndef BPF_MEASURE_BASE_BPF_H
#define BPF_MEASURE_BASE_BPF_H

#include "bpf/kernel.bpf.h"
#include "bpf/measure.h"
#define SOURCE_STATS measure_stats
#include "bpf/source.bpf.h"
#include "bpf/stack.bpf.h"

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
