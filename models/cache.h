/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Cache: hits and misses of the page cache by process and file, where the misses come from, and
 * how the cache as a whole fares; the model behind `cache`. Takes the samples of samples/cache.h
 * and SAMPLE_STACK_DEF. Numbers are pages.
 *
 * Memory is bounded: CACHE_MAX_ROWS of process and file. What was done least with lately is
 * summed up as its process' "other files", and where processes are too many, as "[others]": sums
 * over rows stay what they were. CACHE_MAX_MISSES of process, file and stack lose, in that order,
 * stack, file and process. Queries are pure functions over a const snapshot.
 */
#ifndef MODELS_CACHE_H
#define MODELS_CACHE_H

#include "models/window_snap.h"
#include "samples/cache.h"
#include "scope/scope.h"
#include "models/profile.h" /* struct callstack, enum time_window */

#define CACHE_MAX_ROWS	 16384
#define CACHE_MAX_MISSES 16384
#define CACHE_STRIP	 512 /* intervals of the strip of hits and misses */
/* tgid of what was summed up across processes. */
#define CACHE_MERGED CACHE_OTHERS

struct model_ops;
extern const struct model_ops model_cache;

/* What one process did with one file. */
struct cache_use {
	u32 tgid, tid; /* tgid 0: nobody; CACHE_MERGED: several that were too many */
	bool kthread;
	u64 cgroup;
	char comm[COMM_LEN];
	u32 dev; /* 0: no file is known, or several that were too many */
	u64 inode;
	const char *path; /* "" not known; at most CACHE_PATH_LEN */
	u32 past;   /* not 0: another process has had the pid since; one number for each process */
	bool ended; /* the process has */
	u64 n[WINDOWS][CACHE_COUNTS];
};

/* Misses of one stack. */
struct cache_miss {
	u32 tgid, past; /* as in struct cache_use */
	u64 cgroup;
	u32 dev;
	u64 inode;
	const struct callstack *stack; /* NULL: not known */
	u64 misses[WINDOWS];
};

/* Of the machine over a window; all u64. */
struct cache_flow {
	u64 refaults, evicted;
	/* Evicted too, as the source saw page by page, of those in scope: also what /proc's
	 * counter leaves out, as what DAMON reclaims. */
	u64 taken_out;
	u64 ages[CACHE_AGES];
};

/* One interval, pages per second. */
struct cache_strip {
	float hits, misses;
};

struct cache_snap {
	WINDOW_SNAP; /* heat: one series, of ages */
	u32 nuses, nmisses, nstrip;
	const struct cache_use *uses;
	const struct cache_miss *misses;
	const struct cache_strip *strip;   /* oldest first */
	bool totals_known;		   /* false: the next three are 0 */
	struct cache_totals_sample totals; /* the newest one; its ages: in flow */
	struct cache_flow flow[WINDOWS];
};

/* --- numbers that follow from the counts --- */

u64 cache__hits(const u64 n[CACHE_COUNTS]);
u64 cache__misses(const u64 n[CACHE_COUNTS]);
u64 cache__added(const u64 n[CACHE_COUNTS]); /* pages that were put into the cache */
/* Of the two: VALUE_PCT, VALUE_NONE where both are 0. */
struct value cache__share(u64 part, u64 rest);
struct value cache__hit_pct(const u64 n[CACHE_COUNTS]);
struct value cache__read_hit_pct(const u64 n[CACHE_COUNTS]); /* reads and faults */
struct value cache__write_hit_pct(const u64 n[CACHE_COUNTS]);
/* Of the pages asked for: those that came from a disk for it, as misses or read ahead. */
struct value cache__disk_pct(const u64 n[CACHE_COUNTS]);

/* --- rows --- */

enum cache_group {
	CACHE_BY_PID,
	CACHE_BY_FILE,
	CACHE_BY_COMM,
	CACHE_BY_CGROUP,
	CACHE_BY_TOTAL, /* one row */
	CACHE_GROUPS
};
extern const char *const cache_group_names[CACHE_GROUPS]; /* as in --group */

/* What the columns are about. */
enum cache_show {
	CACHE_SHOW_HITS,  /* hit ratios and rates */
	CACHE_SHOW_KINDS, /* reads, writes and faults apart */
	CACHE_SHOW_AHEAD, /* what comes into the cache and leaves it */
	CACHE_SHOWS
};

/* A value; zero it first. */
struct cache_query {
	enum cache_group group;
	enum time_window window;
	enum cache_show show;
	bool by_pid; /* only this process' */
	u32 tgid;
	bool by_file; /* only of this file */
	u32 dev;
	u64 inode;
	bool leaf_first; /* stacks of misses: from where they came from, or from the root */
	u32 nunfolded;
	u64 unfolded[RESULT_MAX_UNFOLDED]; /* row keys whose stacks are wanted */
};

struct cache_row {
	u64 key;
	const char *name; /* what it is called */
	/* What names it: the member that misses most, of known files if there are some. The
	 * texts are its own. */
	const struct cache_use *use;
	const char *pid_text, *comm, *cgroup_name, *file;
	const char *dev_text; /* "8:1"; NULL of no file */
	u32 pid;	      /* 0: no single process */
	bool ended;	      /* by pid: it has */
	const char *cmdline;  /* by pid; NULL: not known */
	u64 n[CACHE_COUNTS], misses, hits, added_bytes;
	struct value miss_share, hit_pct, disk_pct, read_pct, write_pct, wasted_pct;
	bool has_stacks; /* of its misses */
};

struct cache_result {
	struct query_result
		base; /* rows by misses, then by hits, descending; trees: stacks of misses */
	struct cache_query query;
	u32 nrows;
	const struct cache_row *rows;
	u64 n[CACHE_COUNTS]; /* of all rows */
	struct value ages; /* a list of {lo_ns, hi_ns, count} */
	u64 page_bytes;
};

/* Never NULL; scope may be NULL (everything). */
struct cache_result *cache__query(const struct cache_snap *snap, const struct cache_query *q,
				  const struct scope *scope);
/* Where the i-th age begins; that of CACHE_AGES: UINT64_MAX. */
u64 cache__age_lo(u32 i);

#endif
