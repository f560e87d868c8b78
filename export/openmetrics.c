// SPDX-License-Identifier: GPL-2.0-only
/*
 * OpenMetrics 1.0 text: health and summary of a report as metrics of their own, its histograms as
 * histograms, and its first rows as gauges that are told apart by labels. Units are OpenMetrics'
 * base units: times in seconds, percentages as ratios.
 * https://prometheus.io/docs/specs/om/open_metrics_spec/
 */
#include <ctype.h>

#include "base/arena.h"
#include "base/utf8.h"
#include "export/export_impl.h"

#define MAX_ROWS    100
#define NAME_SIZE   128
#define LABEL_BYTES 256 /* of a value, about */

struct metrics {
	FILE *out;
	const struct report *r;
	char prefix[NAME_SIZE / 2]; /* "proftop_cpu" */
	char **labels;		    /* by row: all that tell it apart, without braces */
	u32 nrows;
};

/* --- names and values --- */

/* What the format allows in names. */
static void clean_name(char *name)
{
	for (; *name; name++)
		if (!isalnum((unsigned char)*name))
			*name = '_';
}

static bool ends_with(const char *s, const char *end)
{
	size_t n = strlen(s), m = strlen(end);

	return n >= m && !strcmp(s + n - m, end);
}

/* A field's name with the unit that its value has here. */
static const char *unit_of(enum value_type type)
{
	switch (type) {
	case VALUE_NS:
		return "seconds";
	case VALUE_BYTES:
		return "bytes";
	case VALUE_PCT:
		return "ratio";
	default:
		return "";
	}
}

static void family_name(const struct metrics *m, const char *part, const char *field,
			enum value_type type, char name[NAME_SIZE])
{
	static const char *const ends[] = {"_ns", "_pct", "_bytes", "_total"};
	const char *unit = unit_of(type);
	int n = (int)strlen(field);

	for (u32 i = 0; i < ARRAY_SIZE(ends); i++)
		if (ends_with(field, ends[i]))
			n = (int)(strlen(field) - strlen(ends[i]));
	if (!strcmp(field, unit)) /* "bytes" */
		unit = "";
	snprintf(name, NAME_SIZE, "%s_%s%.*s%s%s", m->prefix, part, n, field, *unit ? "_" : "",
		 unit);
	clean_name(name);
}

static void put_type(const struct metrics *m, const char *name, const char *type, const char *unit,
		     const char *help)
{
	char c[4];

	fprintf(m->out, "# TYPE %s %s\n", name, type);
	if (*unit)
		fprintf(m->out, "# UNIT %s %s\n", name, unit);
	if (!help || !*help)
		return;
	fprintf(m->out, "# HELP %s ", name);
	for (u32 n; (n = utf8__clean(&help, c));)
		if (*c == '\\' || *c == '"')
			fprintf(m->out, "\\%c", *c);
		else
			fwrite(c, 1, n, m->out);
	fputc('\n', m->out);
}

/* Exactly, as far as it is a whole number of ns. */
static void put_seconds(FILE *out, u64 ns)
{
	fprintf(out, "%llu.%09llu", (unsigned long long)(ns / NSEC_PER_SEC),
		(unsigned long long)(ns % NSEC_PER_SEC));
}

static bool is_number(const struct value *v)
{
	char buf[40];

	switch (v->type) {
	case VALUE_COUNT:
	case VALUE_NS:
	case VALUE_BYTES:
	case VALUE_BOOL:
		return true;
	case VALUE_PCT:
		return format_double(buf, sizeof(buf), v->f);
	default:
		return false;
	}
}

static void put_number(FILE *out, const struct value *v)
{
	char buf[40];

	if (v->type == VALUE_NS) {
		put_seconds(out, v->u);
	} else if (v->type == VALUE_PCT) {
		if (format_double(buf, sizeof(buf), v->f / 100))
			fputs(buf, out);
	} else {
		fprintf(out, "%llu", (unsigned long long)v->u);
	}
}

/* name="value"; what is behind LABEL_BYTES is left out. */
static void put_label(FILE *out, const char *name, const char *value, bool first)
{
	u32 left = LABEL_BYTES;
	char c[4];

	fprintf(out, "%s%s=\"", first ? "" : ",", name);
	for (u32 n; left >= sizeof(c) && (n = utf8__clean(&value, c)); left -= n)
		if (*c == '\\' || *c == '"')
			fprintf(out, "\\%c", *c);
		else
			fwrite(c, 1, n, out);
	fputc('"', out);
}

/* --- of the report --- */

