/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the page cache's programs (cache.bpf.c) count and send; shared by kernel and user side.
 * Times are bpf_ktime_get_ns(), CLOCK_MONOTONIC. Devices are the kernel's dev_t: 12 bits of
 * major, 20 of minor. Pages are of the machine's size.
 */
#ifndef BPF_CACHE_H
#define BPF_CACHE_H

#include <linux/types.h>

#include "bpf/scope.h"

/* In the order of enum cache_count in samples/cache.h, which says what each one is. */
enum cache_number {
	CACHE_N_READ_HITS,
	CACHE_N_READ_MISSES,
	CACHE_N_WRITE_HITS,
	CACHE_N_WRITE_MISSES,
	CACHE_N_FAULT_HITS,
	CACHE_N_FAULT_MISSES,
	CACHE_N_DIRTIED,
	CACHE_N_AHEAD_ADDED,
	CACHE_N_AHEAD_USED,
	CACHE_N_AHEAD_WASTED,
	CACHE_N_OTHER_ADDED,
	CACHE_N_EVICTED,
	CACHE_N_DROPPED,
	CACHE_NUMBERS
};

struct cache_key {
	__u64 inode;  /* 0: the device itself */
	__u64 cgroup; /* v2 id */
	__u64 name;   /* hash of the thread's name while names are asked for; else 0 */
	__u32 dev;
	__u32 tgid; /* 0: nobody's */
};

/* Value of the maps sums_a and sums_b, and of those for what is too many. */
struct cache_sum {
	__s64 n[CACHE_NUMBERS]; /* hits may be below 0 by what the interval before had too many:
				 * of a long read that went on when it ended */
	__u64 last_ns;
	__u32 tid, cpu, kthread;
	__u32 pad;
	char comm[16];
};

/*
 * Reads of pages that are there, of one thread from one file on one CPU, in one interval: so
 * often that they are counted apart, in a place that needs no looking up. The per-CPU map `slots`
 * has two elements, which take turns as the maps do.
 */
struct cache_slot {
	__u64 scope;	       /* what was decided about the thread; 0: free */
	__u64 start;	       /* the thread's start_time, and how often it has changed CPUs and */
	__u64 moves;	       /* programs: it may have put pages there meanwhile, or is not who it was */
	__u64 mapping, number; /* the file, where in memory, and i_ino */
	__u64 token;	       /* of the last read, as in cache_state.bpf.h */
	__u64 first, last;     /* and its pages */
	__u64 hits;
	struct cache_key key;
	__u32 tid, kthread;
	char comm[16];
};

#define CACHE_SLOTS 64 /* a power of two */

struct cache_slots {
	struct cache_slot v[CACHE_SLOTS];
};

struct cache_file_key {
	__u64 inode;
	__u64 dev;
};

#define CACHE_TEXT_LEN 240

/* Where a file is; value of the map files. The text ends where the array does. */
struct cache_file_name {
	__u64 t_ns;
	__u32 start; /* of the text; CACHE_TEXT_LEN: not known */
	__u32 cut;   /* its beginning is missing */
	char text[CACHE_TEXT_LEN];
};

/* Misses whose stack was taken; value of the maps misses_a and misses_b: how many. */
struct cache_miss_key {
	__u64 inode, cgroup, stack, name;
	__u32 dev, tgid;
};

/* Who a row of misses belongs to, for filters by name. */
struct cache_miss_sum {
	__u64 misses, last_ns;
	__u32 tid, cpu;
	char comm[16];
};

#define CACHE_AGE_BUCKETS 32 /* as CACHE_AGES of samples/cache.h */

/* Pages of a file that were read ahead and not used yet: 64 of them. Value of the map ahead,
 * keyed by struct cache_block_key. */
struct cache_block_key {
	__u64 number; /* i_ino */
	__u64 dev;
	__u64 block; /* index of the first page / 64 */
};

struct cache_block {
	__u64 pages; /* a bit each */
	__u64 t_ns;
	struct cache_key whose; /* who read ahead last */
	__u32 tid;
	__u32 kthread;
	char comm[16];
};

/* Sums of ahead blocks' pages, by a hash of their inode's number: 0 means that a read has nothing
 * to look for. */
#define CACHE_AHEAD_SLOTS_LOG 12
#define CACHE_AHEAD_SLOTS     (1u << CACHE_AHEAD_SLOTS_LOG)

/* Per CPU, since the programs were attached. */
struct cache_stats {
	SOURCE_FIGURES;
	__u64 events;	     /* looked at on the slow way, in scope */
	__u64 fast;	     /* reads of a page that is there */
	__u64 fast_timed, fast_ns;
	__u64 sums_full;    /* pages that are in no file's row: in their process', or in all others' */
	__u64 misses_full;  /* misses that are in no row of stacks */
	__u64 tasks_full;   /* events of threads whose state could not be kept */
	__u64 ahead_full;   /* pages read ahead that are not followed */
	__u64 files_full;   /* files whose path could not be kept */
	__u64 pending_full; /* pages whose reason was taken for what the system call says */
	__u64 misses;	    /* of all kinds, in scope */
	__u64 gathered;	    /* misses since the last stack was taken */
	__u64 ages[CACHE_AGE_BUCKETS];
};

#endif
