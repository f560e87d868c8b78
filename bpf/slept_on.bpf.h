/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Who slept all the time since the last round of an iterator, by the scheduler's own fields: on a large
 * machine most threads do, and need no look at what is kept of them.
 */
#ifndef BPF_SLEPT_ON_BPF_H
#define BPF_SLEPT_ON_BPF_H

#include "bpf/kernel.bpf.h"

/* Clocks of CPUs may differ by as much. */
#define ROUND_MARGIN_NS 5000000

/* When a thread left its CPU none of these fields says. So whoever the last round met on one is marked, by
 * thread id: two may share a slot, and rounds their number, which costs a look more. */
#define ON_CPU_SLOTS 16384
u8 on_cpu_in[ON_CPU_SLOTS] = {};

/* clock: what to add to the scheduler's for ours; 0: not known yet. To be asked of each thread in each round. */
static __always_inline bool slept_on(struct task_struct *task, u64 clock, u64 last_round_ns, u64 round)
{
	u8 *on = &on_cpu_in[task->pid & (ON_CPU_SLOTS - 1)];
	u64 arrived;

	if (task->on_cpu) {
		*on = (u8)round;
		return false;
	}
	if (!clock || !bpf_core_field_exists(task->sched_info.last_arrival))
		return false;
	arrived = task->sched_info.last_arrival;
	return arrived && arrived + clock + ROUND_MARGIN_NS <= last_round_ns && *on != (u8)(round - 1) &&
	       task__state(task) && !task->sched_info.last_queued;
}

#endif
