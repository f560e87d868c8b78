/* SPDX-License-Identifier: GPL-2.0-only */
/* Whose threads are counted together. */
#ifndef BPF_CROWD_H
#define BPF_CROWD_H

#ifndef __bpf__
#include <linux/types.h>
#endif

enum crowd_kind {
	CROWD_PROCESS,	/* its own */
	CROWD_CHILDREN, /* of a process and of its children */
	CROWD_GROUP,	/* of a process group */
	CROWD_KINDS
};

#define CROWD_MAX 65536 /* processes, parents and groups that are counted */

struct crowd_top {
	__u32 pid; /* of a group: of one in it */
	__u32 threads;
};

#endif
