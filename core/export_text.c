// SPDX-License-Identifier: GPL-2.0-only
/*
 * Text for people: a head that says what was looked at and how far it can be trusted, then
 * every row. Columns are as wide as their widest cell. Files are UTF-8, as names are.
 */
#include <math.h>
#include <time.h>
#include <wchar.h>

#include "core/arena.h"
#include "core/export_form.h"
#include "core/utf8.h"

#define CELL_SIZE 64 /* bytes of a number as text */

static const char *const unit_steps[] = {"ns", "us", "ms", "s"};

static void format_ns(char *buf, size_t size, u64 ns)
{
	double x = (double)ns;
	u32 i = 0;

	while (x >= 1000 && i + 1 < ARRAY_SIZE(unit_steps)) {
		x /= 1000;
		i++;
	}
	format_c(buf, size, "%.*f %s", i ? 2 : 0, x, unit_steps[i]);
}

static void format_bytes(char *buf, size_t size, u64 bytes)
{
	static const char *const steps[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
	double x = (double)bytes;
	u32 i = 0;

	while (x >= 1024 && i + 1 < ARRAY_SIZE(steps)) {
		x /= 1024;
		i++;
	}
	format_c(buf, size, "%.*f %s", i ? 1 : 0, x, steps[i]);
}

/* Eighth blocks from the lowest to the highest of the row's own values. */
static void format_trend(char *buf, size_t size, const struct value *v)
{
	u32 n = MIN(v->n, (u32)(size - 1) / 3);
	float top = 0;

	for (u32 i = 0; i < n; i++)
		top = MAX(top, v->trend[i]);
	for (u32 i = 0; i < n; i++) {
		float x = v->trend[i];
		u32 level = top > 0 && x > 0 ? (u32)(x / top * 7.0f) : 0;

		buf += snprintf(buf, 4, "\xe2\x96%c", 0x81 + (int)MIN(level, 7u));
	}
	*buf = '\0';
}

/* The cell's text: v's own or in buf. */
static const char *cell_text(const struct value *v, char buf[CELL_SIZE])
{
	buf[0] = '\0';
	switch (v->type) {
	case VALUE_TEXT:
		return v->s;
	case VALUE_COUNT:
		snprintf(buf, CELL_SIZE, "%llu", (unsigned long long)v->u);
		break;
	case VALUE_PCT:
		if (isfinite(v->f))
			format_c(buf, CELL_SIZE, "%.2f", v->f);
		break;
	case VALUE_NS:
		format_ns(buf, CELL_SIZE, v->u);
		break;
	case VALUE_BYTES:
		format_bytes(buf, CELL_SIZE, v->u);
		break;
	case VALUE_BOOL:
		return v->u ? "yes" : "no";
	case VALUE_TREND:
		format_trend(buf, CELL_SIZE, v);
		break;
	/* These are for programs; people have columns and trees. */
	case VALUE_STACK:
	case VALUE_LIST:
	case VALUE_OBJECT:
	case VALUE_NONE:
		break;
	}
	return buf;
}

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

/* Writes it with what is not text replaced. */
static void put_clean(FILE *out, const char *s)
{
	char c[4];

	for (u32 n; (n = utf8__clean(&s, c));)
		fwrite(c, 1, n, out);
}

static void put_blanks(FILE *out, u32 n)
{
	while (n--)
		fputc(' ', out);
}

static bool is_left(const struct column *c)
{
	return c->type == VALUE_TEXT || c->type == VALUE_TREND;
}

static void put_cell(FILE *out, const struct column *c, const char *text, u32 width, bool last)
{
	u32 used = text_width(text), pad = width > used ? width - used : 0;

	if (!is_left(c))
		put_blanks(out, pad);
	put_clean(out, text);
	if (is_left(c) && !last)
		put_blanks(out, pad);
}

/* The columns that are shown, from left to right. */
struct layout {
	u32 n;
	u32 *columns, *widths;
};

/* Width of the widest cell; 0 when no row has the column. */
static u32 measure(const struct report *r, u32 column)
{
	const struct row_table *t = r->rows;
	char buf[CELL_SIZE];
	struct value v;
	u32 width = 0;

	for (u32 i = 0; i < t->nrows; i++)
		if (report__cell(r, i, column, &v))
			width = MAX(MAX(width, 1u), text_width(cell_text(&v, buf)));
	if (width || !t->nrows)
		width = MAX(width, text_width(t->columns[column].title));
	return width;
}

/* Names of any length come last: one long name must not push the numbers away. */
static void layout__init(struct layout *l, const struct report *r)
{
	const struct row_table *t = r->rows;

	l->n = 0;
	l->columns = xcalloc(t->ncolumns, sizeof(u32));
	l->widths = xcalloc(t->ncolumns, sizeof(u32));
	for (u32 pass = 0; pass < 2; pass++) {
		for (u32 c = 0; c < t->ncolumns; c++) {
			bool flex = t->columns[c].flags & COLUMN_FLEX;

			if (!(t->columns[c].flags & COLUMN_SCREEN) || flex != (pass == 1))
				continue;
			l->columns[l->n] = c;
			l->widths[l->n] = measure(r, c);
			l->n += l->widths[l->n] != 0;
		}
	}
}

static void layout__fini(struct layout *l)
{
	free(l->columns);
	free(l->widths);
}

static void put_titles(FILE *out, const struct row_table *t, const struct layout *l)
{
	for (u32 i = 0; i < l->n; i++) {
		const struct column *c = &t->columns[l->columns[i]];

		put_cell(out, c, c->title, l->widths[i], i + 1 == l->n);
		fputs(i + 1 == l->n ? "\n" : "  ", out);
	}
}

static void put_row(FILE *out, const struct report *r, u32 row, const struct layout *l)
{
	char buf[CELL_SIZE];
	struct value v;

	for (u32 i = 0; i < l->n; i++) {
		bool has = report__cell(r, row, l->columns[i], &v);

		put_cell(out, &r->rows->columns[l->columns[i]], has ? cell_text(&v, buf) : "",
			 l->widths[i], i + 1 == l->n);
		fputs(i + 1 == l->n ? "\n" : "  ", out);
	}
}

static void put_rows(FILE *out, const struct report *r)
{
	struct layout l;

	layout__init(&l, r);
	fputc('\n', out);
	put_titles(out, r->rows, &l);
	for (u32 i = 0; i < r->rows->nrows && !ferror(out); i++)
		put_row(out, r, report__row(r, i), &l);
	if (!r->rows->nrows)
		fputs("(no rows)\n", out);
	layout__fini(&l);
}

static void put_field(FILE *out, const char *name, const char *text)
{
	if (!text || !*text)
		return;
	fprintf(out, "%-8s ", name);
	put_clean(out, text);
	fputc('\n', out);
}

static void put_title(FILE *out, const struct report *r)
{
	time_t now = time(NULL);
	char date[64] = "";
	struct tm tm;

	if (localtime_r(&now, &tm))
		strftime(date, sizeof(date), "%Y-%m-%d %H:%M:%S %z", &tm);
	fputs("proftop  ", out);
	put_clean(out, r->view);
	fprintf(out, "  %s  host ", date);
	put_clean(out, report__host(r));
	fputs("  kernel ", out);
	put_clean(out, report__kernel(r));
	fputc('\n', out);
}

static void put_window(FILE *out, const struct report *r)
{
	char length[CELL_SIZE], line[256];

	format_ns(length, sizeof(length), r->t1_ns > r->t0_ns ? r->t1_ns - r->t0_ns : 0);
	snprintf(line, sizeof(line), "%s (%s, number %llu)%s%s%s", r->window ? r->window : "last",
		 length, (unsigned long long)r->seq, r->group && *r->group ? ", by " : "",
		 r->group ? r->group : "", r->order ? ", sorted as on screen" : "");
	put_field(out, "window", line);
}

/* What was lost, in words: nothing lost is said too. */
static void put_losses(FILE *out, const struct health *h)
{
	char line[320], pct[CELL_SIZE];
	int n;

	format_c(pct, sizeof(pct), "%.1f%%", h->truncated_pct);
	n = snprintf(line, sizeof(line), "%llu in the interval, %llu in all, ",
		     (unsigned long long)h->samples, (unsigned long long)h->samples_total);
	if (h->lost)
		n += snprintf(line + n, sizeof(line) - (size_t)n, "%llu LOST",
			      (unsigned long long)h->lost);
	else
		n += snprintf(line + n, sizeof(line) - (size_t)n, "none lost");
	if (h->map_full)
		n += snprintf(line + n, sizeof(line) - (size_t)n, ", a map was FULL %llu times",
			      (unsigned long long)h->map_full);
	if (h->stacks_lost)
		n += snprintf(line + n, sizeof(line) - (size_t)n, ", %llu without a stack",
			      (unsigned long long)h->stacks_lost);
	n += snprintf(line + n, sizeof(line) - (size_t)n, ", user stacks truncated %s", pct);
	if (h->side_lost)
		snprintf(line + n, sizeof(line) - (size_t)n, ", %llu records of new code lost",
			 (unsigned long long)h->side_lost);
	put_field(out, "samples", line);
}

static void put_engine(FILE *out, const struct health *h)
{
	char line[320], rate[CELL_SIZE] = "";
	const char *exact = h->precise ? "precise" : "addresses may skid";
	bool measured = h->run_pct > 0;

	if (h->freq)
		snprintf(rate, sizeof(rate), " at %llu Hz, %s", (unsigned long long)h->freq, exact);
	else if (h->period)
		snprintf(rate, sizeof(rate), " every %llu, %s", (unsigned long long)h->period,
			 exact);
	format_c(line, sizeof(line), "%s, %s%s; own CPU %.2f%% of one, %s %.3f%% of all",
		 *h->tier ? h->tier : "none", *h->event ? h->event : "no event", rate,
		 h->self_cpu_pct, measured ? "program" : "sampling about",
		 measured ? h->run_pct : h->cost_pct);
	put_field(out, "engine", line);
	put_field(out, "note", h->note);
}

static void put_summary(FILE *out, const struct report *r)
{
	const char *label = "summary";
	char buf[CELL_SIZE];

	for (u32 i = 0; i < r->nsummary; i++) {
		if (has_parts(&r->summary[i].value))
			continue;
		fprintf(out, "%-8s %s ", label, r->summary[i].name);
		label = "";
		put_clean(out, cell_text(&r->summary[i].value, buf));
		fputc('\n', out);
	}
}

int export_text(FILE *out, const struct report *r, bool first)
{
	if (!first)
		fputc('\n', out);
	put_title(out, r);
	put_field(out, "scope", r->scope && *r->scope ? r->scope : "everything");
	put_window(out, r);
	put_losses(out, &r->health);
	put_engine(out, &r->health);
	put_summary(out, r);
	put_rows(out, r);
	return export__flush(out);
}
