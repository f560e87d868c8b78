/* SPDX-License-Identifier: GPL-2.0-only */
#include "widgets/spark.h"

#include <math.h>

#include "base/utf8.h"

#define LOWER_BLOCK 0x2580 /* + 1..8: eighths from below */
#define FULL_BLOCK  0x2588 /* + 0..7: 8 - n eighths from the left */

static void put_char(struct canvas *c, int x, int y, enum role role, u32 ch)
{
	char text[5] = "";

	utf8__encode(ch, text);
	draw__text(c, x, y, 1, role, text);
}

static float greatest(const float *v, u32 n)
{
	float max = 0;

	for (u32 i = 0; i < n; i++)
		if (v[i] > max)
			max = v[i];
	return max;
}

void spark__draw(struct canvas *c, int x, int y, int w, enum role role, const float *v, u32 n,
		 float max)
{
	u32 shown = MIN(n, (u32)MAX(w, 0));

	v += n - shown;
	x += w - (int)shown;
	if (!(max > 0))
		max = greatest(v, shown);
	for (u32 i = 0; i < shown; i++) {
		double part = max > 0 && v[i] > 0 ? (double)v[i] / (double)max : 0;

		if (isnan(v[i]) || v[i] < 0)
			continue;
		/* Nothing at all is a dot, so that a gap and a zero can be distinguished. */
		if (part <= 0)
			put_char(c, x + (int)i, y, ROLE_DIM, 0x00b7);
		else
			put_char(c, x + (int)i, y, role,
				 LOWER_BLOCK + (u32)CLAMP(ceil(part * 8), 1, 8));
	}
}

void bar__draw(struct canvas *c, int x, int y, int w, enum role role, double fraction)
{
	int eighths;

	if (w <= 0 || !(fraction > 0))
		return;
	eighths = (int)(MIN(fraction, 1.0) * w * 8 + 0.5);
	/* A character has no eighths: whole cells, rounded. */
	if (c->ascii)
		eighths = (eighths + 4) / 8 * 8;
	for (; eighths > 0; eighths -= 8, x++)
		put_char(c, x, y, role, FULL_BLOCK + 8 - (u32)MIN(eighths, 8));
}
