// SPDX-License-Identifier: GPL-2.0-only
/*
 * Text for people: a head that says what was looked at and how far it can be trusted, then
 * every row. Columns are as wide as their widest cell. Files are UTF-8, as names are.
 */
#include <wchar.h>

#include "base/arena.h"
#include "base/utf8.h"
#include "export/export_impl.h"

static bool has_parts(const struct value *v)
{
	return v->type == VALUE_STACK || v->type == VALUE_LIST || v->type == VALUE_OBJECT;
}

/* Cells that a code point takes on a terminal; unknown ones count as one. */
static u32 cells_of(u32 cp)
{
	int w = cp < 0x80 ? 1 : wcwidth((wchar_t)cp);

	return w < 0 ? 1 : (u32)w;
}

static bool is_control(u32 cp)
{
	return cp < ' ' || (cp >= 0x7f && cp < 0xa0);
}

static u32 text_width(const char *s)
{
	u32 width = 0, cp;

	while ((cp = utf8__next(&s)))
		width += is_control(cp) ? 1 : cells_of(cp);
	return width;
}

static void put_blanks(FILE *out, u32 n)
{
	while (n--)
		fputc(' ', out);
}

static bool is_left(const struct column *c)
{
	return c->type == VALUE_TEXT || c->type == VALUE_TREND || c->type == VALUE_SPLIT;
}

/* Text in a colour (SGR parameters), "" none. */
static void put_coloured(FILE *out, const char *sgr, const char *text)
{
	if (*sgr)
		fprintf(out, "\033[%sm", sgr);
	export__put_clean(out, text);
	if (*sgr)
		fputs("\033[m", out);
}

static void put_cell(FILE *out, const struct column *c, const char *sgr, const char *text,
		     u32 width, bool last)
{
	u32 used = text_width(text), pad = width > used ? width - used : 0;

	if (!is_left(c))
		put_blanks(out, pad);
	put_coloured(out, sgr, text);
	if (is_left(c) && !last)
		put_blanks(out, pad);
}

/* --- colours --- */

#define SGR_STRONG "1"
#define SGR_FAINT  "2"
#define SGR_TITLE  "7"
#define SGR_BAD	   "1;31"
#define SGR_HOT	   "1;31"
#define SGR_WARM   "33"

/* Of percentages with a bar, as on screen. */
#define PCT_HOT	  10.0
#define PCT_WARM  3.0
#define PCT_FAINT 0.05

static const char *kind_sgr(const char *kind)
{
	static const char *const colours[][2] = {
		{"kernel", "35"}, {"bpf", "35"},     {"inlined", "36"}, {"jit", "33"},
		{"user", "32"},	  {"library", "32"}, {"vdso", "32"},	{"python", "36"},
		{"java", "33"}, {"js", "34"}, {"php", "34"},
		{"ruby", "31"}, {"perl", "34"}, {"go", "36"},
	};

	for (u32 i = 0; i < ARRAY_SIZE(colours); i++)
		if (!strcmp(colours[i][0], kind))
			return colours[i][1];
	return "";
}

static const char *pct_sgr(double pct)
{
	if (pct >= PCT_HOT)
		return SGR_HOT;
	if (pct >= PCT_WARM)
		return SGR_WARM;
	return pct < PCT_FAINT ? SGR_FAINT : "";
}

/* The columns that are shown, from left to right. */
struct layout {
	bool colours;
	u32 kind; /* the column that tells a row's kind of code; ncolumns: none */
	u32 n;
	u32 *columns, *widths;
	float *tops; /* of trends */
};

/* Width of the widest cell; 0 when no row has the column. */
static u32 measure(const struct report *r, u32 column, float top)
{
	const struct row_table *t = r->rows;
	char buf[CELL_SIZE];
	struct value v;
	u32 width = 0;

	for (u32 i = 0; i < t->nrows; i++)
		if (report__cell(r, i, column, &v))
			width = MAX(MAX(width, 1u), text_width(export__cell(r, i, column, top, buf)));
	if (width || !t->nrows)
		width = MAX(width, text_width(t->columns[column].title));
	return width;
}

/* Names of any length come last: one long name must not push the numbers away. */
static void layout__init(struct layout *l, const struct report *r, bool colours)
{
	const struct row_table *t = r->rows;

	*l = (struct layout){.colours = colours};
	while (l->kind < t->ncolumns && strcmp(t->columns[l->kind].name, "kind") != 0)
		l->kind++;
	l->columns = xcalloc(t->ncolumns, sizeof(u32));
	l->widths = xcalloc(t->ncolumns, sizeof(u32));
	l->tops = xcalloc(t->ncolumns, sizeof(float));
	for (u32 pass = 0; pass < 2; pass++) {
		for (u32 c = 0; c < t->ncolumns; c++) {
			bool flex = t->columns[c].flags & COLUMN_FLEX;

			if (!(t->columns[c].flags & COLUMN_SCREEN) || flex != (pass == 1))
				continue;
			l->columns[l->n] = c;
			l->tops[l->n] = export__top(r, c);
			l->widths[l->n] = measure(r, c, l->tops[l->n]);
			l->n += l->widths[l->n] != 0;
		}
	}
}

