/* SPDX-License-Identifier: GPL-2.0-only */
#include "widgets/strip.h"

#include <math.h>

#include "widgets/text.h"

void strip__push(struct strip *s, float value)
{
	s->v[s->next] = value;
	s->next = (s->next + 1) % STRIP_LEN;
	s->n = MIN(s->n + 1, (u32)STRIP_LEN);
}

/* The value `back` steps before the newest; NaN where there is none. */
static float strip__at(const struct strip *s, u32 back)
{
	return back < s->n ? s->v[(s->next + STRIP_LEN - 1 - back) % STRIP_LEN] : NAN;
}

static float greatest_shown(const struct strip *s, u32 n)
{
	float max = 0;

	for (u32 i = 0; i < n; i++)
		if (strip__at(s, i) > max)
			max = strip__at(s, i);
	return max;
}

/* One column of eighths, from the bottom row of r upwards. */
static void draw_column(struct canvas *c, int x, struct rect r, enum role role, int eighths)
{
	for (int y = r.y + r.h - 1; y >= r.y && eighths > 0; y--, eighths -= 8) {
		char text[5] = "";

		utf8__encode(0x2580 + (u32)MIN(eighths, 8), text);
		draw__text(c, x, y, 1, role, text);
	}
}

void strip__draw(const struct strip *s, struct canvas *c, struct rect r, float max, float warn,
		 float hot)
{
	u32 n = (u32)MAX(r.w, 0);

	if (!(max > 0))
		max = greatest_shown(s, n);
	if (!(max > 0))
		max = 1;
	for (u32 i = 0; i < n; i++) {
		float v = strip__at(s, i);
		enum role role = v >= hot ? ROLE_HOT : v >= warn ? ROLE_WARM : ROLE_COOL;
		double part = (double)v / (double)max;

		/* The base line shows since when there are values. */
		if (v >= 0)
			draw_column(c, r.x + r.w - 1 - (int)i, r, role,
				    (int)CLAMP(ceil(part * r.h * 8), 1, r.h * 8));
	}
}
