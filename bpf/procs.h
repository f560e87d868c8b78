/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the programs of processes (procs.bpf.c) report of each thread; shared by kernel and user
 * side. start_ns is CLOCK_BOOTTIME, as /proc/PID/stat has it in ticks.
 */
#ifndef BPF_PROCS_H
#define BPF_PROCS_H

#include <linux/types.h>

#include "bpf/scope.h"

/* Where wall time goes; every nanosecond of a thread's life is in one of them. */
enum procs_part {
	PROCS_USER,
	PROCS_SYSTEM,
	PROCS_RUNQ,  /* could run, has no CPU */
	PROCS_DISK,  /* waits for I/O */
	PROCS_LOCK,  /* in a futex that is a lock, or in a lock of the kernel's */
	PROCS_WAIT,  /* other waits: for data, a child, memory */
	PROCS_SLEEP, /* a timer, a set of descriptors, a signal; kernel threads without work */
	PROCS_PARTS
};

/* What a thread did since it was last reported. */
struct procs_sums {
	__u64 part_ns[PROCS_PARTS];
	__u64 minor_faults, major_faults;
	__u64 read_bytes, write_bytes; /* from and to storage, as in /proc/PID/io */
};

#define PROCS_KTHREAD 0x01
#define PROCS_ZOMBIE  0x02
#define PROCS_HAS_RSS 0x04
#define PROCS_HAS_FDS 0x08
#define PROCS_HAS_IO  0x10

struct procs_record {
	__u64 start_ns, cgroup;
	__u64 process_ns; /* when its process began: its first thread's start_ns */
	__u64 rss_pages;
	struct procs_sums sums;
	__u32 tgid, tid, ppid, uid;
	__u32 fds, nthreads;
	__u32 cpu, policy;
	__s32 nice;
	__u32 rt_priority;
	__u32 execs; /* another number after each execve */
	__u32 flags;
	__u8 state; /* letter, as in /proc/PID/stat */
	__u8 rest;  /* enum procs_part: where its time goes as long as it does not move */
	__u8 pad[6];
	char comm[16];
};

/* Those that ended since the last drain. */
enum procs_end {
	PROCS_END_ONE,	   /* one thread that was reported before: id and start are its own */
	PROCS_END_PROCESS, /* processes that were not: id is who started them, comm theirs */
	PROCS_END_THREAD,  /* threads that were not, of a process that was: id and start are its */
	PROCS_END_REST,	   /* there was no room to tell them apart */
};

struct procs_end_key {
	__u32 kind, id;
	__u64 start_ns;
	char comm[16];
};

struct procs_end_sum {
	struct procs_sums sums;
	__u64 count;
	__u64 cgroup, start_ns, process_ns; /* of one of them */
	__u64 life_ns;			    /* PROCS_END_ONE: how long it was */
	__u32 tgid, uid, ppid, flags;
	char parent_comm[16];
};

#define PROCS_ENDS  8192
#define PROCS_CALLS 512

struct procs_stats {
	SOURCE_FIGURES;
	__u64 switches;
	__u64 visited, reported; /* by the iterator */
	__u64 ends_full;	 /* no room: summed up in PROCS_END_REST, or lost */
	__u64 tasks_full;	 /* threads without memory for their storage */
	__u64 since_ns, tid;	 /* the CPU's last switch, and to whom */
};

#endif