static void put_info(const struct metrics *m)
{
	const struct report *r = m->r;
	char name[NAME_SIZE];

	/* A gauge, as Prometheus's own text format knows no type of info. */
	snprintf(name, sizeof(name), "%s_report_info", m->prefix);
	put_type(m, name, "gauge", "", "what was looked at");
	fprintf(m->out, "%s{", name);
	put_label(m->out, "host", report__host(r), true);
	put_label(m->out, "kernel", report__kernel(r), false);
	put_label(m->out, "scope", r->scope ? r->scope : "", false);
	put_label(m->out, "window", r->window ? r->window : "", false);
	put_label(m->out, "by", r->group ? r->group : "", false);
	put_label(m->out, "tier", r->health.tier, false);
	put_label(m->out, "event", r->health.event, false);
	put_label(m->out, "version", PROFTOP_VERSION, false);
	fputs("} 1\n", m->out);
}

static void put_gauge(const struct metrics *m, const char *part, const char *field,
		      const struct value *v, const char *help)
{
	char name[NAME_SIZE];

	if (!is_number(v))
		return;
	family_name(m, part, field, v->type, name);
	put_type(m, name, "gauge", unit_of(v->type), help);
	fprintf(m->out, "%s ", name);
	put_number(m->out, v);
	fputc('\n', m->out);
}

static void put_counter(const struct metrics *m, const char *field, u64 n, const char *help)
{
	char name[NAME_SIZE];

	family_name(m, "health_", field, VALUE_COUNT, name);
	put_type(m, name, "counter", "", help);
	fprintf(m->out, "%s_total %llu\n", name, (unsigned long long)n);
}

static void put_pct(const struct metrics *m, const char *field, double pct, const char *help)
{
	put_gauge(m, "health_", field, &(struct value){.type = VALUE_PCT, .f = pct}, help);
}

static void put_health(const struct metrics *m)
{
	const struct health *h = &m->r->health;
	u64 span = m->r->t1_ns > m->r->t0_ns ? m->r->t1_ns - m->r->t0_ns : 0;

	put_gauge(m, "", "interval_ns", &(struct value){.type = VALUE_NS, .u = span},
		  "length of the window");
	put_counter(m, "samples", h->samples_total, "samples since start");
	put_counter(m, "lost", h->lost, "samples that are in no row");
	put_counter(m, "map_full", h->map_full, "failed inserts into maps");
	put_counter(m, "stacks_lost", h->stacks_lost, "samples without their frames");
	put_counter(m, "side_lost", h->side_lost, "records of new processes and code lost");
	put_pct(m, "stacks_truncated_pct", h->truncated_pct, "user stacks that end too early");
	put_pct(m, "self_cpu_pct", h->self_cpu_pct, "own CPU time, of one CPU");
	put_pct(m, "cost_pct", h->cost_pct, "estimated cost of sampling, of all CPUs");
	put_pct(m, "run_pct", h->run_pct, "measured time in programs, of all CPUs");
	put_pct(m, "map_fill_pct", h->map_fill_pct, "fullest map");
}

/* --- histograms --- */

struct bucket {
	bool open; /* no upper end */
	u64 hi, count;
	enum value_type unit;
};

/* Whether a part of a list is a bucket: {lo_UNIT, hi_UNIT, count}. */
static bool bucket_at(const struct value *list, u32 i, struct bucket *b)
{
	struct value_part item = {0}, hi = {0}, count = {0};

	list->part(list->of, i, &item);
	if (item.value.type != VALUE_OBJECT || item.value.n != 3)
		return false;
	item.value.part(item.value.of, 1, &hi);
	item.value.part(item.value.of, 2, &count);
	if (strncmp(hi.name, "hi_", 3) != 0 || count.value.type != VALUE_COUNT)
		return false;
	*b = (struct bucket){
		.open = hi.value.type == VALUE_NONE,
		.hi = hi.value.u,
		.count = count.value.u,
		.unit = ends_with(hi.name, "_ns") ? VALUE_NS : hi.value.type,
	};
	return true;
}

static bool is_histogram(const struct value *v)
{
	struct bucket b;

	return v->type == VALUE_LIST && v->n && bucket_at(v, 0, &b);
}

static enum value_type histogram_unit(const struct value *v)
{
	struct bucket b;

	return bucket_at(v, 0, &b) ? b.unit : VALUE_COUNT;
}

static void put_bucket(FILE *out, const char *name, const char *labels)
{
	fprintf(out, "%s_bucket{%s%sle=\"", name, labels, *labels ? "," : "");
}

