/* SPDX-License-Identifier: GPL-2.0-only */
/* The on-CPU sampler's maps; shared by kernel and user side. */
#ifndef BPF_CPU_H
#define BPF_CPU_H

#include <linux/types.h>

#include "bpf/scope.h"

struct cpu_key {
	__u64 stack;  /* stack_record.hash, 0 none */
	__u64 cgroup; /* cgroup v2 id */
	__u64 start_ns; /* of the process: ids are used again */
	__u32 tgid, tid, cpu;
	__u32 exec_id; /* an exec never shares an entry with what ran before */
};

struct cpu_count {
	__u64 count;
	__u64 weight; /* sum of the sample periods */
	__u64 first_ns, last_ns;
	char comm[16], process[16]; /* the thread's and its main thread's, at the first sample */
};

/* Per CPU, since the program was loaded. */
struct cpu_stats {
	SOURCE_FIGURES;
	__u64 samples;	   /* runs that were in scope: counted, or lost to map_full */
	__u64 map_full;	   /* samples lost because their map entry could not be made */
	__u64 stacks_lost; /* samples counted without the frames they had */
	__u64 tasks_lost;  /* new processes not announced: no room */
};

#endif
