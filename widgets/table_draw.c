/* SPDX-License-Identifier: GPL-2.0-only */
/* How a table looks. */
#include <stdio.h>
#include <wctype.h>

#include "widgets/parts.h"
#include "widgets/spark.h"
#include "widgets/table.h"
#include "widgets/text.h"

/* From these shares on a row is worth a second look. */
#define PCT_HOT	  10.0
#define PCT_WARM  3.0
#define PCT_FAINT 0.05
/* Tree lines beyond this depth lose their outermost ones. */
#define DEPTH_MAX 64

struct painter {
	const struct table *t;
	const struct table_source *src;
	struct canvas *c;
	double most[ARRAY_SIZE(((struct table *)0)->places)]; /* of each place, in all rows */
};

static bool is_text(enum value_type type)
{
	return type == VALUE_TEXT || type == VALUE_TREND || type == VALUE_SPLIT;
}

/* ---- header ---- */

static void draw_title(const struct painter *p, const struct column_place *at, int y)
{
	const struct column *col = &p->src->rows->columns[at->column];
	int x = p->t->area.x + at->x, title_w, marker_w;
	bool sorted = at->column == p->t->sort;
	enum role role = sorted ? ROLE_SORTED : ROLE_HEADER;
	/* Where the mark takes a letter the beginning says more. */
	bool long_one = col->title[text__fit(col->title, at->w, NULL)];

	marker_w = sorted && at->w > 1;
	text__fit(col->title, at->w - marker_w, &title_w);
	if (!is_text(col->type))
		x += at->w - title_w - marker_w;
	if (long_one)
		draw__middle(p->c, x, y, title_w, role, col->title);
	else
		draw__text(p->c, x, y, title_w, role, col->title);
	if (marker_w)
		draw__text(p->c, x + title_w, y, 1, role, p->t->descending ? "▼" : "▲");
}

static void draw_header(const struct painter *p)
{
	struct rect line = p->t->area;

	line.h = 1;
	draw__fill(p->c, line, ROLE_HEADER, ' ');
	for (u32 i = 0; i < p->t->nplaces; i++)
		draw_title(p, &p->t->places[i], line.y);
}

/* ---- cells ---- */

static enum role pct_role(const struct painter *p, double pct)
{
	if (pct < PCT_FAINT)
		return ROLE_DIM;
	if (pct < PCT_WARM || p->src->few)
		return ROLE_TEXT;
	return pct >= PCT_HOT ? ROLE_HOT : ROLE_WARM;
}

static void draw_bar(const struct painter *p, const struct column_place *at, int y, int w,
		     enum role role, double fraction)
{
	if (w > 0 && !p->src->few)
		bar__draw(p->c, p->t->area.x + at->x, y, w,
			  role == ROLE_TEXT || role == ROLE_DIM ? ROLE_BAR : role, fraction);
}

static void draw_pct(const struct painter *p, const struct column_place *at, int y, double pct,
		     enum role role)
{
	bool bar = p->src->rows->columns[at->column].flags & COLUMN_BAR;
	char buf[16];

	if (bar && role == ROLE_TEXT)
		role = pct_role(p, pct);
	if (bar || at->column == p->t->bar)
		draw_bar(p, at, y, at->w - TABLE_PCT_WIDTH, role, pct / 100);
	format__pct(buf, sizeof(buf), pct);
	draw__right(p->c, p->t->area.x + at->x, y, at->w, role, buf);
}

static void format__value(char *buf, size_t size, const struct value *v)
{
	*buf = '\0';
	if (v->type == VALUE_COUNT)
		format__count(buf, size, v->u);
	else if (v->type == VALUE_NS)
		format__ns(buf, size, v->u);
	else if (v->type == VALUE_BYTES)
		format__bytes(buf, size, v->u);
	else if (v->type == VALUE_BOOL)
		snprintf(buf, size, "%s", v->u ? "yes" : "");
	else if (v->type == VALUE_PCT)
		format__pct(buf, size, v->f);
	else if (v->type == VALUE_NUMBER)
		format__number(buf, size, v->f);
}

/* All digits of it; false: it is shortened. */
static bool is_exact(const struct painter *p, const struct column_place *at, const struct value *v, char *buf,
		     size_t size)
{
	if (!(p->src->rows->columns[at->column].flags & COLUMN_EXACT))
		return false;
	return snprintf(buf, size, v->type == VALUE_CHANGE ? "%lld" : "%llu", (long long)v->i) <= at->w;
}

