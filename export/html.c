// SPDX-License-Identifier: GPL-2.0-only
/*
 * A report for a browser in one file that loads nothing, and is forbidden to: of each view what
 * was looked at, how far it can be trusted, its figures, its flame graph and its rows. What comes
 * from outside is text, never markup.
 */

#include "base/arena.h"
#include "export/export_impl.h"

#define HTML_ROWS 1000 /* of each view */

#define PCT_HOT	 10.0
#define PCT_WARM 3.0

__asm__(".section .rodata\n"
	".global proftop_html_style, proftop_html_style_end\n"
	"proftop_html_style:\n"
	".incbin \"export/html.css\"\n"
	"proftop_html_style_end:\n"
	".global proftop_html_script, proftop_html_script_end\n"
	"proftop_html_script:\n"
	".incbin \"export/html.js\"\n"
	"proftop_html_script_end:\n"
	".previous\n");
extern const char proftop_html_style[], proftop_html_style_end[];
extern const char proftop_html_script[], proftop_html_script_end[];

static void put_bytes(FILE *out, const char *from, const char *end)
{
	fwrite(from, 1, (size_t)(end - from), out);
}

/* --- head --- */

static void put_begin(FILE *out, const struct report *r)
{
	char date[DATE_SIZE];

	export__date(date);
	fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
	      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
	      "style-src 'unsafe-inline'; script-src 'unsafe-inline'\">\n"
	      "<meta name=\"viewport\" content=\"width=device-width\">\n<title>proftop on ",
	      out);
	export__put_xml(out, report__host(r));
	fputs("</title>\n<style>\n", out);
	put_bytes(out, proftop_html_style, proftop_html_style_end);
	fputs("</style>\n</head>\n<body>\n<h1>proftop on ", out);
	export__put_xml(out, report__host(r));
	fprintf(out, "</h1>\n<p>%s, kernel ", date);
	export__put_xml(out, report__kernel(r));
	fputs("</p>\n<nav>", out);
	for (; r; r = r->next) {
		fputs("<a href=\"#", out);
		export__put_xml(out, r->view);
		fputs("\">", out);
		export__put_xml(out, r->view);
		fputs("</a> ", out);
	}
	fputs("</nav>\n", out);
}

/* --- histograms: lists of {lo, hi, count} --- */

static struct value part_of(const struct value *v, u32 i, const char **name)
{
	struct value_part p = {0};

	v->part(v->of, i, &p);
	if (name)
		*name = p.name;
	return p.value;
}

static u64 count_of(const struct value *v, u32 i)
{
	const struct value bucket = part_of(v, i, NULL);

	return part_of(&bucket, 2, NULL).u;
}

/* Whether a value is such a list, and not empty. */
static bool histogram__is(const struct value *v)
{
	const char *name = NULL;
	struct value first;

	if (v->type != VALUE_LIST || !v->n)
		return false;
	first = part_of(v, 0, NULL);
	if (first.type == VALUE_OBJECT && first.n == 3)
		part_of(&first, 2, &name);
	return name && !strcmp(name, "count");
}

static void put_bar(FILE *out, bool tall, u64 n, u64 most)
{
	u64 eighths = (n * 8 + most - 1) / most;

	if (tall)
		fprintf(out, "<i style=\"height:%llu%%\"></i>",
			(unsigned long long)((n * 100 + most - 1) / most));
	else if (eighths)
		fprintf(out, "\xe2\x96%c", 0x80 + (int)MIN(eighths, 8ULL));
	else
		fputc(' ', out);
}

/* A bar for each bucket, each as wide: buckets grow with their values. tall: of a view, else as high
 * as a line. */
static void histogram__put(FILE *out, const struct value *v, bool tall)
{
	const struct value first = part_of(v, 0, NULL), last = part_of(v, v->n - 1, NULL);
	const struct value from = part_of(&first, 0, NULL), to = part_of(&last, 1, NULL);
	char lo[CELL_SIZE], hi[CELL_SIZE];
	u64 most = 1;

	for (u32 i = 0; i < v->n; i++)
		most = MAX(most, count_of(v, i));
	fprintf(out, "<span class=\"%s\" title=\"%s to %s, at most %llu in a bucket\">",
		tall ? "hist" : "mini", export__cell_text(&from, lo), export__cell_text(&to, hi),
		(unsigned long long)most);
	for (u32 i = 0; i < v->n; i++)
		put_bar(out, tall, count_of(v, i), most);
	fputs("</span>", out);
}

struct heading {
	FILE *out;
	bool bad;
};

static void put_field(void *ctx, const char *name, const char *text)
{
	const struct heading *h = ctx;

	fprintf(h->out, "<dt>%s</dt><dd%s>", name,
		h->bad && !strcmp(name, "samples") ? " class=\"bad\"" : "");
	export__put_xml(h->out, text);
	fputs("</dd>\n", h->out);
}

static void put_summary(FILE *out, const struct report *r)
{
	char buf[CELL_SIZE], title[CELL_SIZE];

	for (u32 i = 0; i < r->nsummary; i++) {
		const struct value *v = &r->summary[i].value;
		const char *text = export__cell_text(v, buf);

		if (!*text && !histogram__is(v))
			continue;
		fprintf(out, "<dt>%s</dt><dd>", export__title(r->summary[i].name, title));
		if (*text)
			export__put_xml(out, text);
		else
			histogram__put(out, v, true);
		fputs("</dd>\n", out);
	}
}

