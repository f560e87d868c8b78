// SPDX-License-Identifier: GPL-2.0-only
#include "pipeline/schedule.h"

const u64 schedule_early_ns[SCHEDULE_EARLY] = {
	1 * NSEC_PER_MSEC,
	4 * NSEC_PER_MSEC,
	10 * NSEC_PER_MSEC,
	60 * NSEC_PER_MSEC,
	150 * NSEC_PER_MSEC,
	300 * NSEC_PER_MSEC,
};

void schedule__start(struct schedule *s, u64 base_ns, u64 interval_ns)
{
	s->base_ns = base_ns;
	s->interval_ns = interval_ns;
}

void schedule__hurry(struct schedule *s, u64 base_ns, bool at_once)
{
	s->early_base_ns = base_ns;
	s->early = at_once ? 0 : SCHEDULE_AT_ONCE;
}

/* Points of the grid after its base, up to and including t. */
static u64 grid_index(const struct schedule *s, u64 t)
{
	return t < s->base_ns ? 0 : (t - s->base_ns) / s->interval_ns;
}

static u64 next_early(const struct schedule *s)
{
	if (s->early >= SCHEDULE_EARLY)
		return SCHEDULE_NEVER;
	return s->early_base_ns + schedule_early_ns[s->early];
}

u64 schedule__next(const struct schedule *s, u64 ticked_ns)
{
	u64 grid;

	if (!s->interval_ns)
		return SCHEDULE_NEVER;
	grid = s->base_ns + (grid_index(s, ticked_ns) + 1) * s->interval_ns;
	return MIN(grid, next_early(s));
}

bool schedule__due(const struct schedule *s, u64 ticked_ns, u64 now_ns)
{
	return s->interval_ns && grid_index(s, now_ns) > grid_index(s, ticked_ns);
}

u64 schedule__missed(const struct schedule *s, u64 ticked_ns, u64 now_ns)
{
	u64 due = schedule__due(s, ticked_ns, now_ns)
			  ? grid_index(s, now_ns) - grid_index(s, ticked_ns)
			  : 0;

	return due ? due - 1 : 0;
}

bool schedule__take_early(struct schedule *s, u64 now_ns)
{
	bool due = false;

	for (; s->interval_ns && next_early(s) <= now_ns; s->early++)
		due = true;
	return due;
}
