/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * When intervals end: a grid of base + k x interval, so that a late tick delays nothing after
 * it and missed ones merge; and a few early ticks after something was opened, so that rows
 * show at once. Pure values, CLOCK_MONOTONIC nanoseconds.
 */
#ifndef PIPELINE_SCHEDULE_H
#define PIPELINE_SCHEDULE_H

#include "base/base.h"

#define SCHEDULE_NEVER UINT64_MAX

struct schedule {
	u64 base_ns, interval_ns; /* interval 0: stopped */
	u64 early_base_ns;
	u32 early; /* which early tick is next; SCHEDULE_EARLY when none is left */
};

/* Early ticks come so long after something was opened; the first ones only where they are worth it. */
#define SCHEDULE_AT_ONCE 3
#define SCHEDULE_EARLY	 6
extern const u64 schedule_early_ns[SCHEDULE_EARLY];

/* The grid begins anew at base. */
void schedule__start(struct schedule *s, u64 base_ns, u64 interval_ns);
/* Early ticks begin anew at base. at_once: the first ones, too: what is counted shows sooner than what is sampled. */
void schedule__hurry(struct schedule *s, u64 base_ns, bool at_once);
/* When the next tick of either kind is due, the last regular one having been made at `ticked`.
 * In the past when it is overdue, so however many were missed, one tick makes up for them.
 * SCHEDULE_NEVER: none. */
u64 schedule__next(const struct schedule *s, u64 ticked_ns);
/* Is a regular tick due at `now`? */
bool schedule__due(const struct schedule *s, u64 ticked_ns, u64 now_ns);
/* Regular ticks that were due after `ticked` and before the one that is made at `now`. */
u64 schedule__missed(const struct schedule *s, u64 ticked_ns, u64 now_ns);
/* Early ticks due at `now` are counted as made; returns whether there was one. */
bool schedule__take_early(struct schedule *s, u64 now_ns);

#endif
