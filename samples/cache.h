/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the source of the page cache hands out. A sample of samples/sample.h; the same rules hold.
 * All are sums over the interval since the source was last drained, in pages of the machine's
 * size, however large the folios are.
 *
 * An access is classified by what the task was doing. It is a hit when the page was in the
 * cache before the task asked for it, a miss when it had to be put there for it. What was put
 * there beside it, because it may be asked for later, is readahead: neither hit nor miss until
 * it is asked for, then a hit. So, of files that are only read, misses and pages read ahead
 * sum to the pages that were put into the cache.
 */
#ifndef SAMPLES_CACHE_H
#define SAMPLES_CACHE_H

#include "samples/sample.h"

#define CACHE_PATH_LEN 240

enum cache_count {
	CACHE_READ_HITS, /* read() and the like */
	CACHE_READ_MISSES,
	CACHE_WRITE_HITS, /* write() and the like; see cache_totals_sample.writes_seen */
	CACHE_WRITE_MISSES,
	CACHE_FAULT_HITS, /* first touches of mapped files: the CPU's later ones are not seen */
	CACHE_FAULT_MISSES,
	CACHE_DIRTIED,	    /* clean pages that became dirty */
	CACHE_AHEAD_ADDED,  /* read ahead */
	CACHE_AHEAD_USED,   /* of those: asked for at last, by anybody */
	CACHE_AHEAD_WASTED, /* of those: left the cache unused */
	CACHE_OTHER_ADDED,  /* put into the cache for none of these: file systems' own data ... */
	CACHE_EVICTED,	    /* taken out to make room for others */
	CACHE_DROPPED,	    /* taken out because truncated, invalidated, dropped */
	CACHE_COUNTS
};

/* The file's place. (dev, inode) tells files apart, the rest names it. */
struct cache_file {
	u32 dev;   /* dev_t as in samples/block.h; 0: no file (everything else of the process) */
	u64 inode; /* 0: the device itself (its buffers: directories, inode tables ...) */
	char path[CACHE_PATH_LEN]; /* from the root of its mount on; its end where it is too long
				    * (then "..." begins it); "" not known */
};

#define CACHE_OTHERS UINT32_MAX

/* What one process did with one file. SAMPLE_CACHE. */
struct cache_sample {
	struct sample head;
	u32 tgid, tid;	/* tid: one that did; tgid 0: nobody's, as when pages are evicted later;
			 * CACHE_OTHERS: several that were too many, comm "[others]" */
	bool kthread;
	u64 cgroup;	/* v2 id, 0 unknown */
	char comm[COMM_LEN];
	struct cache_file file;
	u64 n[CACHE_COUNTS];
	u64 t_ns;	/* of the last one */
};

/* Misses (of any kind) that agree in process, file and stack. SAMPLE_CACHE_MISS. They may be a
 * part of all, evenly picked: `misses` is weighted, so that sums are right on the whole. */
struct cache_miss_sample {
	struct sample head;
	u32 tgid;
	u64 cgroup;
	u32 dev;
	u64 inode;
	u64 stack; /* stack_def.hash; 0 not known */
	u64 misses;
};

/* Ages of pages that were read ahead, when they were used first: by powers of two of a
 * microsecond; the first is below 1 us, the last has no upper end (17 minutes and more). */
#define CACHE_AGES 32

/* The whole machine, whatever the scope. SAMPLE_CACHE_TOTALS, one an interval. */
struct cache_totals_sample {
	struct sample head;
	u64 cached_bytes, buffers_bytes, dirty_bytes, writeback_bytes; /* now, /proc/meminfo */
	u64 refaults; /* pages read again soon after they were evicted; /proc/vmstat */
	u64 evicted;  /* file pages reclaimed, as the kernel counts them; /proc/vmstat pgsteal */
	bool writes_seen; /* every written page is counted; else on file systems of which
			   * `blind` names the types only those that became dirty */
	char blind[64];
	const u32 *ages;  /* CACHE_AGES, pages; of those in scope */
};

#endif
