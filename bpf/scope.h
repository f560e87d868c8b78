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

/* The state word: generation << 32 | flags. */
#define SCOPE_BPF_HAS(kind, exclude) (1u << ((kind)*2 + (exclude)))
#define SCOPE_BPF_COMMS		     (1u << 16) /* look names up */
#define SCOPE_BPF_FOLLOW	     (1u << 17) /* follow the children of included processes */

/* Values of an entry: a cgroup stands for those below it, or for itself alone. */
#define SCOPE_BPF_IN	1
#define SCOPE_BPF_ALONE 2

/* Levels of cgroups looked at, from the task's own upward. */
#define SCOPE_BPF_CGROUP_DEPTH 16

#endif
