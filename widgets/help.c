/* SPDX-License-Identifier: GPL-2.0-only */
#include "widgets/help.h"

#include "widgets/text.h"

#define COLUMNS_MAX 3
#define GAP	    2
#define KEY_MAX_W   14
#define WHEEL_LINES 3

void help__open(struct help *h, const char *title)
{
	*h = (struct help){0};
	copy_str(h->title, sizeof(h->title), title);
}

/* ---- scrolling ---- */

static void scroll(struct help *h, int lines)
{
	int last = MAX(h->lines - h->page, 0);

	h->top = CLAMP(h->top + lines, 0, last);
}

/* How far a key scrolls; 0: it does not. */
static int movement(const struct help *h, int key)
{
	switch (key) {
	case KEYCODE_UP:
	case 'k':
		return -1;
	case KEYCODE_DOWN:
	case 'j':
		return 1;
	case KEYCODE_PGUP:
	case KEYCODE_CTRL('b'):
		return -MAX(h->page, 1);
	case KEYCODE_PGDN:
	case KEYCODE_CTRL('f'):
	case ' ':
		return MAX(h->page, 1);
	case KEYCODE_HOME:
		return -MAX(h->lines, 1);
	case KEYCODE_END:
		return MAX(h->lines, 1);
	}
	return 0;
}

enum help_result help__input(struct help *h, const struct input *in)
{
	int lines = 0;

	if (in->type == INPUT_MOUSE && in->mouse == MOUSE_WHEEL_UP)
		lines = -WHEEL_LINES;
	else if (in->type == INPUT_MOUSE && in->mouse == MOUSE_WHEEL_DOWN)
		lines = WHEEL_LINES;
	else if (in->type == INPUT_KEY)
		lines = movement(h, in->key);
	else if (in->type != INPUT_MOUSE)
		return HELP_OPEN;
	if (!lines)
		return HELP_CLOSED;
	scroll(h, lines);
	return HELP_OPEN;
}

/* ---- flow: rows into columns of one height ---- */

/* Whether a column may begin with the row: never between a heading and its first row. */
static bool may_break(const struct help_row *rows, u32 i)
{
	return i == 0 || rows[i - 1].key != NULL;
}

/* Number of columns that the rows need at a height. */
static u32 columns_at(const struct help_row *rows, u32 n, int height)
{
	u32 columns = 1;
	int used = 0;

	for (u32 i = 0; i < n; i++, used++) {
		bool full = used >= height || (!rows[i].key && used > 0 && used + 1 >= height);

		if (full && may_break(rows, i)) {
			columns++;
			used = 0;
		}
	}
	return columns;
}

static int flow_height(const struct help_row *rows, u32 n, u32 columns)
{
	int height = ((int)n + (int)columns - 1) / (int)columns;

	while (height < (int)n && columns_at(rows, n, height) > columns)
		height++;
	return MAX(height, 1);
}

/* ---- drawing ---- */

static int key_width(const struct help_row *rows, u32 n)
{
	int w = 0;

	for (u32 i = 0; i < n; i++)
		if (rows[i].key)
			w = MAX(w, text__width(rows[i].key));
	return MIN(w, KEY_MAX_W);
}

/* Width at which nothing is cut. */
static int column_width(const struct help_row *rows, u32 n)
{
	int w = 1, key_w = key_width(rows, n);

	for (u32 i = 0; i < n; i++)
		w = MAX(w, text__width(rows[i].text) +
				   (rows[i].key && rows[i].key[0] ? key_w + 2 : 0));
	return w;
}

static void draw_row(const struct help_row *row, struct canvas *c, int x, int y, int w, int key_w)
{
	if (!row->key) {
		draw__text(c, x, y, w, ROLE_TITLE, row->text);
	} else if (!row->key[0]) {
		draw__cut(c, x, y, w, ROLE_DIM, row->text);
	} else {
		draw__right(c, x, y, key_w, ROLE_KEY, row->key);
		draw__cut(c, x + key_w + 2, y, w - key_w - 2, ROLE_TEXT, row->text);
	}
}

/* The same walk as columns_at, drawing what the scrolled window shows. */
static void draw_rows(const struct help *h, const struct help_row *rows, u32 n, struct canvas *c,
		      struct rect r, int column_w)
{
	int used = 0, x = r.x, key_w = key_width(rows, n);

	for (u32 i = 0; i < n; i++, used++) {
		bool full = used >= h->lines || (!rows[i].key && used > 0 && used + 1 >= h->lines);

		if (full && may_break(rows, i)) {
			used = 0;
			x += column_w + GAP;
		}
		if (used >= h->top && used < h->top + r.h)
			draw_row(&rows[i], c, x, r.y + used - h->top, column_w, key_w);
	}
}

static void draw_more(const struct help *h, struct canvas *c, struct rect area)
{
	bool above = h->top > 0, below = h->top + h->page < h->lines;
	const char *text = above && below ? " ↑↓ more " : above ? " ↑ more " : " ↓ more ";
	int w = text__width(text);

	if ((above || below) && area.w > w + 4)
		draw__text(c, area.x + area.w - 2 - w, area.y + area.h - 1, w, ROLE_STRONG, text);
}

void help__draw(struct help *h, const struct help_row *rows, u32 n, struct canvas *c,
		struct rect area)
{
	struct rect inner = {area.x + 2, area.y + 1, area.w - 4, area.h - 2};
	u32 columns;

	if (inner.w < 1 || inner.h < 1)
		return;
	columns = (u32)CLAMP((inner.w + GAP) / (column_width(rows, n) + GAP), 1, COLUMNS_MAX);
	/* No more than are needed to show everything at once. */
	while (columns > 1 && flow_height(rows, n, columns - 1) <= inner.h)
		columns--;
	h->lines = flow_height(rows, n, columns);
	h->page = inner.h;
	scroll(h, 0);
	draw__fill(c, area, ROLE_TEXT, ' ');
	draw__box(c, area, ROLE_BORDER, h->title);
	draw_rows(h, rows, n, c, inner, (inner.w + GAP) / (int)columns - GAP);
	draw_more(h, c, area);
}
