/* SPDX-License-Identifier: GPL-2.0-only */
/* The page cache of the whole machine, as /proc has it. Collector thread only. */
#ifndef SOURCES_CACHE_TOTALS_H
#define SOURCES_CACHE_TOTALS_H

#include "samples/cache.h"

struct cache_totals {
	u64 refaults, evicted; /* of the last call */
	bool begun;
};

/* Fills what /proc/meminfo and /proc/vmstat tell; differences are 0 at the first call. */
void cache_totals__read(struct cache_totals *t, struct cache_totals_sample *out);

/* Types of mounted file systems with storage that are not among `seen` (NULL-terminated), a
 * space between them, into `out`, cut where it is full. mountinfo: text of
 * /proc/self/mountinfo. */
void cache_totals__blind(const char *mountinfo, const char *const *seen, char *out, size_t size);

#endif