/* "+12.34", "-5.60ms"; suffix: of what has no unit of its own. */
static void draw_change(const struct painter *p, const struct column_place *at, int y,
			const struct value *v, const char *suffix, enum role role)
{
	bool less;
	struct value size = value__size_of(v, &less);
	char number[24], text[32];

	format__value(number, sizeof(number), &size);
	if (!is_exact(p, at, v, text, sizeof(text)))
		snprintf(text, sizeof(text), "%s%s%s", less ? "-" : size.u ? "+" : "", number, suffix);
	draw__right(p->c, p->t->area.x + at->x, y, at->w, role, text);
}

static void draw_number(const struct painter *p, const struct column_place *at, int y,
			const struct value *v, enum role role)
{
	double most = p->most[at - p->t->places];
	char buf[32];

	if (at->column == p->t->bar && most > 0)
		draw_bar(p, at, y, at->w - p->src->rows->columns[at->column].width, role,
			 (double)v->u / most);
	if (!is_exact(p, at, v, buf, sizeof(buf)))
		format__value(buf, sizeof(buf), v);
	draw__right(p->c, p->t->area.x + at->x, y, at->w, role, buf);
}

/* Cells for the fold marker before a row's name. */
static int marker_width(const struct painter *p, const struct column_place *at)
{
	return p->src->children && at->column == p->t->key_column && at->w > 8 ? 2 : 0;
}

static int draw_words(const struct painter *p, const struct column *column, int x, int y, int w, enum role role,
		      const char *text)
{
	return column->flags & COLUMN_PROSE ? draw__words(p->c, x, y, w, role, text)
					    : draw__middle(p->c, x, y, w, role, text);
}

static void draw_value(const struct painter *p, const struct column_place *at, int y,
		       const struct value *v, enum role role)
{
	const struct column *column = &p->src->rows->columns[at->column];
	int x = p->t->area.x + at->x, marker = marker_width(p, at);

	switch (v->type) {
	case VALUE_NONE:
		if (!is_text(column->type))
			draw__right(p->c, x, y, at->w, ROLE_DIM, "—");
		else if (v->s)
			draw_words(p, column, x + marker, y, at->w - marker, ROLE_DIM, v->s);
		break;
	case VALUE_TEXT:
		/* A word where a number would be stands where its end would. */
		if (is_text(column->type))
			draw_words(p, column, x + marker, y, at->w - marker, role, v->s);
		else
			draw__right(p->c, x, y, at->w, role, v->s);
		break;
	case VALUE_CHANGE:
		draw_change(p, at, y, v, "", role);
		break;
	case VALUE_TREND:
		spark__draw(p->c, x, y, at->w, role == ROLE_TEXT ? ROLE_COOL : role, v->trend, v->n,
			    (float)p->most[at - p->t->places]);
		break;
	case VALUE_SPLIT:
		parts__draw(p->c, (struct rect){x, y, at->w, 1}, v->shares, v->n, v->letters);
		break;
	case VALUE_PCT:
		draw_pct(p, at, y, v->f, role);
		break;
	default:
		draw_number(p, at, y, v, role);
	}
}

static void draw_marker(const struct painter *p, const struct column_place *at, u32 row, int y)
{
	const struct table_source *src = p->src;
	bool open = src->open && src->open(src->ctx, src->rows->key(src->rows, row));

	if (!src->unfolds || src->unfolds(src->ctx, row))
		draw__text(p->c, p->t->area.x + at->x, y, 1, ROLE_DIM, open ? "▾" : "▸");
}

static void draw_row(const struct painter *p, u32 row, int y)
{
	const struct row_table *rows = p->src->rows;
	const struct table_source *src = p->src;
	struct value v;

	for (u32 i = 0; i < p->t->nplaces; i++) {
		const struct column_place *at = &p->t->places[i];
		u32 of = at->column == p->t->bar ? p->t->bar_of : at->column;

		if (marker_width(p, at))
			draw_marker(p, at, row, y);
		if (rows->cell(rows, row, at->column, &v))
			draw_value(p, at, y, &v, src->role ? src->role(src->ctx, row, of) : ROLE_TEXT);
	}
}

/* ---- child lines ---- */

static const struct column_place *place_of(const struct painter *p, u32 column)
{
	for (u32 i = 0; i < p->t->nplaces; i++)
		if (p->t->places[i].column == column)
			return &p->t->places[i];
	return NULL;
}

