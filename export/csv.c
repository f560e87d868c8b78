// SPDX-License-Identifier: GPL-2.0-only
/* Comma-separated values, quoted as in RFC 4180. */
#include <json-c/json.h>

#include "base/json_line.h"
#include "base/utf8.h"
#include "export/export_impl.h"

/* A report may go to a terminal, and to readers of UTF-8: what is neither does not. */
static void put_quoted(FILE *out, const char *s)
{
	char c[4];

	for (u32 n; (n = utf8__clean(&s, c));) {
		if (*c == '"')
			fputc('"', out);
		fwrite(c, 1, n, out);
	}
}

/* A spreadsheet would run what begins so, whoever named a thread like that; tabs and the like,
 * which it skips, are '?' by now. */
static void begin_text(FILE *out, const char *s)
{
	fputs(*s && strchr("=+-@", *s) ? "\"'" : "\"", out);
}

static void put_text(FILE *out, const char *s)
{
	begin_text(out, s);
	put_quoted(out, s);
	fputc('"', out);
}

/* Folded: root first, ';' between. */
static void put_stack(FILE *out, const struct value *v)
{
	struct value_frame f = {.symbol = ""};

	if (v->n)
		v->frame(v->of, v->n - 1, &f);
	begin_text(out, f.symbol);
	for (u32 i = v->n; i-- > 0;) {
		v->frame(v->of, i, &f);
		put_quoted(out, f.symbol);
		if (i)
			fputc(';', out);
	}
	fputc('"', out);
}

/* What has members has no other text that is read as easily. */
static void put_json(FILE *out, const struct value *v)
{
	char *line = json__line(export__json_value(v));

	put_text(out, line);
	free(line);
}

/* Numbers between blanks, oldest first. */
static void put_trend(FILE *out, const struct value *v)
{
	char buf[40];

	fputc('"', out);
	for (u32 i = 0; i < v->n; i++)
		if (format_double(buf, sizeof(buf), (double)v->trend[i]))
			fprintf(out, "%s%s", i ? " " : "", buf);
	fputc('"', out);
}

static void put_value(FILE *out, const struct value *v)
{
	char buf[40];

	switch (v->type) {
	case VALUE_NONE:
		break;
	case VALUE_TEXT:
		put_text(out, v->s);
		break;
	case VALUE_PCT:
	case VALUE_NUMBER:
		if (format_double(buf, sizeof(buf), v->f))
			fputs(buf, out);
		break;
	case VALUE_BOOL:
		fputs(v->u ? "true" : "false", out);
		break;
	case VALUE_TREND:
		put_trend(out, v);
		break;
	case VALUE_SPLIT:
		break;
	case VALUE_STACK:
		put_stack(out, v);
		break;
	case VALUE_LIST:
	case VALUE_OBJECT:
		put_json(out, v);
		break;
	case VALUE_CHANGE:
		if (v->n != VALUE_PCT)
			fprintf(out, "%lld", (long long)v->i);
		else if (format_double(buf, sizeof(buf), v->f))
			fputs(buf, out);
		break;
	case VALUE_COUNT:
	case VALUE_NS:
	case VALUE_BYTES:
		fprintf(out, "%llu", (unsigned long long)v->u);
		break;
	}
}

/* Rows that have times of their own, as those of a heat map, do without the interval's. */
static bool has_times(const struct row_table *t)
{
	for (u32 c = 0; c < t->ncolumns; c++)
		if (t->columns[c].flags & COLUMN_EXPORT && !strcmp(t->columns[c].name, "t0_ns"))
			return true;
	return false;
}

static void put_header(FILE *out, const struct row_table *t)
{
	fputs(has_times(t) ? "seq" : "seq,t0_ns,t1_ns", out);
	for (u32 c = 0; c < t->ncolumns; c++)
		if (t->columns[c].flags & COLUMN_EXPORT)
			fprintf(out, ",%s", t->columns[c].name);
	fputc('\n', out);
}

static void put_row(FILE *out, const struct report *r, u32 row)
{
	const struct row_table *t = r->rows;
	struct value v;

	fprintf(out, "%llu", (unsigned long long)r->seq);
	if (!has_times(t))
		fprintf(out, ",%llu,%llu", (unsigned long long)r->t0_ns,
			(unsigned long long)r->t1_ns);
	for (u32 c = 0; c < t->ncolumns; c++) {
		if (!(t->columns[c].flags & COLUMN_EXPORT))
			continue;
		fputc(',', out);
		if (report__cell(r, row, c, &v))
			put_value(out, &v);
	}
	fputc('\n', out);
}

int export_csv(FILE *out, const struct report *r, bool first)
{
	if (first)
		put_header(out, r->rows);
	for (u32 i = 0; i < r->rows->nrows && !ferror(out); i++)
		put_row(out, r, report__row(r, i));
	return export__flush(out);
}
