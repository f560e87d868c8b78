/* SPDX-License-Identifier: GPL-2.0-only */
/* Pages that were read ahead and are never used stay in the map of them until they leave the
 * cache, which may be never. Collector thread only. */
#ifndef SOURCES_CACHE_SWEEP_H
#define SOURCES_CACHE_SWEEP_H

#include "base/base.h"
#include "bpf/cache.h"

struct cache_sweep {
	int fd;		     /* the map of blocks */
	volatile u32 *pages; /* the programs' sums of them, CACHE_AHEAD_SLOTS */
	u32 size;	     /* entries of the map */
	u32 ticks;
	double fill;
	u64 forgotten; /* pages, since the beginning */
};

/* How full the map is, in %, as of the last look: one in a few ticks. When that is much, the older
 * half of the time that it reaches back is forgotten. Blocks that change meanwhile may be counted
 * wrong by their pages. */
double cache_sweep__tick(struct cache_sweep *s);

#endif
