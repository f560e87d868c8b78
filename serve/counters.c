// SPDX-License-Identifier: GPL-2.0-only
#include "serve/counters.h"

#include "base/arena.h"
#include "base/hidx.h"
#include "export/metrics_text.h"

#define LE_FIRST_NS 10 /* exponents of 2 of the first bucket */
#define REST	    "[rest]"

enum family_kind { FAMILY_COUNTER, FAMILY_LEVEL, FAMILY_HISTOGRAM };

struct family {
	char *column;
	char name[METRIC_NAME];
	char *help;
	enum family_kind kind;
	enum value_type unit;
};

struct histogram {
	u64 n[COUNTERS_BUCKETS + 1]; /* apart; the last one has no end */
};

struct set {
	char *labels; /* without braces; NULL: a free place */
	u64 seen_ns;
	u64 rows; /* in the last interval */
	u64 v[COUNTERS_FAMILIES];
	struct histogram *h[COUNTERS_FAMILIES];
};

struct summary {
	char *name;
	struct value value;	    /* a number; VALUE_NONE of a histogram */
	struct histogram histogram; /* its counts since start */
	enum value_type unit;
};

struct counters {
	const char *view;
	const struct counters_form *form;
	char prefix[METRIC_NAME / 2];
	struct family families[COUNTERS_FAMILIES];
	u32 nfamilies;
	struct set sets[COUNTERS_SETS], rest;
	u32 nsets;
	struct summary summary[REPORT_SUMMARY];
	u32 nsummary;
	struct health health;
	char *info; /* labels of what was looked at */
	u64 intervals, observed_ns, last_ns, now_ns;
};

struct counters *counters__new(const char *view, const struct counters_form *form)
{
	static const struct counters_form plain;
	struct counters *c = xcalloc(1, sizeof(*c));

	c->view = view;
	c->form = form ? form : &plain;
	snprintf(c->prefix, sizeof(c->prefix), "proftop_%s", view);
	metric__clean(c->prefix);
	return c;
}

static void set__free(struct set *s)
{
	free(s->labels);
	for (u32 f = 0; f < COUNTERS_FAMILIES; f++)
		free(s->h[f]);
}

void counters__free(struct counters *c)
{
	if (!c)
		return;
	for (u32 i = 0; i < c->nsets; i++)
		set__free(&c->sets[i]);
	set__free(&c->rest);
	for (u32 i = 0; i < c->nfamilies; i++) {
		free(c->families[i].column);
		free(c->families[i].help);
	}
	for (u32 i = 0; i < c->nsummary; i++)
		free(c->summary[i].name);
	free(c->info);
	free(c);
}

/* --- families --- */

/* A family whose name ends so would be taken for a part of another one. */
static const char *without_count(const char *field, char buf[METRIC_NAME])
{
	size_t n = strlen(field);

	if (!strcmp(field, "count"))
		return "events";
	if (n < 6 || n >= METRIC_NAME || strcmp(field + n - 6, "_count"))
		return field;
	snprintf(buf, METRIC_NAME, "%.*s_events", (int)(n - 6), field);
	return buf;
}

static void name_family(const struct counters *c, const char *part, const char *field,
			enum value_type unit, char name[METRIC_NAME])
{
	char buf[METRIC_NAME];

	metric__name(c->prefix, part, unit == VALUE_COUNT ? without_count(field, buf) : field, unit,
		     name);
}

/* What is a sum is counted, histograms of a window too; a number of bytes that is no sum is a level. */
static bool kind_of(const struct column *c, const struct value *v, enum family_kind *kind)
{
	if (metric__is_histogram(v) && !(c->flags & COLUMN_LEVEL))
		*kind = FAMILY_HISTOGRAM;
	else if (c->flags & COLUMN_SUM && (v->type == VALUE_COUNT || v->type == VALUE_NS ||
					   v->type == VALUE_BYTES))
		*kind = FAMILY_COUNTER;
	else if (v->type == VALUE_BYTES)
		*kind = FAMILY_LEVEL;
	else
		return false;
	return true;
}