static void layout__fini(struct layout *l)
{
	free(l->columns);
	free(l->widths);
	free(l->tops);
}

static void put_titles(FILE *out, const struct row_table *t, const struct layout *l)
{
	for (u32 i = 0; i < l->n; i++) {
		const struct column *c = &t->columns[l->columns[i]];

		put_cell(out, c, l->colours ? SGR_TITLE : "", c->title, l->widths[i],
			 i + 1 == l->n);
		fputs(i + 1 == l->n ? "\n" : "  ", out);
	}
}

static const char *cell_sgr(const struct report *r, u32 row, u32 column, const struct value *v,
			    const struct layout *l)
{
	const struct column *c = &r->rows->columns[column];
	struct value kind;

	if (!l->colours)
		return "";
	if (v->type == VALUE_PCT)
		return c->flags & COLUMN_BAR ? pct_sgr(v->f) : "";
	if ((c->flags & COLUMN_KEY || column == l->kind) && l->kind < r->rows->ncolumns &&
	    report__cell(r, row, l->kind, &kind) && kind.type == VALUE_TEXT)
		return kind_sgr(kind.s);
	return c->flags & COLUMN_KEY ? SGR_STRONG : "";
}

static void put_row(FILE *out, const struct report *r, u32 row, const struct layout *l)
{
	char buf[CELL_SIZE];
	struct value v;

	for (u32 i = 0; i < l->n; i++) {
		u32 c = l->columns[i];
		bool has = report__cell(r, row, c, &v);

		put_cell(out, &r->rows->columns[c], has ? cell_sgr(r, row, c, &v, l) : "",
			 export__cell(r, row, c, l->tops[i], buf), l->widths[i], i + 1 == l->n);
		fputs(i + 1 == l->n ? "\n" : "  ", out);
	}
}

static void put_rows(FILE *out, const struct report *r, bool colours)
{
	struct layout l;

	layout__init(&l, r, colours);
	fputc('\n', out);
	put_titles(out, r->rows, &l);
	for (u32 i = 0; i < r->rows->nrows && !ferror(out); i++)
		put_row(out, r, report__row(r, i), &l);
	if (!r->rows->nrows)
		fputs("(no rows)\n", out);
	layout__fini(&l);
}

struct text {
	FILE *out;
	bool colours, bad;
};

static void put_field(void *ctx, const char *name, const char *text)
{
	const struct text *t = ctx;
	bool bad = t->bad && !strcmp(name, "samples");

	if (t->colours)
		fputs("\033[" SGR_FAINT "m", t->out);
	fprintf(t->out, "%-8s ", name);
	if (t->colours)
		fputs("\033[m", t->out);
	put_coloured(t->out, t->colours && bad ? SGR_BAD : "", text);
	fputc('\n', t->out);
}

static void put_title(FILE *out, const struct report *r)
{
	char date[DATE_SIZE];

	export__date(date);
	fputs("proftop  ", out);
	export__put_clean(out, r->view);
	fprintf(out, "  %s  host ", date);
	export__put_clean(out, report__host(r));
	fputs("  kernel ", out);
	export__put_clean(out, report__kernel(r));
	fputc('\n', out);
}

/* Of a list of values each of them, of one of lists how many there are; others take more than a line. */
static bool fits_in_line(const struct value *v)
{
	struct value_part part = {0};

	if (v->type != VALUE_LIST || !v->n)
		return !has_parts(v);
	v->part(v->of, 0, &part);
	return part.value.type == VALUE_LIST || !has_parts(&part.value);
}

static void put_list(FILE *out, const struct value *list)
{
	struct value_part part = {0};
	char buf[CELL_SIZE];

	list->part(list->of, 0, &part);
	if (part.value.type == VALUE_LIST) {
		fprintf(out, "%u", list->n);
		return;
	}
	for (u32 i = 0; i < list->n; i++) {
		list->part(list->of, i, &part);
		fputs(i ? " " : "", out);
		export__put_clean(out, export__cell_text(&part.value, buf));
	}
}

static void put_summary(FILE *out, const struct report *r)
{
	const char *label = "summary";
	char buf[CELL_SIZE];

	for (u32 i = 0; i < r->nsummary; i++) {
		const struct value *v = &r->summary[i].value;

		if (!fits_in_line(v))
			continue;
		fprintf(out, "%-8s %s ", label, r->summary[i].name);
		label = "";
		if (v->type == VALUE_LIST)
			put_list(out, v);
		else
			export__put_clean(out, export__cell_text(v, buf));
		fputc('\n', out);
	}
}

static int put_text(FILE *out, const struct report *r, bool first, bool colours)
{
	const struct health *h = &r->health;
	struct text t = {out, colours, h->lost || h->map_full || h->side_lost};

	if (!first)
		fputc('\n', out);
	put_title(out, r);
	export__head(r, put_field, &t);
	put_summary(out, r);
	put_rows(out, r, colours);
	return export__flush(out);
}

int export_text(FILE *out, const struct report *r, bool first)
{
	return put_text(out, r, first, false);
}

int export_ansi(FILE *out, const struct report *r, bool first)
{
	return put_text(out, r, first, true);
}
