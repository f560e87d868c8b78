/* SPDX-License-Identifier: GPL-2.0-only */
/* The table's state: order, lines, cursor. What it looks like: table_draw.c. */
#include "widgets/table.h"

#include "base/arena.h"

#define NO_CHILD    UINT32_MAX
#define WHEEL_LINES 3

void table__init(struct table *t)
{
	*t = (struct table){.sort = UINT32_MAX};
}

void table__fini(struct table *t)
{
	free(t->order);
	free(t->first);
	*t = (struct table){0};
}

static u32 nrows(const struct table_source *src)
{
	return src->rows ? src->rows->nrows : 0;
}

static u32 nchildren(const struct table_source *src, u32 row)
{
	return src->children ? src->children(src->ctx, row) : 0;
}

/* Position in order whose row or children are on the line. */
static u32 position_of(const struct table *t, u32 line)
{
	u32 lo = 0, hi = t->norder;

	while (hi - lo > 1) {
		u32 mid = lo + (hi - lo) / 2;

		if (t->first[mid] <= line)
			lo = mid;
		else
			hi = mid;
	}
	return lo;
}

static u64 key_of(const struct table *t, const struct table_source *src, u32 line)
{
	u32 pos = position_of(t, line), row = t->order[pos];
	struct table_child child;

	if (line > t->first[pos] && src->child(src->ctx, row, line - t->first[pos] - 1, &child))
		return child.key;
	return src->rows->key(src->rows, row);
}

/* ---- layout ---- */

static bool takes_bar(const struct column *c)
{
	return c->type == VALUE_PCT || c->type == VALUE_COUNT || c->type == VALUE_NS ||
	       c->type == VALUE_BYTES;
}

/* The bar shows what rows are sorted by: it goes to that column, with its cells. */
static void move_bar(struct table *t, const struct row_table *rows)
{
	struct column_place *from = NULL, *to = NULL;
	int cells;

	t->bar = t->bar_of = UINT32_MAX;
	for (u32 i = t->nplaces; i-- > 0;) {
		if (t->places[i].column == t->sort)
			to = &t->places[i];
		if (rows->columns[t->places[i].column].flags & COLUMN_BAR)
			from = &t->places[i];
	}
	if (!from || !to || rows->columns[t->sort].flags & COLUMN_BAR ||
	    !takes_bar(&rows->columns[t->sort]))
		return;
	t->bar = t->sort;
	t->bar_of = from->column;
	cells = MAX(from->w - TABLE_PCT_WIDTH, 0);
	from->w -= cells;
	to->w += cells;
	for (u32 i = 1; i < t->nplaces; i++)
		t->places[i].x = t->places[i - 1].x + t->places[i - 1].w + 1;
}

/* Those that were chosen stand in their order, else those that apply; which of them fit, their priorities say. */
static void place(struct table *t, const struct row_table *rows, int w)
{
	struct column cols[ROW_TABLE_COLUMNS];
	u8 all[ROW_TABLE_COLUMNS], chosen[ROW_TABLE_COLUMNS];
	u32 nall = row_table__screen(rows, all), n = t->columns[0] ? row_table__named(rows, t->columns, chosen) : 0;
	const u8 *from = n ? chosen : all;

	t->key_column = 0;
	for (u32 i = nall; i-- > 0;)
		if (rows->columns[all[i]].flags & COLUMN_KEY)
			t->key_column = all[i];
	n = n ? n : nall;
	for (u32 i = 0; i < n; i++) {
		cols[i] = rows->columns[from[i]];
		if (from[i] == rows->sort || from[i] == t->sort) /* by which rows come is in sight */
			cols[i].priority = 0;
		if (from[i] == t->sort && text__width(cols[i].title) == cols[i].width)
			cols[i].width++; /* for the mark */
	}
	t->nplaces = table__place_columns(cols, n, w, t->places, ARRAY_SIZE(t->places));
	for (u32 i = 0; i < t->nplaces; i++)
		t->places[i].column = from[t->places[i].column];
	move_bar(t, rows);
}

static void natural_sort(struct table *t, const struct row_table *rows, u32 column)
{
	t->sort = column;
	t->descending = !(rows->columns[column].flags & COLUMN_ASCENDING);
}

static void order_rows(struct table *t, const struct table_source *src)
{
	const struct row_table *rows = src->rows;
	u32 n = rows->nrows, line = 0;

	t->order = xrealloc(t->order, sizeof(*t->order) * MAX(n, 1U));
	t->first = xrealloc(t->first, sizeof(*t->first) * ((size_t)n + 1));
	t->norder = n;
	if (n)
		row_table__sort(rows, t->sort, t->descending, t->order);
	for (u32 i = 0; i < n; i++) {
		t->first[i] = line;
		line += 1 + nchildren(src, t->order[i]);
	}
	t->first[n] = line;
	t->nlines = line;
}

