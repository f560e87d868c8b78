/* SPDX-License-Identifier: GPL-2.0-only */
/* Sparklines and bars, to an eighth of a cell; in ascii mode to a whole one. Stateless. */
#ifndef WIDGETS_SPARK_H
#define WIDGETS_SPARK_H

#include "widgets/cells.h"

/* v[0..n), oldest first, the newest at the right edge of w cells; what does not fit is left
 * out at the left, what is missing stays blank. Scaled so that max fills a cell; max <= 0:
 * by the greatest value. NaN and negative values are gaps. A value above 0 always shows. */
void spark__draw(struct canvas *c, int x, int y, int w, enum role role, const float *v, u32 n,
		 float max);

/* A bar from the left over fraction (0..1) of w cells. Blank where there is none. */
void bar__draw(struct canvas *c, int x, int y, int w, enum role role, double fraction);

#endif
