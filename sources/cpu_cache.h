/* SPDX-License-Identifier: GPL-2.0-only */
/* References and misses of the CPU's own caches. Tests put other events in their place. */
#ifndef SOURCES_CPU_CACHE_H
#define SOURCES_CPU_CACHE_H

#include <linux/perf_event.h>

#include "samples/cpu_cache.h"
#include "sources/source.h"

extern const struct source_ops source_cpu_cache;

/* Two events as -e takes them; of those of a cache, the first that open serve. */
struct cpu_cache_events {
	enum cpu_cache cache;
	const char *names[CPU_CACHE_COUNTS];
	u32 periods[CPU_CACHE_COUNTS]; /* one sample every so many */
};

struct source *cpu_cache__open_events(const struct cpu_cache_events *events, u32 n,
				      const struct scope *scope, struct status *st);

/* Without events: records and counts are fed by hand. *fields: the sample_type of the records. */
struct source *cpu_cache__open_fake(const struct scope *scope, u64 *fields);
void cpu_cache__feed(struct source *s, enum cpu_cache cache, enum cpu_cache_count what,
		     const struct perf_event_header *h, size_t avail);
/* As read from the counter: sums since it was opened. */
void cpu_cache__feed_count(struct source *s, enum cpu_cache cache, enum cpu_cache_count what,
			   u32 cpu, u64 n, u64 enabled, u64 running);

#endif
