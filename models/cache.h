/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Cache: hits and misses of the page cache by process and file, where the misses come from, and
 * how the cache as a whole fares; the model behind `cache`. Takes the samples of samples/cache.h
 * and SAMPLE_STACK_DEF. Numbers are pages.
 *
 * Its rows are those of a measure (models/measure.h), which counts misses and has all counts as its
 * sums; it bounds memory and answers queries. Of what is too much files are joined as their process'
 * "other files", then processes as "[others]".
 */
#ifndef MODELS_CACHE_H
#define MODELS_CACHE_H

#include "models/measure.h"
#include "samples/cache.h"

#define CACHE_STRIP 512 /* intervals of the strip of hits and misses */

struct model_ops;
extern const struct model_ops model_cache;

/* Labels of measure_cache. */
enum cache_label { CACHE_FILE, CACHE_DEV, CACHE_PID, CACHE_COMM, CACHE_CGROUP, CACHE_ALL, CACHE_LABELS };
/* sums: by enum cache_count. */
extern const struct measure measure_cache;

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

/* Beside the rows: struct measure_snap.own. Its heat: one series, of ages. */
struct cache_snap {
	u32 nstrip;
	const struct cache_strip *strip;   /* oldest first */
	bool totals_known;		   /* false: the next two are 0 */
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
/* Where the i-th age begins; that of CACHE_AGES: UINT64_MAX. */
u64 cache__age_lo(u32 i);

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
	struct measure_query rows; /* first; its grouping is what `group` says */
	enum cache_group group;
	enum cache_show show;
};

static inline bool cache_query__is_of_file(const struct cache_query *q)
{
	return q->rows.narrow.hashes[CACHE_FILE];
}

struct cache_row {
	u64 key;
	const struct measure_row *of;
	const struct measure_who *who; /* see cache_row.comm */
	const char *name;	       /* what it is called */
	/* Of the member that names it. */
	const char *pid_text, *comm, *cgroup_name, *file;
	const char *dev_text; /* "8:1"; NULL of no file */
	u64 inode;
	u32 pid;	     /* 0: no single process */
	bool ended;	     /* by pid: it has */
	const char *cmdline; /* by pid; NULL: not known */
	const u64 *n;	     /* CACHE_COUNTS */
	u64 misses, hits, dirties, added_bytes;
	struct value miss_share, hit_pct, disk_pct, read_pct, write_pct, wasted_pct;
};

/* What cache__query() makes of an answer of measure__query(): its `own`. */
struct cache_result {
	const struct query_result *base; /* that answer */
	struct cache_query query;
	u32 nrows;
	const struct cache_row *rows; /* by misses, then by hits, descending; trees: stacks of misses */
	const u64 *n;		      /* CACHE_COUNTS, of all rows */
	struct value ages;	      /* a list of {lo_ns, hi_ns, count} */
	u64 page_bytes;
};

/* Never NULL; scope may be NULL (everything). */
struct measure_result *cache__query(const struct measure_snap *snap, const struct cache_query *q,
				    const struct scope *scope);

static inline const struct cache_result *cache_result__of(const struct query_result *a)
{
	return container_of(a, struct measure_result, base)->own;
}

static inline const struct cache_snap *cache__snap_of(const struct snap *s)
{
	return container_of(s, struct measure_snap, base)->own;
}

#endif
