/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Points in time as people write them: -90s, -4m (before the end), +10s (after the beginning),
 * 14:05 or 14:05:33 (by the clock on the wall), start, end. Any thread.
 */
#ifndef BASE_TIMEPOINT_H
#define BASE_TIMEPOINT_H

#include <time.h>

#include "base/base.h"

/* The machine slept, which CLOCK_MONOTONIC leaves out. */
struct timespan_sleep {
	u64 t_ns;	/* when it was awake again */
	u64 slept_ns;	/* in all, since the beginning of the span */
};

/* A stretch of CLOCK_MONOTONIC, and what the time was at its beginning. */
struct timespan {
	u64 begin_ns, end_ns;
	time_t begin_wall; /* 0: not known, and no time of day can be told */
	u32 nsleeps;
	const struct timespan_sleep *sleeps; /* in their order; borrowed */
};

#define TIMEPOINT_TAKES "a time such as -90s, -4m, +10s, 14:05:33, start or end"

/* False: it is none. What is out of the span becomes its nearer end. A time of day is the last one
 * that is not after the end. */
bool timepoint__parse(const char *text, const struct timespan *span, u64 *ns);
/* "14:05:33", or since the beginning when the time of day is not known: "1:12". */
void timepoint__format(char *buf, size_t size, const struct timespan *span, u64 ns);

#endif