/* COUNTERS_FAMILIES: it is none, or one too many. */
static u32 family_of(struct counters *c, const struct column *column, const struct value *v)
{
	struct family new = {0};
	u32 i = 0;

	if (!kind_of(column, v, &new.kind))
		return COUNTERS_FAMILIES;
	new.unit = new.kind == FAMILY_HISTOGRAM ? metric__histogram_unit(v) : v->type;
	name_family(c, "", column->name, new.unit, new.name);
	while (i < c->nfamilies && strcmp(c->families[i].name, new.name))
		i++;
	if (i < c->nfamilies)
		return strcmp(c->families[i].column, column->name) ? COUNTERS_FAMILIES : i;
	if (i == COUNTERS_FAMILIES)
		return i;
	new.column = xstrdup(column->name);
	new.help = xstrdup(column->help ? column->help : column->name);
	c->families[c->nfamilies] = new;
	return c->nfamilies++;
}

/* --- histograms --- */

static u32 first_exponent(enum value_type unit)
{
	return unit == VALUE_NS ? LE_FIRST_NS : 0;
}

/* A bucket whose ends lie between two of ours goes to the one it ends in. */
static void add_histogram(struct histogram *h, const struct value *list)
{
	struct metric_bucket b;

	for (u32 i = 0; i < list->n && metric__bucket(list, i, &b); i++) {
		u32 at = 0;

		while (at < COUNTERS_BUCKETS && (b.open || b.hi > 1ULL << (first_exponent(b.unit) + at)))
			at++;
		h->n[at] += b.count;
	}
}

static void merge_histogram(struct histogram **to, const struct histogram *from)
{
	if (!from)
		return;
	if (!*to)
		*to = xcalloc(1, sizeof(**to));
	for (u32 i = 0; i <= COUNTERS_BUCKETS; i++)
		(*to)->n[i] += from->n[i];
}

/* --- sets of labels --- */

static bool has_word(const char *list, const char *word)
{
	size_t n = strlen(word);

	for (size_t m; list && *list; list += m + strspn(list + m, " ,+")) {
		m = strcspn(list, " ,+");
		if (m == n && !strncmp(list, word, n))
			return true;
	}
	return false;
}

/* Which columns tell series apart: what rows are grouped by, with the name of a process beside its
 * number, and nothing that changes while they live. */
static bool tells_apart(const struct counters *c, const struct report *r, const struct column *col)
{
	if (!metric__is_label(col))
		return false;
	if (c->form->labels)
		return has_word(c->form->labels, col->name);
	return col->flags & COLUMN_KEY || has_word(r->group, col->name) ||
	       (!strcmp(col->name, "comm") && (has_word(r->group, "pid") || has_word(r->group, "tid"))) ||
	       (!strcmp(col->name, "symbol") && has_word(r->group, "stack"));
}

/* With the values of a row, or all of them "[rest]". */
static char *labels_of(const struct counters *c, const struct report *r, u32 row, bool rest)
{
	const struct row_table *t = r->rows;
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);
	bool first = true;

	if (!out)
		die("out of memory for labels");
	for (u32 i = 0; i < t->ncolumns; i++) {
		if (!tells_apart(c, r, &t->columns[i]))
			continue;
		if (rest)
			metric__label(out, t->columns[i].name, REST, first);
		else if (!metric__row_label(out, t, row, i, first))
			metric__label(out, t->columns[i].name, "", first);
		first = false;
	}
	fclose(out);
	return text;
}

/* What it had goes to the rest. */
static void retire(struct counters *c, struct set *s)
{
	for (u32 f = 0; f < c->nfamilies; f++) {
		if (c->families[f].kind == FAMILY_COUNTER)
			c->rest.v[f] += s->v[f];
		merge_histogram(&c->rest.h[f], s->h[f]);
	}
	set__free(s);
	*s = (struct set){0};
}

/* A place for one more; NULL there is none. */
static struct set *new_place(struct counters *c)
{
	struct set *oldest = &c->sets[0];

