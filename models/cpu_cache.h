/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * CPU cache: references and misses of the last-level cache and of the TLB, by process and by
 * CPU; the model behind two panes of `cache`, apart from it as it needs counters of the CPU.
 * Takes the samples of samples/cpu_cache.h.
 *
 * Memory is bounded: of CPU_CACHE_MAX_ROWS of CPU and process those that did least lately are
 * summed up as their CPU's "[others]", so that sums by CPU stay what they were. Queries are pure
 * functions over a const snapshot.
 */
#ifndef MODELS_CPU_CACHE_H
#define MODELS_CPU_CACHE_H

#include "models/answer.h"
#include "models/tallies.h"
#include "samples/cpu_cache.h"
#include "scope/scope.h"

#define CPU_CACHE_MAX_ROWS 16384

struct model_ops;
extern const struct model_ops model_cpu_cache;

/* What tallies count, of what one process did on one CPU. */
#define CPU_CACHE_COUNT(cache, count) ((cache) * CPU_CACHE_COUNTS + (count))
_Static_assert(CPU_CACHES * CPU_CACHE_COUNTS <= TALLY_COUNTS, "all counts have room");
_Static_assert(CPU_CACHE_NOBODY == TALLY_OTHERS, "nobody is no single process either");

struct cpu_cache_snap {
	struct snap base;
	u64 since_ns;
	u64 window_ns[WINDOWS];
	u32 nuses;
	const struct tally *uses;
	bool state_known;
	struct cpu_cache_state_sample state; /* the newest one */
};

/* A value; zero it first. */
struct cpu_cache_query {
	enum cpu_cache cache;
	enum tally_group group;
	enum profile_window window;
};

struct cpu_cache_answer {
	struct answer base; /* rows by misses, then by references, descending */
	struct cpu_cache_query query;
	u32 nrows;
	const struct tally_row *rows; /* counts as enum cpu_cache_count */
	u64 n[TALLY_COUNTS];	      /* of all rows */
	u64 window_ns;
	bool known; /* this cache's counters are there */
};

/* Never NULL; scope may be NULL (everything). */
struct cpu_cache_answer *cpu_cache__query(const struct cpu_cache_snap *snap,
					  const struct cpu_cache_query *q,
					  const struct scope *scope);
/* VALUE_PCT of the references; VALUE_NONE without any. Of few of them there may seem to be more
 * misses: then it is 0. */
struct value cpu_cache__hit_pct(const u64 *n);

#endif
