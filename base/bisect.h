/* SPDX-License-Identifier: GPL-2.0-only */
/* Binary search in whatever is sorted. */
#ifndef BASE_BISECT_H
#define BASE_BISECT_H

#include "base/base.h"

/* Sets `out` to the first position of [from, to) for which `before`, which is about the position
 * `pos`, is not true; `to` when it is true for all. It has to be true up to there and false from
 * there on. */
#define BISECT(out, from, to, pos, before)                                                         \
	do {                                                                                       \
		u32 lo_ = (from), hi_ = (to);                                                      \
		while (lo_ < hi_) {                                                                \
			u32 pos = lo_ + (hi_ - lo_) / 2;                                           \
			if (before)                                                                \
				lo_ = pos + 1;                                                     \
			else                                                                       \
				hi_ = pos;                                                         \
		}                                                                                  \
		(out) = lo_;                                                                       \
	} while (0)

#endif
