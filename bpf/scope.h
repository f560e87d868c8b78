/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The scope as programs evaluate it; shared by kernel and user side. A change writes the
 * entries of a new generation, then switches the state word (one store), then deletes the
 * old entries: a program sees the old scope or the new one, never a mixture.
 */
#ifndef BPF_SCOPE_H
#define BPF_SCOPE_H

#include <linux/types.h>

/* Kinds in the order of scope/scope.h, then what only the kernel side has. */
enum scope_bpf_kind {
	SCOPE_BPF_PID,
	SCOPE_BPF_TID,
	SCOPE_BPF_CPU,
	SCOPE_BPF_CGROUP,
	SCOPE_BPF_FOLLOWED, /* children of included processes; belongs to no generation */
};

struct scope_bpf_key {
	__u32 generation; /* 0 for SCOPE_BPF_FOLLOWED */
	__u16 kind;
	__u16 exclude;
	__u64 id;
};

/* What to do with threads of a name; regular expressions cannot run in the kernel, so user
 * space judges each name once. A name not in the map passes. */
struct scope_bpf_comm {
	__u32 generation;
	char comm[16];
};

/* In the order of enum scope_level (scope/scope.h). */
enum scope_bpf_level {
	SCOPE_BPF_PRIO,
	SCOPE_BPF_POLICY,
	SCOPE_BPF_NR_RUNNING,
	SCOPE_BPF_IRQS_DISABLED,
	SCOPE_BPF_NEED_RESCHED,
	SCOPE_BPF_MODE,
	SCOPE_BPF_LEVELS,
};
#define SCOPE_BPF_LEVEL_WORDS 4 /* a power of two */
/* The last value of nr_running stands for more, too. */
#define SCOPE_BPF_RUNNING_MAX 63

/* A bit for each value that does not pass. */
struct scope_bpf_levels {
	__u64 left_out[SCOPE_BPF_LEVELS][SCOPE_BPF_LEVEL_WORDS];
};

/* The state word: generation << 32 | flags. */
#define SCOPE_BPF_HAS(kind, exclude) (1u << ((kind)*2 + (exclude)))
#define SCOPE_BPF_COMMS		     (1u << 16) /* look names up */
#define SCOPE_BPF_FOLLOW	     (1u << 17) /* follow the children of included processes */

#define SCOPE_BPF_SCHED		     (1u << 18) /* look at prio and policy */
#define SCOPE_BPF_MOMENT	     (1u << 19) /* look at the other levels, where programs can */

/* Values of an entry: a cgroup stands for those below it, or for itself alone. */
#define SCOPE_BPF_IN	1
#define SCOPE_BPF_ALONE 2

/* Levels of cgroups looked at, from the task's own upward. */
#define SCOPE_BPF_CGROUP_DEPTH 16

/* With what the figures of a source about itself begin: program runs, their time where it is measured,
 * and children that could not be followed. */
#define SOURCE_FIGURES __u64 runs, timed, run_ns, forks_lost

#endif
