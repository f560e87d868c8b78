/* SPDX-License-Identifier: GPL-2.0-only */
/* The CPU's own caches as counters, for those that count other events in their place (tests). */
#ifndef SOURCES_COUNTERS_H
#define SOURCES_COUNTERS_H

#include "sources/measure.h"

/* References and misses of one cache, by the names of events (borrowed). */
struct hwcache_events {
	u32 cache; /* HWCACHE_x */
	const char *names[2];
};

/* For struct measure_hooks.begin: of each cache the first pair that opens. Freed by hwcache_hooks.end. */
void *hwcache__begin_with(const struct measure *m, const struct hwcache_events *events, u32 n);

#endif
