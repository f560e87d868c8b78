/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Whether something that is held grows: low-water marks of its size, of a few spans of equal length that make up
 * all of the time it was watched, and a judgement of them. Pure; no locks.
 */
#ifndef MODELS_GROWTH_H
#define MODELS_GROWTH_H

#include "base/base.h"

#define GROWTH_POINTS 16
#define GROWTH_SURE   95 /* percent: from here on it is said */

/* When spans end, for all series together. Zero-initialized: from the next interval on. */
struct growth_clock {
	u32 n; /* marks that are there */
	u64 begin_ns, step_ns; /* when the first span begins; how long one is at least */
	u64 ends_ns[GROWTH_POINTS]; /* when each ends: intervals may be longer than the first was */
};

/* What an interval's end does to each series; in this order. */
struct growth_step {
	bool halve; /* two marks become one */
	bool add;   /* the span ends: mark `at` */
	u32 at;
};

/* Zero-initialized: nothing was held so far. Where the clock has no mark yet, least is INFINITY. */
struct growth_series {
	float least, most; /* since the last span ended */
	float marks[GROWTH_POINTS], peaks[GROWTH_POINTS]; /* the least and the most of each span */
	float acquired[GROWTH_POINTS]; /* at the end of each span, since watching began */
};

/* Ends the interval [t0, t1): the first spans are as long, and as soon as there are GROWTH_POINTS, two become one. */
struct growth_step growth_clock__tick(struct growth_clock *c, u64 t0_ns, u64 t1_ns);
/* acquired: all since watching began. */
void growth_series__advance(struct growth_series *g, const struct growth_step *s, float value, float acquired);
void growth_series__merge(struct growth_series *to, const struct growth_series *from);

struct growth {
	u32 sure_pct;	 /* that it grows: 0 to 99 */
	double per_min;	 /* slope of the marks since from_ns */
	u32 from;	 /* the mark from which on it does */
	u64 from_ns;	 /* when that was */
	double kept_pct; /* of what was acquired since then: what is still there */
};

/*
 * The test of Mann and Kendall (H. B. Mann, Econometrica 13, 1945): of all pairs of marks, how many rise and how
 * many fall, against what chance would do. It knows nothing of the shape of growth, and a single peak does
 * not matter. What goes up and down again is no growth: the least of the last third has to be above
 * the most of the first. Nor is what fills up, as a cache, or a table that takes the place of what was there before.
 * Nor is a step or two, such as a table that was allocated: four of the marks have to
 * rise. Nor is less than what comes and goes within a span: where garbage is collected, how low a mark is depends on
 * when. What grows for less than half a minute may be a cycle: nothing is said.
 */
struct growth growth__judge(const struct growth_series *g, const struct growth_clock *c);

#endif
