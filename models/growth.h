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
	u32 n; /* marks that are there; the first ends at first_ns */
	u64 first_ns, step_ns;
};

/* What an interval's end does to each series; in this order. */
struct growth_step {
	bool halve; /* two marks become one */
	bool add;   /* the span ends: mark `at` */
	u32 at;
};

/* Zero-initialized: nothing was held so far. Where the clock has no mark yet, least is INFINITY. */
struct growth_series {
	float least; /* since the last span ended */
	float marks[GROWTH_POINTS];
};

/* Ends the interval [t0, t1): the first spans are as long, and as soon as there are GROWTH_POINTS, two become one. */
struct growth_step growth_clock__tick(struct growth_clock *c, u64 t0_ns, u64 t1_ns);
void growth_series__advance(struct growth_series *g, const struct growth_step *s, float value);
void growth_series__merge(struct growth_series *to, const struct growth_series *from);

struct growth {
	u32 sure_pct;	 /* that it grows: 0 to 99 */
	double per_min;	 /* slope of the marks since from_ns */
	u64 from_ns;	 /* when it began to */
};

/*
 * The test of Mann and Kendall (H. B. Mann, Econometrica 13, 1945): of all pairs of marks, how many rise and how
 * many fall, against what chance would do. It knows nothing of the shape of growth, and a single peak does
 * not matter. What goes up and down again is no growth: the least of the last third has to be above
 * the most of the first. Nor is a step or two, such as a table that was allocated: four of the marks have to
 * rise.
 */
struct growth growth__judge(const float marks[GROWTH_POINTS], const struct growth_clock *c);

#endif
