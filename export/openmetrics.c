// SPDX-License-Identifier: GPL-2.0-only
/*
 * OpenMetrics 1.0 text: health and summary of a report as metrics of their own, its histograms as
 * histograms, and its first rows as gauges that are distinguished by labels. Units are OpenMetrics'
 * base units: times in seconds, percentages as ratios.
 * https://prometheus.io/docs/specs/om/open_metrics_spec/
 */
#include "base/arena.h"
#include "export/export_impl.h"
#include "export/metrics_text.h"

#define MAX_ROWS 100

struct metrics {
	FILE *out;
	const struct report *r;
	char prefix[METRIC_NAME / 2]; /* "proftop_cpu" */
	char **labels;		      /* by row: all that tell it apart, without braces */
	u32 nrows;
};

/* --- of the report --- */

static void put_info(const struct metrics *m)
{
	const struct report *r = m->r;
	char name[METRIC_NAME];

	/* A gauge, as Prometheus's own text format knows no type of info. */
	snprintf(name, sizeof(name), "%s_report_info", m->prefix);
	metric__head(m->out, name, "gauge", "", "what was looked at");
	fprintf(m->out, "%s{", name);
	metric__label(m->out, "host", report__host(r), true);
	metric__label(m->out, "kernel", report__kernel(r), false);
	metric__label(m->out, "scope", r->scope ? r->scope : "", false);
	metric__label(m->out, "window", r->window ? r->window : "", false);
	metric__label(m->out, "by", r->group ? r->group : "", false);
	metric__label(m->out, "tier", r->health.tier, false);
	metric__label(m->out, "event", r->health.event, false);
	metric__label(m->out, "version", PROFTOP_VERSION, false);
	fputs("} 1\n", m->out);
}

static void put_gauge(const struct metrics *m, const char *part, const char *field,
		      const struct value *v, const char *help)
{
	char name[METRIC_NAME];

	if (!metric__is_number(v))
		return;
	metric__name(m->prefix, part, field, v->type, name);
	metric__head(m->out, name, "gauge", metric__unit(v->type), help);
	fprintf(m->out, "%s ", name);
	metric__number(m->out, v);
	fputc('\n', m->out);
}

static void put_counter(const struct metrics *m, const char *field, u64 n, const char *help)
{
	char name[METRIC_NAME];

	metric__name(m->prefix, "health_", field, VALUE_COUNT, name);
	metric__head(m->out, name, "counter", "", help);
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

static void put_bucket(FILE *out, const char *name, const char *labels)
{
	fprintf(out, "%s_bucket{%s%sle=\"", name, labels, *labels ? "," : "");
}

/* Buckets here are apart, there they are sums of all below. Sums of values are not known. */
static void put_buckets(FILE *out, const char *name, const char *labels, const struct value *list)
{
	u64 sum = 0;
	struct metric_bucket b;

	for (u32 i = 0; i < list->n && metric__bucket(list, i, &b); i++) {
		const struct value hi = {.type = b.unit, .u = b.hi};

		sum += b.count;
		if (b.open)
			continue;
		put_bucket(out, name, labels);
		metric__number(out, &hi);
		fprintf(out, "\"} %llu\n", (unsigned long long)sum);
	}
	put_bucket(out, name, labels);
	fprintf(out, "+Inf\"} %llu\n", (unsigned long long)sum);
}

static void put_summary(const struct metrics *m)
{
	char name[METRIC_NAME];

	for (u32 i = 0; i < m->r->nsummary; i++) {
		const struct summary_item *s = &m->r->summary[i];

		if (s->value.type == VALUE_LIST && !metric__is_histogram(&s->value))
			continue;
		if (!metric__is_histogram(&s->value)) {
			put_gauge(m, "summary_", s->name, &s->value, NULL);
			continue;
		}
		metric__name(m->prefix, "summary_", s->name, metric__histogram_unit(&s->value), name);
		metric__head(m->out, name, "histogram", metric__unit(metric__histogram_unit(&s->value)), NULL);
		put_buckets(m->out, name, "", &s->value);
	}
}

/* --- rows --- */

/* With the row's key, as names need not be distinct. */
static char *row_labels(const struct report *r, u32 row)
{
	const struct row_table *t = r->rows;
	char buf[CELL_SIZE], *text;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	if (!out)
		die("out of memory for labels");
	snprintf(buf, sizeof(buf), "%016llx", (unsigned long long)t->key(t, row));
	metric__label(out, "row", buf, true);
	for (u32 c = 0; c < t->ncolumns; c++)
		if (metric__is_label(&t->columns[c]))
			metric__row_label(out, t, row, c, false);
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
	metric__number(m->out, v);
	fputc('\n', m->out);
}

/* One column of all rows: a family's lines stay together. */
static void put_column(const struct metrics *m, u32 column)
{
	const struct column *c = &m->r->rows->columns[column];
	char name[METRIC_NAME] = "";
	struct value v;

	for (u32 i = 0; i < m->nrows; i++) {
		enum value_type unit;

		if (!report__cell(m->r, report__row(m->r, i), column, &v) ||
		    !(metric__is_number(&v) || metric__is_histogram(&v)))
			continue;
		unit = v.type == VALUE_LIST ? metric__histogram_unit(&v) : v.type;
		if (!*name) {
			metric__name(m->prefix, "row_", c->name, unit, name);
			metric__head(m->out, name, v.type == VALUE_LIST ? "histogram" : "gauge",
				 metric__unit(unit), c->help);
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
		if ((t->columns[c].flags & COLUMN_EXPORT) && !metric__is_label(&t->columns[c]))
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
	metric__clean(m.prefix);
	put_info(&m);
	put_health(&m);
	put_summary(&m);
	put_rows(&m);
	fputs("# EOF\n", out);
	return export__flush(out);
}
