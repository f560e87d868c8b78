// SPDX-License-Identifier: GPL-2.0-only
/*
 * Who is on a CPU, waits for one or for a disk, or got one since the last visit: an iterator that user
 * space runs once an interval. By the scheduler's own fields, so nothing is hooked or kept.
 */
#include "bpf/kernel.bpf.h"

char LICENSE[] SEC("license") = "GPL";

volatile u64 since = 0; /* by the scheduler's clock */
volatile u64 began = 0; /* likewise: when the visitor got its CPU */

static __always_inline bool is_active(struct task_struct *task)
{
	u64 state = task__state(task);

	if (task->exit_state)
		return false;
	if (!state || (state & TASK_UNINTERRUPTIBLE && !(state & TASK_NOLOAD)))
		return true;
	return task->sched_info.last_arrival >= since;
}

SEC("iter/task")
int active_visit(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;
	u32 tgid;

	if (!task || !is_active(task))
		return 0;
	began = bpf_get_current_task_btf()->sched_info.last_arrival;
	tgid = task->tgid;
	bpf_seq_write(ctx->meta->seq, &tgid, sizeof(tgid));
	return 0;
}