static const struct column_place *first_of(const struct painter *p, enum value_type type)
{
	for (u32 i = 0; i < p->t->nplaces; i++)
		if (p->src->rows->columns[p->t->places[i].column].type == type)
			return &p->t->places[i];
	return NULL;
}

/* A child's share stands below its row's first percentage. */
static const struct column_place *pct_place(const struct painter *p)
{
	return first_of(p, VALUE_PCT);
}

/* Of its share, whatever changes of its row are of. */
static void draw_child_change(const struct painter *p, const struct table_child *child, int y)
{
	const struct column_place *at = first_of(p, VALUE_CHANGE), *pct = pct_place(p);
	struct value v = {.type = VALUE_CHANGE, .n = VALUE_PCT, .f = child->change};

	if (at && child->compared)
		draw_change(p, at, y, &v, pct && pct == at + 1 ? "" : "%", ROLE_DIM);
}

static void note_depth(bool *last, const struct table_child *child)
{
	if (!child->chain && child->depth >= 1 && child->depth <= DEPTH_MAX)
		last[child->depth - 1] = child->last;
}

static const char *branch(const struct table_child *child, bool last)
{
	if (child->chain)
		return last ? "  " : "│ ";
	return child->last ? "└─" : "├─";
}

static const char *twig(const struct table_child *child)
{
	if (child->has_children && !(child->single && child->open))
		return child->open ? "▾ " : "▸ ";
	return child->chain ? "  " : "─ ";
}

/* Two cells a level. */
static int draw_tree(const struct painter *p, int x, int y, int w, const struct table_child *child,
		     const bool *last)
{
	u32 depth = MIN(child->depth, (u32)DEPTH_MAX), fits = (u32)MAX(w / 4, 1);
	u32 from = depth > fits ? depth - fits : 0;
	int start = x;

	for (u32 level = from; level + 1 < depth; level++)
		x += draw__text(p->c, x, y, 2, ROLE_BORDER, last[level] ? "  " : "│ ");
	x += draw__text(p->c, x, y, 2, ROLE_BORDER, branch(child, depth && last[depth - 1]));
	x += draw__text(p->c, x, y, 2, child->has_children ? ROLE_DIM : ROLE_BORDER, twig(child));
	return x - start;
}

#define CHILD_W 40 /* a function and its object can be read in it */

/* Where lines of children begin: below the key, or further left where that leaves too little room, right of what is
 * drawn of them there. */
static int child_x(const struct painter *p, const struct column_place *key, int end)
{
	const struct column_place *left[] = {pct_place(p), first_of(p, VALUE_CHANGE)};
	int x = p->t->area.x + key->x, least = p->t->area.x;

	if (end - x >= CHILD_W)
		return x;
	for (u32 i = 0; i < ARRAY_SIZE(left); i++)
		if (left[i] && left[i]->x < key->x)
			least = MAX(least, p->t->area.x + left[i]->x + left[i]->w + 1);
	return MIN(x, MAX(least, end - CHILD_W));
}

static void draw_child(const struct painter *p, const struct table_child *child, int y,
		       const bool *last)
{
	const struct column_place *key = place_of(p, p->t->key_column), *pct = pct_place(p);
	int x, w, end = p->t->area.x + p->t->area.w, note_w = 0;
	char buf[16];

	if (pct && child->pct >= 0) {
		format__pct(buf, sizeof(buf), child->pct);
		draw__right(p->c, p->t->area.x + pct->x, y, pct->w, ROLE_DIM, buf);
	}
	draw_child_change(p, child, y);
	if (!key)
		return;
	/* Nothing stands to the right of it: the text may have that room too. */
	if (pct && pct->x > key->x)
		end = p->t->area.x + pct->x - 1;
	x = child_x(p, key, end);
	x += draw_tree(p, x, y, MAX(key->w, MIN(end - x, CHILD_W)), child, last);
	w = MAX(end - x, 0);
	/* The name first; the note has what is left, a third when that is less. */
	if (child->note && child->note[0])
		note_w =
			MIN(text__width(child->note) + 2, MAX(w - text__width(child->text), w / 3));
	x += draw__middle(p->c, x, y, w - note_w, child->role, child->text);
	if (note_w > 2)
		draw__middle(p->c, x + 2, y, note_w - 2, ROLE_DIM, child->note);
}

