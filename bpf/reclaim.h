/* SPDX-License-Identifier: GPL-2.0-only */
/* Memory that is made free: words of labels and sums; shared by kernel and user side. */
#ifndef BPF_RECLAIM_H
#define BPF_RECLAIM_H

/* Kind | throttled << 8; kind | order << 8 | flags << 16; of an OOM kill the victim's pid. */
enum { RECLAIM_LABEL_KIND, RECLAIM_LABEL_WHY, RECLAIM_LABEL_VICTIM };

enum {
	RECLAIM_NO_KIND,
	RECLAIM_DIRECT,	    /* by who allocates, as the machine is short of memory */
	RECLAIM_CGROUP,	    /* by who allocates, at a limit of its control group */
	RECLAIM_KSWAPD,
	RECLAIM_COMPACTION,
	RECLAIM_OOM,	    /* a process is killed; it takes no time */
	RECLAIM_CGROUP_OOM,
	RECLAIM_KINDS
};

#define RECLAIM_THROTTLED_SHIFT 8 /* enum vmscan_throttle_state and one; 0: it was not */
#define RECLAIM_ORDER_SHIFT	8
#define RECLAIM_FLAGS_SHIFT	16

/* What an allocation may do, of its gfp flags; of compaction whether it waits for pages. */
#define RECLAIM_MOVABLE 1
#define RECLAIM_IO	2
#define RECLAIM_FS	4
#define RECLAIM_SYNC	8

/* The time throttled comes first, in pages the others. */
enum { RECLAIM_SUM_THROTTLED, RECLAIM_SUM_SCANNED, RECLAIM_SUM_RECLAIMED, RECLAIM_SUM_WRITTEN };
/* What user space reads of the machine: memory that can be had, what is in swap; since watching began, how often a thread
 * had to reclaim as the machine was short of memory, and how many processes were killed. */
enum { RECLAIM_LEVEL_AVAILABLE, RECLAIM_LEVEL_SWAPPED, RECLAIM_LEVEL_STALLS, RECLAIM_LEVEL_KILLS };

#endif
