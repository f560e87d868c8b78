/* SPDX-License-Identifier: GPL-2.0-only */
/* Strip: a load over time, one column a tick, newest at the right. Its owner's thread only. */
#ifndef WIDGETS_STRIP_H
#define WIDGETS_STRIP_H

#include "widgets/cells.h"

#define STRIP_LEN 512

struct strip {
	float v[STRIP_LEN]; /* ring */
	u32 next, n;
};

/* Zero-initialized is empty. A NaN is a gap (an interval without a value). */
void strip__push(struct strip *s, float value);
/* Fills r with columns as high as value/max (max <= 0: the greatest one shown); columns of
 * `warn` and more are ROLE_WARM, of `hot` and more ROLE_HOT, the rest ROLE_COOL. */
void strip__draw(const struct strip *s, struct canvas *c, struct rect r, float max, float warn,
		 float hot);

#endif
