/* SPDX-License-Identifier: GPL-2.0-only */
/* What the iterators of the bpf view write; shared by kernel and user side. */
#ifndef BPF_PROGS_H
#define BPF_PROGS_H

#include <linux/types.h>

/* What a descriptor of a process is. */
enum bpf_file_kind {
	BPF_FILE_PROG,
	BPF_FILE_LINK,
	BPF_FILE_PERF,	/* a perf event that runs a program */
	BPF_FILE_STATS, /* keeps run-time statistics on */
	BPF_FILE_KINDS,
};

#define BPF_EVENT_NAME 40

/* One descriptor. */
struct bpf_file {
	__u32 kind;
	__u32 prog; /* id of the program; 0 of BPF_FILE_STATS */
	__u32 tgid;
	__u32 event_type; /* of a perf event: as in perf_event_attr */
	__u64 event_config;
	__u64 cgroup; /* v2 id */
	char comm[16]; /* of the process */
	char event[BPF_EVENT_NAME]; /* of a perf event: its tracepoint or function; "" none */
};

/* How much is in a map, of those kinds that know. */
struct bpf_fill {
	__u32 id;
	__u32 pad;
	__u64 used; /* entries; of a ring buffer bytes that nobody has read */
};

#endif
