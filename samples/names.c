// SPDX-License-Identifier: GPL-2.0-only
/* What counts and states are called. */
#include "samples/cache.h"
#include "samples/sched.h"

const char *const cache_count_names[CACHE_COUNTS] = {
	[CACHE_READ_HITS] = "read_hits",       [CACHE_READ_MISSES] = "read_misses",
	[CACHE_WRITE_HITS] = "write_hits",     [CACHE_WRITE_MISSES] = "write_misses",
	[CACHE_FAULT_HITS] = "fault_hits",     [CACHE_FAULT_MISSES] = "fault_misses",
	[CACHE_DIRTIED] = "dirtied",	       [CACHE_AHEAD_ADDED] = "readahead_added",
	[CACHE_AHEAD_USED] = "readahead_used", [CACHE_AHEAD_WASTED] = "readahead_wasted",
	[CACHE_OTHER_ADDED] = "other_added",   [CACHE_EVICTED] = "evicted",
	[CACHE_DROPPED] = "dropped",
};

const char *const task_state_names[TASK_STATES] = {
	[TASK_STATE_RUNNING] = "R", [TASK_STATE_RUNNABLE] = "RD", [TASK_STATE_SLEEP] = "S",
	[TASK_STATE_DISK] = "D",    [TASK_STATE_STOPPED] = "T",	  [TASK_STATE_TRACED] = "t",
	[TASK_STATE_IDLE] = "I",    [TASK_STATE_OTHER] = "other",
};