static bool find_row(const struct table *t, const struct table_source *src, u64 key, u32 *pos)
{
	for (u32 i = 0; i < t->norder; i++)
		if (src->rows->key(src->rows, t->order[i]) == key) {
			*pos = i;
			return true;
		}
	return false;
}

/* The line that is selected; that of its row when it was folded away; false when both are
 * gone. */
static bool find_selected(const struct table *t, const struct table_source *src, u32 *line)
{
	struct table_child child;
	u32 pos;

	if (!find_row(t, src, t->selected_row, &pos))
		return false;
	*line = t->first[pos];
	if (t->selected == t->selected_row)
		return true;
	for (u32 c = 0; c + t->first[pos] + 1 < t->first[pos + 1]; c++)
		if (src->child(src->ctx, t->order[pos], c, &child) && child.key == t->selected)
			*line = t->first[pos] + 1 + c;
	return true;
}

static void select_line(struct table *t, const struct table_source *src, u32 line)
{
	t->cursor_line = line;
	t->selected = key_of(t, src, line);
	t->selected_row = src->rows->key(src->rows, t->order[position_of(t, line)]);
}

static u32 page(const struct table *t)
{
	return (u32)MAX(t->area.h - 1, 1);
}

static void keep_visible(struct table *t)
{
	u32 last_top = t->nlines > page(t) ? t->nlines - page(t) : 0;

	t->top = MIN(t->top, last_top);
	if (t->cursor_line < t->top)
		t->top = t->cursor_line;
	else if (t->cursor_line >= t->top + page(t))
		t->top = t->cursor_line - page(t) + 1;
}

/* The selected row stays where it is on the screen; the others move around it. */
static void follow_selection(struct table *t, const struct table_source *src)
{
	u32 offset = t->cursor_line - MIN(t->top, t->cursor_line), line = 0;

	if (!t->nlines) {
		t->cursor_line = t->top = 0;
		return;
	}
	if (t->user_moved && !find_selected(t, src, &line))
		line = MIN(t->cursor_line, t->nlines - 1);
	select_line(t, src, line);
	t->top = t->cursor_line > offset ? t->cursor_line - offset : 0;
	keep_visible(t);
}

void table__layout(struct table *t, const struct table_source *src, struct rect area)
{
	t->area = area;
	if (!src->rows) {
		t->norder = t->nlines = t->nplaces = 0;
		return;
	}
	if (t->sort >= src->rows->ncolumns)
		natural_sort(t, src->rows, src->rows->sort);
	place(t, src->rows, area.w);
	order_rows(t, src);
	follow_selection(t, src);
}

/* ---- cursor ---- */

static void go_to(struct table *t, const struct table_source *src, u32 line)
{
	if (!t->nlines)
		return;
	select_line(t, src, MIN(line, t->nlines - 1));
	t->user_moved = true;
	keep_visible(t);
}

void table__move(struct table *t, const struct table_source *src, int lines)
{
	s64 line = (s64)t->cursor_line + lines;

	go_to(t, src, (u32)CLAMP(line, 0, (s64)UINT32_MAX));
}

void table__home(struct table *t, const struct table_source *src)
{
	go_to(t, src, 0);
	t->user_moved = false;
}

void table__end(struct table *t, const struct table_source *src)
{
	go_to(t, src, UINT32_MAX);
}

void table__reveal(struct table *t, u32 lines)
{
	u32 last = t->cursor_line + MIN(lines, page(t) / 2);

	if (last >= t->top + page(t))
		t->top = last - page(t) + 1;
	keep_visible(t);
}

bool table__selected(const struct table *t, const struct table_source *src, u32 *row, u32 *child)
{
	u32 pos;

	if (!t->nlines || !nrows(src) || t->norder != nrows(src))
		return false;
	pos = position_of(t, t->cursor_line);
	*row = t->order[pos];
	*child = t->cursor_line > t->first[pos] ? t->cursor_line - t->first[pos] - 1 : NO_CHILD;
	return true;
}

/* ---- sorting ---- */

static bool is_sortable(const struct row_table *rows, u32 column)
{
	enum value_type type = rows->columns[column].type;

	return type != VALUE_TREND && type != VALUE_SPLIT;
}

/* Who sorts wants to see what comes first; the cursor stays on its row if that is there too. */
static void show_first(struct table *t, const struct table_source *src)
{
	table__layout(t, src, t->area);
	if (t->cursor_line >= page(t))
		table__home(t, src);
	t->top = 0;
}

static bool sortable(const struct table *t, const struct row_table *rows, u32 place)
{
	return is_sortable(rows, t->places[place].column);
}

