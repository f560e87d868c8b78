/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Heat map: counts by column and row, as colours on a logarithmic scale, with both axes and a
 * legend. A cell of the screen is two rows, one above the other; where ground colours do not tell
 * counts apart (canvas.edges) or only 7-bit characters may be drawn it is one, a character that is
 * the darker the more it stands for. Stateless; what is drawn and what is found by coordinates
 * agree.
 */
#ifndef WIDGETS_HEATMAP_H
#define WIDGETS_HEATMAP_H

#include "widgets/cells.h"

#define HEATMAP_NONE   UINT32_MAX
#define HEATMAP_LEVELS 8

struct heatmap_tick {
	u32 at; /* row or column */
	const char *text;
};

struct heatmap {
	u32 ncols, nrows;
	const float *n;	  /* row by row, the lowest first */
	const bool *gaps; /* by column: nothing is known; NULL: of none */
	float max;
	u32 col, row; /* selected; HEATMAP_NONE none */
	/* A label stays in sight: of those that do not fit the later ones are left out. */
	const struct heatmap_tick *row_ticks, *col_ticks;
	u32 nrow_ticks, ncol_ticks;
	const char *what; /* before the legend */
};

/* As many columns and rows as r has room for. */
void heatmap__room(const struct canvas *c, struct rect r, u32 *cols, u32 *rows);
/* Rows that share a cell's height: 1 or 2. */
u32 heatmap__rows_a_cell(const struct canvas *c);
/* The newest column is at the right, the first row at the bottom. */
void heatmap__draw(const struct heatmap *h, struct canvas *c, struct rect r);
/* False: no column or row is there. */
bool heatmap__at(const struct heatmap *h, const struct canvas *c, struct rect r, int x, int y,
		 u32 *col, u32 *row);
/* 0: nothing; 1..HEATMAP_LEVELS. The least count of a level is alike. */
u32 heatmap__level(float n, float max);
u64 heatmap__least(u32 level, float max);

#endif
