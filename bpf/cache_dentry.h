/* SPDX-License-Identifier: GPL-2.0-only */
/* What the program on the end of system calls (cache_dentry.bpf.c) counts; shared by kernel and
 * user side. */
#ifndef BPF_CACHE_DENTRY_H
#define BPF_CACHE_DENTRY_H

#include <linux/types.h>

#include "bpf/scope.h"

struct dentry_key {
	__u64 cgroup; /* v2 id */
	__u64 name;   /* hash of the thread's name while names are asked for; else 0 */
	__u32 tgid;
	__u32 pad;
};

/* Value of the maps names_a and names_b. */
struct dentry_sum {
	__u64 lookups, negative, last_ns;
	__u32 tid, cpu;
	char comm[16];
};

/* Per CPU, since the program was attached. */
struct dentry_stats {
	SOURCE_FIGURES;
	__u64 lookups;	     /* in scope */
	__u64 full;	     /* of those, in no row */
};

#define DENTRY_CALLS 1024 /* numbers of system calls are below */

#endif
