/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Dividing what a CPU counted among those who ran there. In each interval, the count of each CPU
 * and event is dealt out in the proportion of the samples of that event on that CPU, to the last
 * one: the shares sum to what was counted, also where samples were lost, a counter was shared, or
 * a period began in the interval before. Where none was taken, the count is nobody's.
 *
 * Memory is bounded: CPU_CACHE_ROWS of CPU and task; further ones are nobody's. Collector thread
 * only.
 */
#ifndef SOURCES_CPU_CACHE_SUMS_H
#define SOURCES_CPU_CACHE_SUMS_H

#include "base/hidx.h"
#include "samples/cpu_cache.h"

#define CPU_CACHE_ROWS 32768
#define CPU_CACHE_CPUS 8192 /* numbers above are not counted */

struct cpu_cache_cpu {
	u64 counted[CPU_CACHES][CPU_CACHE_COUNTS];
	u64 weight[CPU_CACHES][CPU_CACHE_COUNTS]; /* of its rows */
	u64 passed[CPU_CACHES][CPU_CACHE_COUNTS]; /* of those dealt to already */
};

struct cpu_cache_sums {
	struct cpu_cache_sample *rows; /* n: weights until they are flushed */
	u32 nrows, cap;
	struct hidx index;
	struct cpu_cache_cpu *cpus; /* by number */
	u32 ncpus;
	u64 full; /* samples for which there was no row */
};

/* Who was sampled. */
struct cpu_cache_who {
	u32 cpu, tgid, tid;
	u64 cgroup;
	const char *comm;
};

/* weight: the sample's period. */
void cpu_cache_sums__sample(struct cpu_cache_sums *s, enum cpu_cache cache,
			    enum cpu_cache_count what, const struct cpu_cache_who *who, u64 weight);
void cpu_cache_sums__counted(struct cpu_cache_sums *s, enum cpu_cache cache,
			     enum cpu_cache_count what, u32 cpu, u64 n);
/* Hands out each task's share, and begins anew. */
void cpu_cache_sums__flush(struct cpu_cache_sums *s,
			   void (*each)(void *ctx, const struct cpu_cache_sample *row), void *ctx);
void cpu_cache_sums__fini(struct cpu_cache_sums *s);

#endif
