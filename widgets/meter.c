// SPDX-License-Identifier: GPL-2.0-only
#include "widgets/meter.h"

#include <math.h>

#define VISIBLE 0.005 /* less is nothing */

/* Where a part ends, rounded so that neighbours neither overlap nor leave gaps. */
static int end_of(double sum, int w)
{
	return (int)CLAMP(lround(sum * w), 0L, (long)w);
}

void meter__draw(struct canvas *c, int x, int y, int w, const struct meter_part *parts, u32 n)
{
	double sum = 0;
	int at = 0, end;

	for (u32 i = 0; i < n; i++) {
		double fraction = isfinite(parts[i].fraction) ? MAX(parts[i].fraction, 0.0) : 0;

		sum += fraction;
		end = end_of(sum, w);
		if (end == at && fraction >= VISIBLE)
			end = MIN(at + 1, w);
		draw__fill(c, (struct rect){x + at, y, end - at, 1}, parts[i].role,
			   c->ascii || c->colourless ? (wchar_t)parts[i].ascii : L'■');
		at = MAX(at, end);
	}
	draw__fill(c, (struct rect){x + at, y, w - at, 1}, ROLE_BORDER, c->ascii ? L'.' : L'·');
}

void meter__fill(struct canvas *c, int x, int y, int w, enum role gradient, double fraction)
{
	double part = isfinite(fraction) ? MAX(fraction, 0.0) : 0;
	int end = part >= VISIBLE ? MAX(end_of(part, w), 1) : 0;

	for (int i = 0; i < MIN(end, w); i++)
		draw__fill(c, (struct rect){x + i, y, 1, 1}, role__grade(gradient, (double)i / w),
			   c->ascii ? L'|' : L'■');
}

void meter__grade(struct canvas *c, int x, int y, int w, enum role gradient, double fraction)
{
	meter__draw(c, x, y, w, NULL, 0);
	meter__fill(c, x, y, w, gradient, fraction);
}
