// SPDX-License-Identifier: GPL-2.0-only
#include "widgets/heatmap.h"

#include <math.h>

#include "widgets/text.h"

#define LABEL_W	   7  /* of a row, and the axis */
#define LEGEND_MIN 7  /* lines from which there is a legend */
#define LEAST_TOP  16 /* few are not hot, even if nothing is more */

#define UPPER_HALF L'▀'
#define LOWER_HALF L'▄'

/* --- the scale --- */

/* The count that is above all levels: a power of two, so that it does not change with each tick. */
static double top_of(float max)
{
	return MAX(exp2(ceil(log2((double)max + 1))), LEAST_TOP);
}

u32 heatmap__level(float n, float max)
{
	double part;

	if (!(n > 0))
		return 0;
	/* What is spread over several rows may be less than one. */
	part = log((double)MAX(n, 1.0f)) / log(top_of(max));
	/* A count that begins a level is in it, whatever logarithms are rounded to. */
	return 1 + (u32)CLAMP(part * HEATMAP_LEVELS + 1e-9, 0, HEATMAP_LEVELS - 1);
}

u64 heatmap__least(u32 level, float max)
{
	return (u64)ceil(pow(top_of(max), (double)(level - 1) / HEATMAP_LEVELS) - 1e-9);
}

static bool is_plain(const struct canvas *c)
{
	return c->edges || c->ascii;
}

u32 heatmap__rows_a_cell(const struct canvas *c)
{
	return is_plain(c) ? 1 : 2;
}

static const char *shade_of(const struct canvas *c, u32 level)
{
	static const char *const shades[] = {" ", "·", "░", "░", "▒", "▒", "▓", "▓", "█"};
	static const char *const ascii[] = {" ", ".", ":", "-", "=", "+", "*", "#", "@"};

	return c->ascii ? ascii[level] : shades[level];
}

static enum role role_of(u32 level)
{
	return level ? ROLE_HEAT_1 + level - 1 : ROLE_TEXT;
}

/* --- where things are --- */

struct frame {
	struct rect map;      /* as large as its rows and columns, at the right and the bottom */
	int axis_y, legend_y; /* legend_y -1: there is no room */
};

static struct rect body_of(struct rect r)
{
	int below = r.h >= LEGEND_MIN ? 2 : 1;

	return (struct rect){r.x + LABEL_W + 1, r.y, r.w - LABEL_W - 1, r.h - below};
}

void heatmap__room(const struct canvas *c, struct rect r, u32 *cols, u32 *rows)
{
	struct rect body = body_of(r);

	*cols = (u32)MAX(body.w, 0);
	*rows = (u32)MAX(body.h, 0) * heatmap__rows_a_cell(c);
}

static struct frame frame_of(const struct heatmap *h, const struct canvas *c, struct rect r)
{
	struct rect body = body_of(r);
	u32 by = heatmap__rows_a_cell(c);
	int w = MIN((int)h->ncols, body.w), lines = MIN((int)((h->nrows + by - 1) / by), body.h);

	return (struct frame){
		.map = {body.x + body.w - w, body.y + body.h - lines, w, lines},
		.axis_y = body.y + body.h,
		.legend_y = r.h >= LEGEND_MIN ? body.y + body.h + 1 : -1,
	};
}

static int line_of(const struct canvas *c, const struct frame *f, u32 row)
{
	return f->map.y + f->map.h - 1 - (int)(row / heatmap__rows_a_cell(c));
}

bool heatmap__at(const struct heatmap *h, const struct canvas *c, struct rect r, int x, int y,
		 u32 *col, u32 *row)
{
	struct frame f = frame_of(h, c, r);
	u32 by = heatmap__rows_a_cell(c);
	bool upper;

	if (x < f.map.x || x >= f.map.x + f.map.w || y < f.map.y || y >= f.map.y + f.map.h)
		return false;
	*col = h->ncols - (u32)(f.map.x + f.map.w - x);
	*row = (u32)(f.map.y + f.map.h - 1 - y) * by;
	/* Of the two in a cell, the one that has more. */
	upper = by == 2 && *row + 1 < h->nrows &&
		h->n[(*row + 1) * h->ncols + *col] > h->n[*row * h->ncols + *col];
	*row += upper;
	return *row < h->nrows;
}

/* --- the map --- */

static u32 level_at(const struct heatmap *h, u32 col, u32 row)
{
	return row < h->nrows ? heatmap__level(h->n[row * h->ncols + col], h->max) : 0;
}

static enum role half_role(const struct heatmap *h, u32 col, u32 row)
{
	if (col == h->col && row == h->row)
		return ROLE_HEAT_AT;
	return role_of(level_at(h, col, row));
}

/* The ground that is the terminal's own cannot be drawn with: then the other half is. */
static void put_halves(struct cell *cell, enum role upper, enum role lower)
{
	if (upper == ROLE_TEXT && lower == ROLE_TEXT)
		return;
	*cell = (struct cell){.ch = {upper == ROLE_TEXT ? LOWER_HALF : UPPER_HALF},
			      .role = upper == ROLE_TEXT ? lower : upper,
			      .parted = true,
			      .right = upper == ROLE_TEXT ? ROLE_TEXT : lower};
}

