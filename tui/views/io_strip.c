// SPDX-License-Identifier: GPL-2.0-only
/* The last minutes of the io view: as a heat map where there is room, else as one line. */
#include <math.h>
#include <stdio.h>

#include "tui/views/heat.h"
#include "tui/views/io.h"
#include "widgets/strip.h"

#define LABEL_W 21
/* The line's height is logarithmic: from 1 us to 10 s. */
#define LEAST_NS 1000.0
#define DECADES	 7
#define FINE	 (BLOCK_BUCKETS / IO_HEAT_MERGED) /* rows that merge no buckets */

/* The lower end of what holds the slowest 1 % of a column; 0: it has no counts. */
static u64 slowest_percent(const struct heat_grid *g, u32 col)
{
	double above = 0;

	for (u32 row = g->nrows; row--;) {
		above += (double)heat_grid__n(g, col, row);
		if (above > 0 && above >= g->cols[col].count / 100)
			return MAX(g->edges[row], (u64)LEAST_NS);
	}
	return 0;
}

static float height_of(u64 ns)
{
	return (float)log10((double)ns / LEAST_NS);
}

static void draw_line(const struct heat_grid *g, struct canvas *c, struct rect r)
{
	struct strip strip = {.n = 0};
	char span[16];

	format__ns(span, sizeof(span), g->now_ns - g->cols[0].t0_ns);
	draw__textf(c, r.x, r.y, LABEL_W - 1, ROLE_TITLE, "p99, the last %s", span);
	for (u32 i = 0; i < g->ncols; i++) {
		u64 ns = slowest_percent(g, i);

		/* As low as is drawn, but not nothing. */
		strip__push(&strip, ns ? MAX(height_of(ns), 0.5f) : NAN);
	}
	strip__draw(&strip, c, (struct rect){r.x + LABEL_W, r.y, r.w - LABEL_W, 1}, DECADES,
		    height_of(10 * NSEC_PER_MSEC), height_of(100 * NSEC_PER_MSEC));
}

int io_strip__draw(const struct heat_result *a, struct canvas *c, struct rect r)
{
	struct heat_axes axes = {.width = (u32)MAX(r.w - LABEL_W, 0), .height = FINE};
	struct heat_grid g;

	if (r.h > 1)
		heatmap__room(c, r, &axes.width, &axes.height);
	heat_grid__make(&g, a, &axes);
	if (!g.ncols)
		return 0;
	if (r.h > 1)
		heat_grid__draw(&g, HEATMAP_NONE, HEATMAP_NONE, c, r);
	else
		draw_line(&g, c, r);
	heat_grid__fini(&g);
	return r.h;
}