void table__sort_next(struct table *t, const struct table_source *src, int dir)
{
	u32 at = 0, n = t->nplaces;

	if (!src->rows || !n)
		return;
	while (at < n && t->places[at].column != t->sort)
		at++;
	for (u32 tried = 0; tried < n; tried++) {
		at = at >= n ? 0 : (at + n + (dir < 0 ? n - 1 : 1)) % n;
		if (sortable(t, src->rows, at))
			break;
	}
	if (!sortable(t, src->rows, at))
		return;
	natural_sort(t, src->rows, t->places[at].column);
	show_first(t, src);
}

bool table__sort_by(struct table *t, const struct table_source *src, u32 column)
{
	u8 all[ROW_TABLE_COLUMNS];
	u32 n = src->rows ? row_table__screen(src->rows, all) : 0;

	if (column > UINT8_MAX || !memchr(all, (int)column, n) || !is_sortable(src->rows, column))
		return false;
	natural_sort(t, src->rows, column);
	show_first(t, src);
	return true;
}

void table__reverse(struct table *t, const struct table_source *src)
{
	t->descending = !t->descending;
	show_first(t, src);
}

/* ---- search ---- */

/* Whatever stands there as text: names, reasons, ids. */
static bool row_matches(const struct table *t, const struct table_source *src, u32 row)
{
	struct value v;

	for (u32 i = 0; i < t->nplaces; i++)
		if (src->rows->cell(src->rows, row, t->places[i].column, &v) &&
		    v.type == VALUE_TEXT && strcasestr(v.s, t->search))
			return true;
	return false;
}

static bool line_matches(const struct table *t, const struct table_source *src, u32 line)
{
	u32 pos = position_of(t, line), row = t->order[pos];
	struct table_child child;

	if (line > t->first[pos])
		return src->child(src->ctx, row, line - t->first[pos] - 1, &child) &&
		       strcasestr(child.text, t->search);
	return row_matches(t, src, row);
}

bool table__search(struct table *t, const struct table_source *src, int dir)
{
	u32 line = t->cursor_line;

	if (!t->search[0])
		return false;
	for (u32 i = 0; i < t->nlines; i++) {
		if (dir < 0)
			line = line ? line - 1 : t->nlines - 1;
		else
			line = line + 1 < t->nlines ? line + 1 : 0;
		if (line_matches(t, src, line)) {
			go_to(t, src, line);
			return true;
		}
	}
	return false;
}

void table__search_begin(struct table *t)
{
	t->before.selected = t->selected;
	t->before.selected_row = t->selected_row;
	t->before.top = t->top;
	t->before.user_moved = t->user_moved;
	copy_str(t->before.search, sizeof(t->before.search), t->search);
}

static void go_back(struct table *t, const struct table_source *src)
{
	u32 line = 0;

	t->selected = t->before.selected;
	t->selected_row = t->before.selected_row;
	if (t->nlines && (!t->before.user_moved || find_selected(t, src, &line)))
		go_to(t, src, line);
	t->user_moved = t->before.user_moved;
	t->top = t->before.top;
	keep_visible(t);
}

bool table__search_type(struct table *t, const struct table_source *src, const char *text)
{
	go_back(t, src);
	copy_str(t->search, sizeof(t->search), text);
	if (!*text || !t->nlines)
		return true;
	if (line_matches(t, src, t->cursor_line)) {
		t->user_moved = true;
		return true;
	}
	return table__search(t, src, 1);
}

void table__search_cancel(struct table *t, const struct table_source *src)
{
	go_back(t, src);
	copy_str(t->search, sizeof(t->search), t->before.search);
}

/* ---- mouse ---- */

static void click_header(struct table *t, const struct table_source *src, int x)
{
	for (u32 i = 0; src->rows && i < t->nplaces; i++) {
		if (x < t->places[i].x || x > t->places[i].x + t->places[i].w)
			continue;
		if (!sortable(t, src->rows, i))
			return;
		if (t->places[i].column == t->sort)
			t->descending = !t->descending;
		else
			natural_sort(t, src->rows, t->places[i].column);
		show_first(t, src);
		return;
	}
}

bool table__mouse(struct table *t, const struct table_source *src, const struct input *in)
{
	int x = in->x - t->area.x, y = in->y - t->area.y;
	u32 line;

	if (in->mouse == MOUSE_WHEEL_UP || in->mouse == MOUSE_WHEEL_DOWN) {
		table__move(t, src, in->mouse == MOUSE_WHEEL_UP ? -WHEEL_LINES : WHEEL_LINES);
		return false;
	}
	if (x < 0 || x >= t->area.w || y < 0 || y >= t->area.h)
		return false;
	if (y == 0) {
		click_header(t, src, x);
		return false;
	}
	line = t->top + (u32)y - 1;
	if (line >= t->nlines)
		return false;
	go_to(t, src, line);
	return true;
}
