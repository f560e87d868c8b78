/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * CPU cache: references and misses of the last-level cache and of the TLB, by process and by
 * CPU; the model behind two panes of `cache`, apart from it as it needs counters of the CPU.
 * Takes the samples of samples/cpu_cache.h. Those that did least lately are summed up as their
 * CPU's "[others]", so that sums by CPU stay what they were.
 */
#ifndef MODELS_CPU_CACHE_H
#define MODELS_CPU_CACHE_H

#include "models/tally_model.h"
#include "samples/cpu_cache.h"

#define CPU_CACHE_MAX_ROWS 16384

extern const struct model_ops model_cpu_cache;
extern const struct tally_table cpu_cache_tables[CPU_CACHES];

/* What tallies count, of what one process did on one CPU. */
#define CPU_CACHE_COUNT(cache, count) ((cache) * CPU_CACHE_COUNTS + (count))
_Static_assert(CPU_CACHES * CPU_CACHE_COUNTS <= TALLY_COUNTS, "all counts have room");
_Static_assert(CPU_CACHE_NOBODY == TALLY_OTHERS, "nobody is no single process either");

/* Never NULL: before one came, nothing is known. */
const struct cpu_cache_state *cpu_cache__state(const struct snap *s, enum cpu_cache cache);
/* VALUE_PCT of the references; VALUE_NONE without any. Of few of them there may seem to be more
 * misses: then it is 0. */
struct value cpu_cache__hit_pct(const u64 *n);
/* Rows of CPUs are named by who misses most there: tally__query with columns that say so. */
struct tally_result *cpu_cache__query(const struct tally_snap *snap, const struct tally_query *q,
				      const struct scope *scope);

#endif
