/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the source of processes hands out: each thread's share of the interval, and what its
 * process has. A sample of samples/sample.h; the same rules hold.
 *
 * Times of a thread are cut into parts without gaps (enum procs_part). Where there are very many
 * threads, one that goes on as it did (asleep, nothing else changed) comes in one interval of
 * some only: until its next sample all of its time is in `rest`.
 */
#ifndef SAMPLES_PROCS_H
#define SAMPLES_PROCS_H

#include "bpf/procs.h"
#include "samples/sample.h"

enum procs_event {
	PROCS_IS,      /* a thread's interval */
	PROCS_ENDED,   /* that of a thread that ended, its last */
	PROCS_SHORT,   /* processes that ended before they were seen, or had lived less than
			* PROCS_SHORT_NS: `starts` of them, of one starter and one name */
	PROCS_THREADS, /* threads of a process that ended before they were seen */
	PROCS_ALL,     /* nothing else: every thread that is there came since the last one */
	PROCS_NAMED,   /* cmdline of a process, nothing else */
	PROCS_ROUND,   /* nothing else: the others' sums are of start_ns, which may be longer than the
			* interval, as a busy machine looks late; not told: of the interval */
	PROCS_EVENTS
};

#define PROCS_SHORT_NS NSEC_PER_SEC

/* SAMPLE_PROCS. What is not known is 0, with no bit of PROCS_HAS_x in flags. */
struct procs_sample {
	struct sample head;
	enum procs_event event;
	u32 tgid, tid; /* PROCS_SHORT: 0 */
	u32 ppid;      /* PROCS_SHORT: who started them */
	u32 uid;
	u64 start_ns;	/* CLOCK_BOOTTIME; with the tid it tells threads apart. PROCS_ROUND: a time */
	u64 process_ns; /* that of its process; 0 of PROCS_SHORT */
	u64 cgroup;	/* v2 id, 0 unknown */
	char comm[COMM_LEN];
	char parent_comm[COMM_LEN]; /* PROCS_SHORT, else "" */
	const char *cmdline; /* printable, one line; "": none, or not known yet. Leaders alone */
	const char *user;    /* name, or the number */
	struct procs_sums sums;
	bool unsplit;  /* disk, lock and wait are not distinguished from sleep: they are 0 */
	bool is_short; /* PROCS_ENDED: it is in a PROCS_SHORT, too */
	u64 starts;
	/* As of its end: */
	u64 rss_bytes;
	u32 fds, nthreads, cpu, policy, rt_priority;
	s32 nice;
	u32 flags; /* PROCS_KTHREAD and so on */
	u32 state; /* letter, as in /proc/PID/stat */
	enum procs_part rest;
};

#endif