/* --- rows --- */

/* Of each row, where there is room for it. */
static bool is_histogram(const struct column *c)
{
	return c->type == VALUE_LIST && !strcmp(c->name, "hist");
}

/* On screen or a distribution, and in some row. */
static bool is_shown(const struct report *r, u32 column)
{
	struct value v;

	if (!(r->rows->columns[column].flags & COLUMN_SCREEN) && !is_histogram(&r->rows->columns[column]))
		return false;
	for (u32 i = 0; i < r->rows->nrows; i++)
		if (report__cell(r, i, column, &v))
			return true;
	return false;
}

static bool is_left(const struct column *c)
{
	return c->type == VALUE_TEXT || c->type == VALUE_TREND || c->type == VALUE_SPLIT ||
	       is_histogram(c);
}

static void put_titles(FILE *out, const struct report *r, const bool *shown)
{
	fputs("<thead><tr>", out);
	for (u32 c = 0; c < r->rows->ncolumns; c++) {
		const struct column *col = &r->rows->columns[c];

		if (!shown[c])
			continue;
		fprintf(out, "<th%s title=\"", is_left(col) ? "" : " class=\"n\"");
		export__put_xml(out, col->help ? col->help : "");
		fputs("\">", out);
		export__put_xml(out, is_histogram(col) ? "Distribution" : col->title);
		fputs("</th>", out);
	}
	fputs("</tr></thead>\n", out);
}

static const char *class_of(const struct column *c, const struct value *v)
{
	if (is_left(c))
		return "";
	if (v->type != VALUE_PCT || !(c->flags & COLUMN_BAR) || !(v->f >= PCT_WARM))
		return "n";
	return v->f >= PCT_HOT ? "n hot" : "n warm";
}

/* Numbers say what they are sorted by. */
static void put_sort_value(FILE *out, const struct value *v)
{
	char buf[40];

	switch (v->type) {
	case VALUE_PCT:
	case VALUE_NUMBER:
		if (format_double(buf, sizeof(buf), v->f))
			fprintf(out, " data-v=\"%s\"", buf);
		break;
	case VALUE_COUNT:
	case VALUE_NS:
	case VALUE_BYTES:
		fprintf(out, " data-v=\"%llu\"", (unsigned long long)v->u);
		break;
	default:
		break;
	}
}

static void put_cell(FILE *out, const struct report *r, u32 row, u32 column, float top)
{
	const struct column *c = &r->rows->columns[column];
	struct value v = {0};
	char buf[CELL_SIZE];
	bool has = report__cell(r, row, column, &v);
	const char *class = class_of(c, &v);

	fprintf(out, *class ? "<td class=\"%s\"" : "<td%s", class);
	if (has)
		put_sort_value(out, &v);
	fputc('>', out);
	if (has && is_histogram(c) && histogram__is(&v))
		histogram__put(out, &v, false);
	else
		export__put_xml(out, export__cell(r, row, column, top, buf));
	fputs("</td>", out);
}

static void put_rows(FILE *out, const struct report *r)
{
	u32 n = MIN(r->rows->nrows, (u32)HTML_ROWS);
	bool *shown = xcalloc(r->rows->ncolumns, sizeof(*shown));
	float *tops = xcalloc(r->rows->ncolumns, sizeof(*tops));

	for (u32 c = 0; c < r->rows->ncolumns; c++) {
		shown[c] = is_shown(r, c);
		tops[c] = export__top(r, c);
	}
	if (r->rows->nrows > n)
		fprintf(out, "<p>The first %u of %u rows.</p>\n", n, r->rows->nrows);
	fputs("<input hidden placeholder=\"show rows with this text\">\n<div "
	      "class=\"rows\"><table>\n",
	      out);
	put_titles(out, r, shown);
	fputs("<tbody>\n", out);
	for (u32 i = 0; i < n && !ferror(out); i++) {
		fputs("<tr>", out);
		for (u32 c = 0; c < r->rows->ncolumns; c++)
			if (shown[c])
				put_cell(out, r, report__row(r, i), c, tops[c]);
		fputs("</tr>\n", out);
	}
	fputs("</tbody></table></div>\n", out);
	free(shown);
	free(tops);
}

static int put_view(FILE *out, const struct report *r)
{
	const struct health *e = &r->health;
	struct heading h = {out, e->lost || e->map_full || e->side_lost};
	int ret = 0;

	fputs("<section id=\"", out);
	export__put_xml(out, r->view);
	fputs("\">\n<h2>", out);
	export__put_xml(out, r->view);
	fputs("</h2>\n<dl>\n", out);
	export__head(r, put_field, &h);
	put_summary(out, r);
	fputs("</dl>\n", out);
	put_rows(out, r);
	if (r->stacks)
		ret = export_svg(out, r, true);
	fputs("</section>\n", out);
	return ret;
}

int export_html(FILE *out, const struct report *r, bool first)
{
	int ret = 0;

	if (!first)
		return 0;
	put_begin(out, r);
	for (; r && !ret; r = r->next)
		ret = put_view(out, r);
	if (ret)
		return ret;
	fputs("<script>\n", out);
	put_bytes(out, proftop_html_script, proftop_html_script_end);
	fputs("</script>\n</body>\n</html>\n", out);
	return export__flush(out);
}
