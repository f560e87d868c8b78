// SPDX-License-Identifier: GPL-2.0-only
/* Which threads there are before anything is sampled, and which program each runs: user space does
 * not see that number. */
#include "bpf/kernel.bpf.h"
#include "bpf/unwind_tasks.h"

char LICENSE[] SEC("license") = "GPL";

SEC("iter/task")
int unwind_tasks(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;
	struct unwind_task t = {};

	if (!task || task->exit_state || !has_user_part(task))
		return 0;
	t.tgid = task->tgid;
	t.tid = task->pid;
	t.running = !task__state(task);
	t.cgroup = BPF_CORE_READ(task, cgroups, dfl_cgrp, kn, id);
	t.exec_id = BPF_CORE_READ(task, self_exec_id);
	BPF_CORE_READ_STR_INTO(&t.comm, task, comm);
	bpf_seq_write(ctx->meta->seq, &t, sizeof(t));
	return 0;
}