	if (c->nsets < COUNTERS_SETS)
		return &c->sets[c->nsets++];
	for (u32 i = 1; i < c->nsets; i++)
		if (c->sets[i].seen_ns < oldest->seen_ns)
			oldest = &c->sets[i];
	if (c->now_ns - oldest->seen_ns < COUNTERS_IDLE_NS)
		return NULL;
	retire(c, oldest);
	return oldest;
}

static struct set *rest_of(struct counters *c, const struct report *r)
{
	if (!c->rest.labels)
		c->rest.labels = labels_of(c, r, 0, true);
	return &c->rest;
}

static struct set *set_of(struct counters *c, const struct report *r, u32 row)
{
	char *labels = labels_of(c, r, row, false);
	struct set *s = NULL;

	for (u32 i = 0; i < c->nsets && !s; i++)
		if (!strcmp(c->sets[i].labels, labels))
			s = &c->sets[i];
	if (!s && !strcmp(labels, rest_of(c, r)->labels))
		s = &c->rest;
	if (!s && (s = new_place(c))) {
		s->labels = labels;
		return s;
	}
	free(labels);
	return s ? s : rest_of(c, r);
}

/* --- an interval --- */

static void add_value(struct counters *c, struct set *s, u32 f, const struct value *v)
{
	if (c->families[f].kind != FAMILY_HISTOGRAM) {
		s->v[f] += v->u;
		return;
	}
	if (!s->h[f])
		s->h[f] = xcalloc(1, sizeof(*s->h[f]));
	add_histogram(s->h[f], v);
}

static void add_row(struct counters *c, const struct report *r, u32 row)
{
	const struct row_table *t = r->rows;
	struct set *s = set_of(c, r, row);
	struct value v;

	s->seen_ns = c->now_ns;
	s->rows++;
	for (u32 i = 0; i < t->ncolumns; i++) {
		u32 f;

		if (!(t->columns[i].flags & COLUMN_EXPORT) || !t->cell(t, row, i, &v))
			continue;
		f = family_of(c, &t->columns[i], &v);
		if (f < COUNTERS_FAMILIES)
			add_value(c, s, f, &v);
	}
}

static void clear_levels(struct counters *c, struct set *s)
{
	s->rows = 0;
	for (u32 f = 0; f < c->nfamilies; f++)
		if (c->families[f].kind == FAMILY_LEVEL)
			s->v[f] = 0;
}

static struct summary *summary_of(struct counters *c, const char *name)
{
	u32 i = 0;

	while (i < c->nsummary && strcmp(c->summary[i].name, name))
		i++;
	if (i == c->nsummary && i < REPORT_SUMMARY)
		c->summary[c->nsummary++].name = xstrdup(name);
	return i < REPORT_SUMMARY ? &c->summary[i] : NULL;
}

static void add_summary(struct counters *c, const struct report *r)
{
	for (u32 i = 0; i < r->nsummary; i++) {
		const struct value *v = &r->summary[i].value;
		struct summary *s;

		if (!metric__is_histogram(v) && !metric__is_number(v))
			continue;
		s = summary_of(c, r->summary[i].name);
		if (s && metric__is_histogram(v)) {
			s->unit = metric__histogram_unit(v);
			add_histogram(&s->histogram, v);
		} else if (s) {
			s->value = *v;
		}
	}
}

static void take_info(struct counters *c, const struct report *r)
{
	size_t len;
	FILE *out;

	free(c->info);
	c->info = NULL;
	out = open_memstream(&c->info, &len);
	if (!out)
		die("out of memory for labels");
	metric__label(out, "scope", r->scope ? r->scope : "", true);
	metric__label(out, "by", r->group ? r->group : "", false);
	metric__label(out, "tier", r->health.tier, false);
	metric__label(out, "event", r->health.event, false);
	fclose(out);
}

