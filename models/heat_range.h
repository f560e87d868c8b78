/* SPDX-License-Identifier: GPL-2.0-only */
/* What a cell of a heat map stands for: when something ended, and how long it took. */
#ifndef MODELS_HEAT_RANGE_H
#define MODELS_HEAT_RANGE_H

#include "base/base.h"

/* [t0, t1) and [lo, hi). All 0: everything. */
struct heat_range {
	u64 t0_ns, t1_ns, lo_ns, hi_ns;
};

static inline bool heat_range__is_set(const struct heat_range *r)
{
	return r->t1_ns != 0;
}

static inline bool heat_range__has(const struct heat_range *r, u64 end_ns, u64 ns)
{
	return !heat_range__is_set(r) ||
	       (end_ns >= r->t0_ns && end_ns < r->t1_ns && ns >= r->lo_ns && ns < r->hi_ns);
}

#endif
