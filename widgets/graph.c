// SPDX-License-Identifier: GPL-2.0-only
#include "widgets/graph.h"

#include <math.h>

#include "base/utf8.h"

#define BRAILLE	    0x2800
#define LOWER_BLOCK 0x2580 /* + 1..8: eighths from below */

static const struct style_size {
	u32 values, dots; /* of a cell: side by side, above each other */
} sizes[GRAPH_STYLES] = {
	[GRAPHS_BRAILLE] = {2, 4}, [GRAPHS_BLOCKS] = {1, 8}, [GRAPHS_ASCII] = {1, 3}};

/* A graph as it is drawn. */
struct scaled {
	const struct graph *g;
	enum graph_style style;
	u32 columns; /* of values, in the width */
	u32 wide;    /* columns of one value */
	double max;
	struct rect r;
};

/* Of a column from the right; NAN: there is none. */
static double value_at(const struct scaled *s, u32 from_right)
{
	u32 back = from_right / s->wide;

	if (back >= s->g->n || s->g->v[s->g->n - 1 - back] < 0)
		return NAN;
	return (double)s->g->v[s->g->n - 1 - back];
}

static double greatest(const struct scaled *s)
{
	double max = 0;

	for (u32 i = 0; i < s->columns; i++)
		max = fmax(max, value_at(s, i));
	return max;
}

/* Dots of a column in one line, 0 the lowest. */
static u32 dots_in(const struct scaled *s, double value, u32 line)
{
	u32 of_line = sizes[s->style].dots;
	double part = value > 0 && s->max > 0 ? MIN(value / s->max, 1.0) : 0;
	u32 dots = (u32)ceil(part * of_line * (u32)s->r.h - 1e-9);

	return CLAMP(dots, line * of_line, (line + 1) * of_line) - line * of_line;
}

/* Two columns, dots from below. */
static u32 braille(u32 left, u32 right)
{
	static const u8 lefts[] = {0, 0x40, 0x44, 0x46, 0x47};
	static const u8 rights[] = {0, 0x80, 0xa0, 0xb0, 0xb8};

	return BRAILLE + lefts[left] + rights[right];
}

static u32 character(enum graph_style style, u32 left, u32 right)
{
	static const char ascii[] = {' ', '.', ':', '|'};

	if (style == GRAPHS_BRAILLE)
		return braille(left, right);
	return style == GRAPHS_BLOCKS ? LOWER_BLOCK + right : (u32)ascii[right];
}

static void draw_cell(const struct scaled *s, struct canvas *c, int column, u32 line)
{
	u32 at = ((u32)(s->r.w - 1 - column)) * sizes[s->style].values;
	double right = value_at(s, at), left = sizes[s->style].values > 1 ? value_at(s, at + 1) : right;
	u32 l = dots_in(s, left, line), r = dots_in(s, right, line);
	double most = fmax(isnan(left) ? 0 : left, isnan(right) ? 0 : right);
	double grade = s->r.h > 1 ? ((double)line + 0.5) / s->r.h : s->max > 0 ? most / s->max : 0;
	enum role role = role__grade(s->g->gradient, grade);
	char text[5] = "";

	if (isnan(left) && isnan(right))
		return;
	if (!l && !r && line)
		return;
	if (!l && !r)
		role = ROLE_BORDER;
	/* What is nothing is the lowest line. */
	if (!line) {
		l = isnan(left) ? 0 : MAX(l, 1u);
		r = isnan(right) ? 0 : MAX(r, 1u);
	}
	utf8__encode(character(s->style, l, r), text);
	draw__text(c, s->r.x + column, s->r.y + s->r.h - 1 - (int)line, 1, role, text);
}

void graph__draw(const struct graph *g, struct canvas *c, struct rect r)
{
	struct scaled s = {.g = g, .style = c->ascii ? GRAPHS_ASCII : c->graphs, .r = r, .max = (double)g->max};

	if (r.w < 1 || r.h < 1)
		return;
	s.columns = (u32)r.w * sizes[s.style].values;
	s.wide = g->most ? MAX(s.columns / g->most, 1u) : 1;
	if (!(s.max > 0))
		s.max = greatest(&s);
	for (int column = 0; column < r.w; column++)
		for (u32 line = 0; line < (u32)r.h; line++)
			draw_cell(&s, c, column, line);
}