void counters__add(struct counters *c, const struct report *r)
{
	c->now_ns = r->t1_ns;
	c->intervals++;
	c->last_ns = r->t1_ns > r->t0_ns ? r->t1_ns - r->t0_ns : 0;
	c->observed_ns += c->last_ns;
	c->health = r->health;
	take_info(c, r);
	for (u32 i = 0; i < c->nsets; i++)
		clear_levels(c, &c->sets[i]);
	clear_levels(c, &c->rest);
	for (u32 i = 0; i < r->rows->nrows; i++)
		add_row(c, r, r->order ? r->order[i] : i);
	add_summary(c, r);
}

/* --- the page --- */

void page__head(FILE *out, bool openmetrics, const char *name, const char *type, const char *unit,
		const char *help)
{
	const char *total = !openmetrics && !strcmp(type, "counter") ? "_total" : "";

	fprintf(out, "# HELP %s%s ", name, total);
	for (; *help; help++)
		if ((u8)*help >= ' ')
			fputc(*help == '"' || *help == '\\' ? '\'' : *help, out);
	fprintf(out, "\n# TYPE %s%s %s\n", name, total, type);
	if (openmetrics && *unit)
		fprintf(out, "# UNIT %s %s\n", name, unit);
}

void page__counter(FILE *out, bool openmetrics, const char *name, u64 n, const char *help)
{
	page__head(out, openmetrics, name, "counter", "", help);
	fprintf(out, "%s_total %llu\n", name, (unsigned long long)n);
}

struct page {
	const struct counters *c;
	FILE *out;
	bool openmetrics;
};

static void put_number(const struct page *p, const char *name, const char *suffix, const char *labels,
		       enum value_type type, u64 n)
{
	fprintf(p->out, "%s%s%s%s%s ", name, suffix, *labels ? "{" : "", labels, *labels ? "}" : "");
	metric__number(p->out, &(struct value){.type = type, .u = n});
	fputc('\n', p->out);
}

static void put_histogram(const struct page *p, const char *name, const char *labels,
			  enum value_type unit, const struct histogram *h)
{
	const char *comma = *labels ? "," : "";
	u64 sum = 0;

	for (u32 i = 0; i < COUNTERS_BUCKETS; i++) {
		sum += h->n[i];
		fprintf(p->out, "%s_bucket{%s%sle=\"", name, labels, comma);
		metric__number(p->out, &(struct value){.type = unit,
						       .u = 1ULL << (first_exponent(unit) + i)});
		fprintf(p->out, "%s\"} %llu\n", unit == VALUE_NS ? "" : ".0", (unsigned long long)sum);
	}
	fprintf(p->out, "%s_bucket{%s%sle=\"+Inf\"} %llu\n", name, labels, comma,
		(unsigned long long)(sum + h->n[COUNTERS_BUCKETS]));
}

static void put_set(const struct page *p, const struct set *s, u32 f)
{
	const struct family *of = &p->c->families[f];

	if (!s->labels)
		return;
	if (of->kind == FAMILY_HISTOGRAM && s->h[f])
		put_histogram(p, of->name, s->labels, of->unit, s->h[f]);
	else if (of->kind == FAMILY_COUNTER)
		put_number(p, of->name, "_total", s->labels, of->unit, s->v[f]);
	else if (of->kind == FAMILY_LEVEL && s->rows)
		put_number(p, of->name, "", s->labels, of->unit, s->v[f]);
}

static void put_families(const struct page *p)
{
	static const char *const types[] = {"counter", "gauge", "histogram"};
	const struct counters *c = p->c;

	for (u32 f = 0; f < c->nfamilies; f++) {
		const struct family *of = &c->families[f];

		page__head(p->out, p->openmetrics, of->name, types[of->kind], metric__unit(of->unit),
			   of->help);
		for (u32 i = 0; i < c->nsets; i++)
			put_set(p, &c->sets[i], f);
		put_set(p, &c->rest, f);
	}
}

static void put_rows(const struct page *p)
{
	const struct counters *c = p->c;
	char name[METRIC_NAME];

	if (!c->form->rows)
		return;
	metric__name(c->prefix, "", c->form->rows, VALUE_COUNT, name);
	page__head(p->out, p->openmetrics, name, "gauge", "", "rows in the last interval");
	for (u32 i = 0; i < c->nsets; i++)
		if (c->sets[i].rows)
			put_number(p, name, "", c->sets[i].labels, VALUE_COUNT, c->sets[i].rows);
	if (c->rest.rows)
		put_number(p, name, "", c->rest.labels, VALUE_COUNT, c->rest.rows);
}

