/* SPDX-License-Identifier: GPL-2.0-only */
#include "widgets/help.h"

#include "widgets/paragraph.h"
#include "widgets/text.h"

#define COLUMNS_MAX 3
#define GAP	    2
#define KEY_MAX_W   14
#define WHEEL_LINES 3

void help__open(struct help *h, const char *title)
{
	*h = (struct help){.found = -1};
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

static void type_needle(struct help *h, int key)
{
	size_t n = strlen(h->needle);

	if (key == KEYCODE_ENTER || key == KEYCODE_ESC) {
		h->typing = false;
		if (key == KEYCODE_ESC)
			h->needle[0] = '\0';
	} else if (key == KEYCODE_BACKSPACE && n) {
		while (n && (h->needle[--n] & 0xc0) == 0x80)
			;
		h->needle[n] = '\0';
	} else if (key >= ' ' && key < KEY_SPECIAL_BASE && n + 5 < sizeof(h->needle)) {
		h->needle[n + utf8__encode((u32)key, h->needle + n)] = '\0';
	}
	h->found = h->origin - 1;
	h->seek = h->needle[0] ? 1 : 0;
}

/* False: the key has nothing to do with searching. */
static bool search_key(struct help *h, int key)
{
	if (h->typing) {
		type_needle(h, key);
	} else if (key == '/') {
		h->typing = true;
		h->needle[0] = '\0';
		h->origin = h->top;
		h->found = -1;
	} else if (h->needle[0] && (key == 'n' || key == 'N')) {
		h->seek = key == 'n' ? 1 : -1;
	} else {
		return false;
	}
	return true;
}

enum help_result help__input(struct help *h, const struct input *in)
{
	int lines = 0;

	if (in->type == INPUT_KEY && search_key(h, in->key))
		return HELP_OPEN;
	if (in->type == INPUT_MOUSE && in->mouse == MOUSE_WHEEL_UP)
		lines = -WHEEL_LINES;
	else if (in->type == INPUT_MOUSE && in->mouse == MOUSE_WHEEL_DOWN)
		lines = WHEEL_LINES;
	else if (in->type == INPUT_KEY)
		lines = movement(h, in->key);
	else if (in->type != INPUT_MOUSE)
		return HELP_OPEN;
	h->typing = false;
	if (!lines)
		return HELP_CLOSED;
	scroll(h, lines);
	return HELP_OPEN;
}

/* ---- flow: rows into columns of one height ---- */

struct flow {
	const struct help_row *rows;
	u32 n;
	int key_w; /* of the part of a row that keys stand in */
	int w;	   /* of a column: texts are wrapped in it */
	int height;
};

static int key_width(const struct help_row *rows, u32 n)
{
	int w = 0;

	for (u32 i = 0; i < n; i++)
		if (rows[i].key)
			w = MAX(w, text__width(rows[i].key));
	return MIN(w, KEY_MAX_W);
}

/* Where a row's text begins in its column. */
static int text_indent(const struct flow *f, const struct help_row *row)
{
	return row->key && row->key[0] ? f->key_w + 2 : 0;
}

static int row_height(const struct flow *f, u32 i)
{
	const struct help_row *row = &f->rows[i];

	return MAX(paragraph__height(row->text, f->w - text_indent(f, row)), 1);
}

/* Whether a column may begin with the row: never between a heading and its first row. */
static bool may_break(const struct help_row *rows, u32 i)
{
	return i == 0 || rows[i - 1].key != NULL;
}

struct place {
	u32 column;
	int y;	 /* the row's first line */
	int end; /* after its last one */
};

/* Where a row stands, by where the one before it does. */
static void place__next(struct place *p, const struct flow *f, u32 i)
{
	int lines = row_height(f, i);
	bool full = p->end + lines > f->height || (!f->rows[i].key && p->end && p->end + 1 >= f->height);

	if (full && p->end && may_break(f->rows, i)) {
		p->column++;
		p->end = 0;
	}
	p->y = p->end;
	p->end += lines;
}

/* Number of columns that the rows need at the flow's height. */
static u32 columns_of(const struct flow *f)
{
	struct place p = {0};

	for (u32 i = 0; i < f->n; i++)
		place__next(&p, f, i);
	return p.column + 1;
}

/* The least height at which the rows need no more columns. */
static int flow_height(struct flow f, u32 columns)
{
	int lines = 0;

	for (u32 i = 0; i < f.n; i++)
		lines += row_height(&f, i);
	f.height = (lines + (int)columns - 1) / (int)columns;
	while (f.height < lines && columns_of(&f) > columns)
		f.height++;
	return MAX(f.height, 1);
}

/* ---- drawing ---- */

/* Width at which nothing is wrapped. */
static int column_width(const struct flow *f)
{
	int w = 1;

	for (u32 i = 0; i < f->n; i++)
		w = MAX(w, text__width(f->rows[i].text) + text_indent(f, &f->rows[i]));
	return w;
}

/* r: the column from the row's first line that is shown to the window's last one; skip: lines above it. */
static void draw_row(const struct flow *f, const struct help_row *row, struct canvas *c, struct rect r, int skip)
{
	enum role role = !row->key ? ROLE_TITLE : row->key[0] ? ROLE_TEXT : ROLE_DIM;
	int indent = text_indent(f, row);

	if (indent && !skip)
		draw__right(c, r.x, r.y, f->key_w, ROLE_KEY, row->key);
	r.x += indent;
	r.w -= indent;
	draw__paragraph_from(c, r, role, row->text, skip);
}

/* What the scrolled window shows of the rows. */
static void draw_rows(const struct help *h, const struct flow *f, struct canvas *c, struct rect r)
{
	struct place p = {0};

	for (u32 i = 0; i < f->n; i++) {
		int y, skip;

		place__next(&p, f, i);
		skip = MAX(h->top - p.y, 0);
		y = p.y + skip - h->top;
		if (p.end > h->top && y < r.h)
			draw_row(f, &f->rows[i], c,
				 (struct rect){r.x + (int)p.column * (f->w + GAP), r.y + y, f->w,
					       MIN(r.h - y, p.end - p.y - skip)},
				 skip);
	}
}

static void draw_line(const struct help_line *line, struct canvas *c, int x, int y, int w)
{
	bool key = false;
	char part[256];

	if (line->role != ROLE_TEXT) {
		draw__cut(c, x, y, w, line->role, line->text);
		return;
	}
	for (const char *at = line->text; *at && w > 0; key = !key) {
		size_t n = strcspn(at, "`");
		int used;

		copy_str(part, MIN(n + 1, sizeof(part)), at);
		used = draw__cut(c, x, y, w, key ? ROLE_KEY : ROLE_TEXT, part);
		x += used;
		w -= used;
		at += n + (at[n] == '`');
	}
}

static void draw_text(const struct help *h, const struct help_content *what, int height, struct canvas *c,
		      struct rect r)
{
	for (u32 i = 0; i < what->ntext; i++) {
		int y = height + (int)i - h->top;

		if (y >= 0 && y < r.h)
			draw_line(&what->text[i], c, r.x, r.y + y, r.w);
	}
	if (h->found >= h->top && h->found < h->top + r.h)
		draw__select(c, r.x, r.y + h->found - h->top, r.w);
}

/* ---- searching ---- */

static bool matches(const struct help *h, const struct help_content *what, const struct flow *f, int line)
{
	struct place p = {0};

	if (line >= f->height)
		return strcasestr(what->text[line - f->height].text, h->needle);
	for (u32 i = 0; i < f->n; i++) {
		place__next(&p, f, i);
		if (p.y == line && strcasestr(f->rows[i].text, h->needle))
			return true;
	}
	return false;
}

/* The next line with the needle, round the end, is scrolled into sight. */
static void seek(struct help *h, const struct help_content *what, const struct flow *f)
{
	int at = h->found;

	h->found = -1;
	for (int i = 0; i < h->lines && h->found < 0; i++) {
		at = (at + h->seek + h->lines) % h->lines;
		if (matches(h, what, f, at))
			h->found = at;
	}
	h->seek = 0;
	if (h->found >= 0 && (h->found < h->top || h->found >= h->top + h->page))
		h->top = h->found - h->page / 3;
}

static void draw_needle(const struct help *h, struct canvas *c, struct rect area)
{
	int x = area.x + 2, y = area.y + area.h - 1;

	if (!h->typing && !h->needle[0])
		draw__text(c, x, y, area.w / 2, ROLE_DIM, " / searches ");
	else
		draw__textf(c, x, y, area.w / 2, h->found < 0 && h->needle[0] ? ROLE_WARN : ROLE_PROMPT,
			    " /%s%s ", h->needle, h->found < 0 && h->needle[0] ? ": no match" : "");
}

static void draw_more(const struct help *h, struct canvas *c, struct rect area)
{
	bool above = h->top > 0, below = h->top + h->page < h->lines;
	const char *text = above && below ? " ↑↓ more " : above ? " ↑ more " : " ↓ more ";
	int w = text__width(text);

	if ((above || below) && area.w > w + 4)
		draw__text(c, area.x + area.w - 2 - w, area.y + area.h - 1, w, ROLE_STRONG, text);
}

static void use_columns(struct flow *f, struct rect r, u32 columns)
{
	f->w = (r.w + GAP) / (int)columns - GAP;
	f->height = f->n ? flow_height(*f, columns) : 0;
}

/* As many columns as texts fit into unwrapped, no more than show everything at once. */
static void choose_columns(struct flow *f, struct rect r)
{
	u32 columns = 1, most = (u32)CLAMP((r.w + GAP) / (column_width(f) + GAP), 1, COLUMNS_MAX);

	use_columns(f, r, columns);
	while (columns < most && f->height > r.h)
		use_columns(f, r, ++columns);
}

void help__draw(struct help *h, const struct help_content *what, struct canvas *c, struct rect area)
{
	struct rect inner = {area.x + 2, area.y + 1, area.w - HELP_FRAME_W, area.h - 2};
	struct flow f = {.rows = what->rows, .n = what->nrows, .key_w = key_width(what->rows, what->nrows)};

	if (inner.w < 1 || inner.h < 1)
		return;
	choose_columns(&f, inner);
	h->lines = f.height + (int)what->ntext;
	h->page = inner.h;
	if (h->seek)
		seek(h, what, &f);
	scroll(h, 0);
	draw__fill(c, area, ROLE_TEXT, ' ');
	draw__box(c, area, ROLE_BORDER, h->title);
	draw_rows(h, &f, c, inner);
	draw_text(h, what, f.height, c, inner);
	draw_needle(h, c, area);
	draw_more(h, c, area);
}