static void draw_cell(const struct heatmap *h, struct canvas *c, int x, int y, u32 col, u32 row)
{
	u32 level = level_at(h, col, row);

	if (h->gaps && h->gaps[col]) {
		draw__text(c, x, y, 1, ROLE_BORDER, "┊");
	} else if (!is_plain(c)) {
		put_halves(&c->cells[y * c->w + x], half_role(h, col, row + 1),
			   half_role(h, col, row));
		return;
	}
	if (is_plain(c) && level)
		draw__text(c, x, y, 1, role_of(level), shade_of(c, level));
	if (col == h->col && row == h->row / heatmap__rows_a_cell(c) * heatmap__rows_a_cell(c))
		draw__select(c, x, y, 1);
}

static void draw_map(const struct heatmap *h, struct canvas *c, const struct frame *f)
{
	u32 by = heatmap__rows_a_cell(c), first = h->ncols - (u32)f->map.w;

	for (int y = 0; y < f->map.h; y++)
		for (int x = 0; x < f->map.w; x++)
			draw_cell(h, c, f->map.x + x, f->map.y + f->map.h - 1 - y, first + (u32)x,
				  (u32)y * by);
}

/* --- axes --- */

static void draw_row_axis(const struct heatmap *h, struct canvas *c, struct rect r,
			  const struct frame *f)
{
	int at = h->row == HEATMAP_NONE ? -1 : line_of(c, f, h->row);
	int bottom = f->map.y + f->map.h;

	for (int y = f->map.y; y < bottom; y++)
		draw__text(c, r.x + LABEL_W, y, 1, ROLE_BORDER, "│");
	for (u32 i = 0; i < h->nrow_ticks; i++) {
		int y = line_of(c, f, h->row_ticks[i].at);
		struct cell *axis;

		if (y < f->map.y)
			continue;
		axis = &c->cells[y * c->w + r.x + LABEL_W];
		if (axis->ch[0] == (c->ascii ? L'+' : L'┤'))
			continue;
		draw__right(c, r.x, y, LABEL_W, ROLE_DIM, h->row_ticks[i].text);
		draw__text(c, r.x + LABEL_W, y, 1, ROLE_BORDER, "┤");
	}
	if (at >= f->map.y)
		draw__text(c, r.x + LABEL_W, at, 1, ROLE_KEY, "▶");
}

/* Whether w cells from x on are blank, and the one before them. */
static bool is_free(const struct canvas *c, int x, int y, int w)
{
	for (int i = MAX(x - 1, 0); i < x + w; i++)
		if (i >= c->w || c->cells[y * c->w + i].ch[0] != L' ')
			return false;
	return true;
}

static void draw_col_axis(const struct heatmap *h, struct canvas *c, const struct frame *f)
{
	int end = f->map.x + f->map.w, at = end - (int)(h->ncols - h->col);

	if (h->col != HEATMAP_NONE && at >= f->map.x)
		draw__text(c, at, f->axis_y, 1, ROLE_KEY, "▲");
	for (u32 i = 0; i < h->ncol_ticks; i++) {
		int x = end - (int)(h->ncols - h->col_ticks[i].at);
		int w = text__width(h->col_ticks[i].text);
		/* The last ones end at their column. */
		bool left = x + 1 + w > end;

		if (x < f->map.x || !is_free(c, left ? x - w : x, f->axis_y, w + 1))
			continue;
		draw__text(c, x, f->axis_y, 1, ROLE_BORDER, "|");
		draw__text(c, left ? x - w : x + 1, f->axis_y, w, ROLE_DIM, h->col_ticks[i].text);
	}
}

static void draw_legend(const struct heatmap *h, struct canvas *c, struct rect r, int y)
{
	int x = r.x + draw__cut(c, r.x, y, r.w, ROLE_DIM, h->what) + 1;

	for (u32 level = 1; level <= HEATMAP_LEVELS; level++) {
		u64 least = heatmap__least(level, h->max);
		char text[16];

		if (level < HEATMAP_LEVELS && least == heatmap__least(level + 1, h->max))
			continue;
		format__count(text, sizeof(text), least);
		if (x + 4 + text__width(text) > r.x + r.w)
			return;
		for (int i = 0; i < 2; i++)
			draw__text(c, x + i, y, 1, role_of(level),
				   is_plain(c) ? shade_of(c, level) : " ");
		x += 3 + draw__text(c, x + 3, y, r.w, ROLE_TEXT, text) + 1;
	}
}

void heatmap__draw(const struct heatmap *h, struct canvas *c, struct rect r)
{
	struct frame f = frame_of(h, c, r);

	if (f.map.w < 1 || f.map.h < 1 || r.x < 0 || r.y < 0 || r.x + r.w > c->w ||
	    r.y + r.h > c->h)
		return;
	draw_row_axis(h, c, r, &f);
	draw_col_axis(h, c, &f);
	draw_map(h, c, &f);
	if (f.legend_y >= 0)
		draw_legend(h, c, r, f.legend_y);
}
