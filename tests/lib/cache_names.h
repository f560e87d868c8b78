/* SPDX-License-Identifier: GPL-2.0-only */
/* What the counts of the page cache are called in JSON and in the table of columns. */
#ifndef TESTS_LIB_CACHE_NAMES_H
#define TESTS_LIB_CACHE_NAMES_H

#include "samples/cache.h"

static const char *const cache_count_names[CACHE_COUNTS] = {
	[CACHE_READ_HITS] = "read_hits",       [CACHE_READ_MISSES] = "read_misses",
	[CACHE_WRITE_HITS] = "write_hits",     [CACHE_WRITE_MISSES] = "write_misses",
	[CACHE_FAULT_HITS] = "fault_hits",     [CACHE_FAULT_MISSES] = "fault_misses",
	[CACHE_DIRTIED] = "dirtied",	       [CACHE_AHEAD_ADDED] = "readahead_added",
	[CACHE_AHEAD_USED] = "readahead_used", [CACHE_AHEAD_WASTED] = "readahead_wasted",
	[CACHE_OTHER_ADDED] = "other_added",   [CACHE_EVICTED] = "evicted",
	[CACHE_DROPPED] = "dropped",
};

#endif
