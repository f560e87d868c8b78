/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Table: shows a row_table with a header, sorting, selection by key, unfolded child lines,
 * bars and sparklines. Sort, scroll and selection are its state; the rows are const.
 */
#ifndef WIDGETS_TABLE_H
#define WIDGETS_TABLE_H

#include "base/table.h"
#include "widgets/cells.h"
#include "widgets/input.h"

/* Cells of a percentage; what a column with a bar has beyond them is the bar. */
#define TABLE_PCT_WIDTH 6

/* A line that is shown below a row when that row is unfolded (a call chain's node). */
struct table_child {
	u64 key;
	u32 depth;  /* 1 below the row */
	bool last;  /* last sibling: for the tree lines */
	bool chain; /* the only child of the line above: stands below it, no deeper */
	bool single; /* has one child, which is such a one */
	bool has_children, open;
	enum role role;
	double pct; /* negative: none is shown */
	bool compared;
	double change; /* of it, in points: shown below the first column of changes */
	const char *text, *note; /* name; object or line, dim */
};

struct table_source {
	const struct row_table *rows;
	/* Optional. Number of child lines below a row that are visible now, and one of them. */
	u32 (*children)(void *ctx, u32 row);
	bool (*child)(void *ctx, u32 row, u32 n, struct table_child *out);
	/* Optional. Role of a cell, e.g. by kind; ROLE_TEXT otherwise. */
	enum role (*role)(void *ctx, u32 row, u32 column);
	/* Optional. Whether a row can unfold and is open. */
	bool (*open)(void *ctx, u64 key);
	/* Optional, with children: whether something is below a row; all rows otherwise. */
	bool (*unfolds)(void *ctx, u32 row);
	/* So little was counted that a share says next to nothing: none stands out. */
	bool few;
	void *ctx;
};

struct table {
	u32 sort;	  /* column; after table__init UINT32_MAX: the rows' own */
	bool descending;  /* as first set from the column's flags */
	u64 selected;	  /* key of the row or child line under the cursor; 0: first */
	bool user_moved;  /* the cursor was moved: the selection follows its key, not rank 1 */
	u32 top;	  /* first visible line */
	char search[128]; /* "" none; matches are marked */
	char columns[256]; /* names of those that are shown, in their order; "" as the rows have them */
	struct {
		u64 selected, selected_row;
		u32 top;
		bool user_moved;
		char search[128];
	} before; /* a search that is being typed */
	/* made by table__layout, read by draw and mouse */
	u32 *order, norder;
	u32 *first; /* line of each row in order, and nlines behind them */
	u32 nlines, cursor_line;
	u32 key_column;
	u64 selected_row; /* key of the row that `selected` is or is below of */
	struct rect area;
	struct column_place {
		u32 column;
		int x, w;
	} places[32];
	u32 nplaces;
	u32 bar, bar_of; /* the sorted column has the bar of that one; UINT32_MAX: each its own */
};

void table__init(struct table *t);
void table__fini(struct table *t);
/* Sorts and places; call after rows, size or fold state changed and before draw. */
void table__layout(struct table *t, const struct table_source *src, struct rect area);
void table__draw(struct table *t, const struct table_source *src, struct canvas *c);

/* Movement, in lines. Home lets the cursor follow rank 1 again. */
void table__move(struct table *t, const struct table_source *src, int lines);
void table__home(struct table *t, const struct table_source *src);
void table__end(struct table *t, const struct table_source *src);
/* After layout: scrolls so that these lines below the cursor are seen, half a page at most. */
void table__reveal(struct table *t, u32 lines);
/* Next column to sort by, dir +1 or -1; sets its natural direction. */
void table__sort_next(struct table *t, const struct table_source *src, int dir);
/* One that is hidden, or does not fit, too. False: there is no such column to sort by. */
bool table__sort_by(struct table *t, const struct table_source *src, u32 column);
void table__reverse(struct table *t, const struct table_source *src);
/* The row under the cursor (also when on one of its children); false when empty. child is
 * UINT32_MAX on the row itself. */
bool table__selected(const struct table *t, const struct table_source *src, u32 *row, u32 *child);
/* Moves to the next line that has t->search in any text that is shown of it; false when none. */
bool table__search(struct table *t, const struct table_source *src, int dir);
/* A search as it is typed: from the line that the cursor was on when it began, that one too. False:
 * there is none, and the cursor is where it was. */
void table__search_begin(struct table *t);
bool table__search_type(struct table *t, const struct table_source *src, const char *text);
/* Back to where it began, and to what was searched for then. */
void table__search_cancel(struct table *t, const struct table_source *src);
/* A click: selects or sorts. True when it hit a row (then double click drills). */
bool table__mouse(struct table *t, const struct table_source *src, const struct input *in);

/* Pure: which columns fit in w cells and how wide each is, a blank between two; tests sweep
 * it. A wider screen never shows fewer columns. */
u32 table__place_columns(const struct column *cols, u32 n, int w,
			 struct column_place *out, u32 max);

#endif