/* What the lines above the first visible one say about each level of the tree. */
static void read_levels(const struct painter *p, u32 row, u32 n, bool *last)
{
	struct table_child child;

	for (u32 i = 0; i < n; i++)
		if (p->src->child(p->src->ctx, row, i, &child))
			note_depth(last, &child);
}

/* ---- search matches ---- */

/* Marks what stands on the screen, so that a name cut in its middle is marked as seen. */
static void mark_between(const struct painter *p, int y, int from, int to)
{
	wint_t want[sizeof(p->t->search)];
	int n = 0, end = MIN(p->t->area.x + to, p->c->w);
	u32 cp, len;

	for (const char *s = p->t->search; (len = utf8__decode(s, &cp)); s += len)
		want[n++] = towlower(cp);
	for (int x = p->t->area.x + from; n && x + n <= end; x++) {
		struct cell *cell = &p->c->cells[y * p->c->w + x];
		int i = 0;

		while (i < n && towlower((wint_t)cell[i].ch[0]) == want[i])
			i++;
		for (int m = 0; i == n && m < n; m++)
			cell[m].role = ROLE_MATCH;
	}
}

static void mark_matches(const struct painter *p, int y, bool child)
{
	const struct column_place *key = place_of(p, p->t->key_column);

	if (y >= p->c->h)
		return;
	if (child && key)
		mark_between(p, y, key->x, p->t->area.w);
	for (u32 i = 0; !child && i < p->t->nplaces; i++) {
		const struct column_place *at = &p->t->places[i];

		if (p->src->rows->columns[at->column].type == VALUE_TEXT)
			mark_between(p, y, at->x, at->x + at->w);
	}
}

/* ---- all of it ---- */

static void draw_line(const struct painter *p, u32 pos, u32 line, int y, bool *last)
{
	const struct table *t = p->t;
	u32 row = t->order[pos];
	struct table_child child;

	if (line == t->first[pos]) {
		draw_row(p, row, y);
	} else if (p->src->child(p->src->ctx, row, line - t->first[pos] - 1, &child)) {
		note_depth(last, &child);
		draw_child(p, &child, y, last);
	}
	if (t->search[0])
		mark_matches(p, y, line > t->first[pos]);
	if (line == t->cursor_line)
		draw__select(p->c, t->area.x, y, t->area.w);
}

static u32 first_position(const struct table *t)
{
	u32 pos = 0;

	while (pos + 1 < t->norder && t->first[pos + 1] <= t->top)
		pos++;
	return pos;
}

static double greatest_trend(const struct value *v, int w)
{
	u32 shown = MIN(v->n, (u32)MAX(w, 0));
	double most = 0;

	for (u32 i = v->n - shown; i < v->n; i++)
		if ((double)v->trend[i] > most)
			most = (double)v->trend[i];
	return most;
}

/* Rows are compared by eye: trends and bars of a column have one scale. */
static double scale_of(const struct table *t, const struct row_table *rows,
		       const struct column_place *at)
{
	const struct column *c = &rows->columns[at->column];
	double most = 0, is;
	struct value v;

	if (c->flags & COLUMN_TREND_PCT)
		return 100;
	if (c->type != VALUE_TREND && at->column != t->bar)
		return 0;
	for (u32 i = 0; i < rows->nrows; i++) {
		if (!rows->cell(rows, i, at->column, &v) || v.type != c->type)
			continue;
		is = v.type == VALUE_TREND ? greatest_trend(&v, at->w)
		     : v.type == VALUE_PCT ? 0
					   : (double)v.u;
		most = MAX(most, is);
	}
	return most;
}

void table__draw(struct table *t, const struct table_source *src, struct canvas *c)
{
	struct painter p = {.t = t, .src = src, .c = c};
	bool last[DEPTH_MAX] = {false};
	u32 line = t->top, pos;

	if (!src->rows || t->area.h < 1 || t->area.w < 1)
		return;
	draw_header(&p);
	if (!t->nlines || t->norder != src->rows->nrows)
		return;
	for (u32 i = 0; i < t->nplaces; i++)
		p.most[i] = scale_of(t, src->rows, &t->places[i]);
	pos = first_position(t);
	if (line > t->first[pos])
		read_levels(&p, t->order[pos], line - t->first[pos] - 1, last);
	for (int y = t->area.y + 1; y < t->area.y + t->area.h && line < t->nlines; y++, line++) {
		while (line >= t->first[pos + 1])
			pos++;
		draw_line(&p, pos, line, y, last);
	}
}