/* Buckets here are apart, there they are sums of all below. Sums of values are not known. */
static void put_buckets(FILE *out, const char *name, const char *labels, const struct value *list)
{
	u64 sum = 0;
	struct bucket b;

	for (u32 i = 0; i < list->n && bucket_at(list, i, &b); i++) {
		const struct value hi = {.type = b.unit, .u = b.hi};

		sum += b.count;
		if (b.open)
			continue;
		put_bucket(out, name, labels);
		put_number(out, &hi);
		fprintf(out, "\"} %llu\n", (unsigned long long)sum);
	}
	put_bucket(out, name, labels);
	fprintf(out, "+Inf\"} %llu\n", (unsigned long long)sum);
}

static void put_summary(const struct metrics *m)
{
	char name[NAME_SIZE];

	for (u32 i = 0; i < m->r->nsummary; i++) {
		const struct summary_item *s = &m->r->summary[i];

		if (s->value.type == VALUE_LIST && !is_histogram(&s->value))
			continue;
		if (!is_histogram(&s->value)) {
			put_gauge(m, "summary_", s->name, &s->value, NULL);
			continue;
		}
		family_name(m, "summary_", s->name, histogram_unit(&s->value), name);
		put_type(m, name, "histogram", unit_of(histogram_unit(&s->value)), NULL);
		put_buckets(m->out, name, "", &s->value);
	}
}

/* --- rows --- */

/* Numbers that are names. */
static bool is_id(const char *name)
{
	return !strcmp(name, "pid") || !strcmp(name, "tid") || !strcmp(name, "cpu") ||
	       !strcmp(name, "inode") || !strcmp(name, "sector") || !strcmp(name, "parent") ||
	       ends_with(name, "_pid") || ends_with(name, "_tid");
}

static bool is_label(const struct column *c)
{
	return (c->flags & COLUMN_EXPORT) &&
	       (c->type == VALUE_TEXT || (c->type == VALUE_COUNT && is_id(c->name)));
}

/* With the row's key, as names need not be distinct. */
static char *row_labels(const struct report *r, u32 row)
{
	const struct row_table *t = r->rows;
	char buf[CELL_SIZE], *text;
	struct value v;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	if (!out)
		die("out of memory for labels");
	snprintf(buf, sizeof(buf), "%016llx", (unsigned long long)t->key(t, row));
	put_label(out, "row", buf, true);
	for (u32 c = 0; c < t->ncolumns; c++)
		if (is_label(&t->columns[c]) && report__cell(r, row, c, &v) && v.type != VALUE_NONE)
			put_label(out, t->columns[c].name, export__cell_text(&v, buf), false);
	fclose(out);
	return text;
}

static void put_row_value(const struct metrics *m, const char *name, u32 i, const struct value *v)
{
	if (v->type == VALUE_LIST) {
		put_buckets(m->out, name, m->labels[i], v);
		return;
	}
	fprintf(m->out, "%s{%s} ", name, m->labels[i]);
	put_number(m->out, v);
	fputc('\n', m->out);
}

/* One column of all rows: a family's lines stay together. */
static void put_column(const struct metrics *m, u32 column)
{
	const struct column *c = &m->r->rows->columns[column];
	char name[NAME_SIZE] = "";
	struct value v;

	for (u32 i = 0; i < m->nrows; i++) {
		enum value_type unit;

		if (!report__cell(m->r, report__row(m->r, i), column, &v) ||
		    !(is_number(&v) || is_histogram(&v)))
			continue;
		unit = v.type == VALUE_LIST ? histogram_unit(&v) : v.type;
		if (!*name) {
			family_name(m, "row_", c->name, unit, name);
			put_type(m, name, v.type == VALUE_LIST ? "histogram" : "gauge",
				 unit_of(unit), c->help);
		}
		put_row_value(m, name, i, &v);
	}
}

static void put_rows(struct metrics *m)
{
	const struct row_table *t = m->r->rows;

	m->nrows = MIN(t->nrows, (u32)MAX_ROWS);
	m->labels = xcalloc(m->nrows + 1, sizeof(*m->labels));
	for (u32 i = 0; i < m->nrows; i++)
		m->labels[i] = row_labels(m->r, report__row(m->r, i));
	for (u32 c = 0; c < t->ncolumns && !ferror(m->out); c++)
		if ((t->columns[c].flags & COLUMN_EXPORT) && !is_label(&t->columns[c]))
			put_column(m, c);
	for (u32 i = 0; i < m->nrows; i++)
		free(m->labels[i]);
	free(m->labels);
}

int export_openmetrics(FILE *out, const struct report *r, bool first)
{
	struct metrics m = {.out = out, .r = r};

	if (!first)
		return 0;
	snprintf(m.prefix, sizeof(m.prefix), "proftop_%s", r->view);
	clean_name(m.prefix);
	put_info(&m);
	put_health(&m);
	put_summary(&m);
	put_rows(&m);
	fputs("# EOF\n", out);
	return export__flush(out);
}
