/* SPDX-License-Identifier: GPL-2.0-only */
/* What bpf/unwind_tasks.bpf.c says of each thread; shared by kernel and user side. */
#ifndef BPF_UNWIND_TASKS_H
#define BPF_UNWIND_TASKS_H

#include <linux/types.h>

struct unwind_task {
	__u32 tgid, tid;
	__u32 running; /* or wants to */
	__u32 pad;
	__u64 cgroup;
	__u64 exec_id; /* as in struct unwind_process */
	char comm[16];
};

#endif