static void put_summary(const struct page *p)
{
	char name[METRIC_NAME], help[160];

	for (u32 i = 0; i < p->c->nsummary; i++) {
		const struct summary *s = &p->c->summary[i];
		bool number = s->value.type != VALUE_NONE;
		enum value_type unit = number ? s->value.type : s->unit;

		name_family(p->c, number ? "interval_" : "all_", s->name, unit, name);
		snprintf(help, sizeof(help), "%s of all rows, %s", s->name,
			 number ? "in the last interval" : "since start");
		page__head(p->out, p->openmetrics, name, number ? "gauge" : "histogram",
			   metric__unit(unit), help);
		if (!number) {
			put_histogram(p, name, "", unit, &s->histogram);
			continue;
		}
		fprintf(p->out, "%s ", name);
		metric__number(p->out, &s->value);
		fputc('\n', p->out);
	}
}

static void put_pct(const struct page *p, const char *field, double pct, const char *help)
{
	const struct value v = {.type = VALUE_PCT, .f = pct};
	char name[METRIC_NAME];

	if (!metric__is_number(&v))
		return;
	metric__name(p->c->prefix, "health_", field, VALUE_PCT, name);
	page__head(p->out, p->openmetrics, name, "gauge", "ratio", help);
	fprintf(p->out, "%s ", name);
	metric__number(p->out, &v);
	fputc('\n', p->out);
}

static void put_count(const struct page *p, const char *field, u64 n, const char *help)
{
	char name[METRIC_NAME];

	metric__name(p->c->prefix, "health_", field, VALUE_COUNT, name);
	page__counter(p->out, p->openmetrics, name, n, help);
}

static void put_health(const struct page *p)
{
	const struct health *h = &p->c->health;

	put_count(p, "samples", h->samples_total, "samples since start");
	put_count(p, "lost", h->lost, "samples that are in no row");
	put_count(p, "map_full", h->map_full, "failed inserts into maps");
	put_count(p, "stacks_lost", h->stacks_lost, "samples without their frames");
	put_count(p, "side_lost", h->side_lost, "records of new processes and code lost");
	put_pct(p, "stacks_truncated_pct", h->truncated_pct, "user stacks that end too early");
	put_pct(p, "cost_pct", h->cost_pct, "estimated cost of sampling, of all CPUs");
	put_pct(p, "run_pct", h->run_pct, "measured time in programs, of all CPUs");
	put_pct(p, "map_fill_pct", h->map_fill_pct, "fullest map");
}

static void put_intervals(const struct page *p)
{
	const struct counters *c = p->c;
	char name[METRIC_NAME];

	snprintf(name, sizeof(name), "%s_report_info", c->prefix);
	page__head(p->out, p->openmetrics, name, "gauge", "", "what is looked at");
	fprintf(p->out, "%s{%s} 1\n", name, c->info);
	metric__name(c->prefix, "", "intervals", VALUE_COUNT, name);
	page__counter(p->out, p->openmetrics, name, c->intervals, "intervals that are in the counters");
	metric__name(c->prefix, "", "observed_ns", VALUE_NS, name);
	page__head(p->out, p->openmetrics, name, "counter", "seconds", "how long they were");
	put_number(p, name, "_total", "", VALUE_NS, c->observed_ns);
	metric__name(c->prefix, "", "interval_ns", VALUE_NS, name);
	page__head(p->out, p->openmetrics, name, "gauge", "seconds", "length of the last interval");
	put_number(p, name, "", "", VALUE_NS, c->last_ns);
}

void counters__write(const struct counters *c, FILE *out, bool openmetrics)
{
	const struct page p = {c, out, openmetrics};

	if (!c->intervals)
		return;
	put_intervals(&p);
	put_health(&p);
	put_summary(&p);
	put_rows(&p);
	put_families(&p);
}
