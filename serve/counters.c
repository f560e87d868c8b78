// SPDX-License-Identifier: GPL-2.0-only
#include "serve/counters.h"

#include "base/arena.h"
#include "base/clock.h"
#include "base/hidx.h"
#include "export/metrics_text.h"

#define REST "[rest]"

struct family {
	char *column;
	char name[METRIC_NAME];
	char *help;
	enum page_kind kind; /* of a gauge: a level */
	enum value_type unit;
};

struct set {
	char *labels; /* without braces; NULL: a free place */
	u64 seen_ns;
	u64 rows; /* in the last interval */
	u64 v[COUNTERS_FAMILIES];
	struct page_histogram *h[COUNTERS_FAMILIES];
};

struct summary {
	char *name;
	struct value value;	    /* a number; VALUE_NONE of a histogram */
	struct page_histogram histogram; /* its counts since start */
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
		page_histogram__free(s->h[f]);
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
static bool kind_of(const struct column *c, const struct value *v, enum page_kind *kind)
{
	if (metric__is_histogram(v) && !(c->flags & COLUMN_LEVEL))
		*kind = PAGE_HISTOGRAM;
	else if (c->flags & COLUMN_SUM && (v->type == VALUE_COUNT || v->type == VALUE_NS ||
					   v->type == VALUE_BYTES))
		*kind = PAGE_COUNTER;
	else if (v->type == VALUE_BYTES)
		*kind = PAGE_GAUGE;
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
	new.unit = new.kind == PAGE_HISTOGRAM ? metric__histogram_unit(v) : v->type;
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
static bool distinguishes(const struct counters *c, const struct report *r, const struct column *col)
{
	if (!metric__is_label(col))
		return false;
	if (c->form->labels)
		return has_word(c->form->labels, col->name);
	return col->flags & COLUMN_KEY || has_word(r->group, col->name) ||
	       (!strcmp(col->name, "comm") && (has_word(r->group, "pid") || has_word(r->group, "tid"))) ||
	       (!strcmp(col->name, "symbol") && has_word(r->group, "stack"));
}

/* t->ncolumns: there is none. */
static u32 column_named(const struct row_table *t, const char *name)
{
	u32 i = 0;

	while (i < t->ncolumns && strcmp(t->columns[i].name, name))
		i++;
	return i;
}

/* With the values of a row of a table, the report's or another one, or all of them "[rest]". */
static char *labels_of(const struct counters *c, const struct report *r, const struct row_table *of, u32 row,
		       bool rest)
{
	const struct row_table *t = r->rows;
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);
	bool first = true;

	if (!out)
		die("out of memory for labels");
	for (u32 i = 0; i < t->ncolumns; i++) {
		u32 at = of == t ? i : column_named(of, t->columns[i].name);

		if (!distinguishes(c, r, &t->columns[i]))
			continue;
		if (rest)
			metric__label(out, t->columns[i].name, REST, first);
		else if (at == of->ncolumns || !metric__row_label(out, of, row, at, first))
			metric__label(out, t->columns[i].name, "", first);
		first = false;
	}
	fclose(out);
	return text;
}

static struct page_histogram *histogram_of(struct set *s, u32 family)
{
	if (!s->h[family])
		s->h[family] = xcalloc(1, sizeof(*s->h[family]));
	return s->h[family];
}

/* What it had goes to the rest. */
static void retire(struct counters *c, struct set *s)
{
	for (u32 f = 0; f < c->nfamilies; f++) {
		if (c->families[f].kind == PAGE_COUNTER)
			c->rest.v[f] += s->v[f];
		if (s->h[f])
			page_histogram__merge(histogram_of(&c->rest, f), s->h[f]);
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
		c->rest.labels = labels_of(c, r, r->rows, 0, true);
	return &c->rest;
}

/* NULL: there is none. */
static struct set *set_labelled(struct counters *c, const char *labels)
{
	for (u32 i = 0; i < c->nsets; i++)
		if (c->sets[i].labels && !strcmp(c->sets[i].labels, labels))
			return &c->sets[i];
	return NULL;
}

static struct set *set_of(struct counters *c, const struct report *r, u32 row)
{
	char *labels = labels_of(c, r, r->rows, row, false);
	struct set *s = set_labelled(c, labels);

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
	if (c->families[f].kind == PAGE_HISTOGRAM)
		page_histogram__add(histogram_of(s, f), v);
	else
		s->v[f] += v->u;
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
		if (c->families[f].kind == PAGE_GAUGE)
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
		if (s && metric__is_histogram(v))
			page_histogram__add(&s->histogram, v);
		else if (s)
			s->value = *v;
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

/* --- exemplars --- */

struct showing {
	struct counters *c;
	const struct report *r;
	u32 family; /* of durations */
};

static u64 number_at(const struct row_table *t, u32 row, const char *column)
{
	u32 at = column ? column_named(t, column) : t->ncolumns;
	struct value v;

	return at < t->ncolumns && t->cell(t, row, at, &v) && v.type != VALUE_NONE ? v.u : 0;
}

#define SHOWN_FRAMES 60 /* bytes */

/* The innermost functions, with what calls them behind. */
static void frames_at(const struct row_table *t, u32 row, char buf[SHOWN_FRAMES])
{
	u32 at = column_named(t, "stack");
	struct value v;
	size_t n = 0;

	*buf = '\0';
	if (at == t->ncolumns || !t->cell(t, row, at, &v) || v.type != VALUE_STACK)
		return;
	for (u32 i = 0; i < v.n; i++) {
		struct value_frame f;

		v.frame(v.of, i, &f);
		if (n + strlen(f.symbol) + 2 > SHOWN_FRAMES)
			return;
		n += (size_t)snprintf(buf + n, SHOWN_FRAMES - n, "%s%s", n ? ";" : "", f.symbol);
	}
}

static void name_exemplar(struct page_exemplar *e, const struct row_table *t, u32 row, const struct event_form *form)
{
	FILE *out = fmemopen(e->labels, sizeof(e->labels), "w");
	char text[SHOWN_FRAMES];

	if (!out)
		die("out of memory for labels");
	snprintf(text, sizeof(text), "%llu", (unsigned long long)number_at(t, row, form->pid));
	metric__label(out, "pid", text, true);
	snprintf(text, sizeof(text), "%llu", (unsigned long long)number_at(t, row, form->tid));
	metric__label(out, "tid", text, false);
	frames_at(t, row, text);
	if (*text)
		metric__label(out, "stack", text, false);
	fclose(out);
}

/* An event of the interval is shown in the histogram that it was counted in. */
static void show_event(const struct showing *s, const struct row_table *t, u32 row, const struct event_form *form)
{
	u64 end_ns = number_at(t, row, form->end);
	struct page_exemplar e = {.value = number_at(t, row, form->length)};
	char *labels;
	struct set *set;

	if (end_ns <= s->r->t0_ns || end_ns > s->r->t1_ns)
		return;
	labels = labels_of(s->c, s->r, t, row, false);
	set = set_labelled(s->c, labels);
	free(labels);
	if (!set || !set->h[s->family])
		return;
	name_exemplar(&e, t, row, form);
	e.wall_ms = (u64)clock__wall(end_ns) * 1000;
	page_histogram__show(set->h[s->family], &e);
}

static void show_events(void *ctx, const struct row_table *t, const struct event_form *form)
{
	for (u32 i = 0; i < t->nrows; i++)
		show_event(ctx, t, i, form);
}

static void add_exemplars(struct counters *c, const struct report *r)
{
	struct showing s = {.c = c, .r = r};

	while (s.family < c->nfamilies && !(c->families[s.family].kind == PAGE_HISTOGRAM &&
					    c->families[s.family].unit == VALUE_NS))
		s.family++;
	if (r->events && s.family < c->nfamilies)
		r->events(r, &(struct event_sink){show_events, &s});
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
	add_exemplars(c, r);
}

/* --- the page --- */

static void put_set(const struct counters *c, struct page *p, const struct set *s, u32 f)
{
	const struct family *of = &c->families[f];

	if (!s->labels)
		return;
	if (of->kind == PAGE_HISTOGRAM && s->h[f])
		page__put_histogram(p, s->labels, s->h[f]);
	else if (of->kind == PAGE_COUNTER || (of->kind == PAGE_GAUGE && s->rows))
		page__put(p, s->labels, &(struct value){.type = of->unit, .u = s->v[f]});
}

static void put_families(const struct counters *c, struct page *p)
{
	for (u32 f = 0; f < c->nfamilies; f++) {
		const struct family *of = &c->families[f];

		page__family(p, of->name, of->kind, of->unit, of->help);
		for (u32 i = 0; i < c->nsets; i++)
			put_set(c, p, &c->sets[i], f);
		put_set(c, p, &c->rest, f);
	}
}

static void put_set_rows(struct page *p, const struct set *s)
{
	if (s->rows)
		page__put(p, s->labels, &(struct value){.type = VALUE_COUNT, .u = s->rows});
}

static void put_rows(const struct counters *c, struct page *p)
{
	char name[METRIC_NAME];

	if (!c->form->rows)
		return;
	metric__name(c->prefix, "", c->form->rows, VALUE_COUNT, name);
	page__family(p, name, PAGE_GAUGE, VALUE_COUNT, "rows in the last interval");
	for (u32 i = 0; i < c->nsets; i++)
		put_set_rows(p, &c->sets[i]);
	put_set_rows(p, &c->rest);
}

static void put_summary(const struct counters *c, struct page *p)
{
	char name[METRIC_NAME], help[160];

	for (u32 i = 0; i < c->nsummary; i++) {
		const struct summary *s = &c->summary[i];
		bool number = s->value.type != VALUE_NONE;
		enum value_type unit = number ? s->value.type : s->histogram.unit;

		name_family(c, number ? "interval_" : "all_", s->name, unit, name);
		snprintf(help, sizeof(help), "%s of all rows, %s", s->name,
			 number ? "in the last interval" : "since start");
		page__family(p, name, number ? PAGE_GAUGE : PAGE_HISTOGRAM, unit, help);
		if (number)
			page__put(p, "", &s->value);
		else
			page__put_histogram(p, "", &s->histogram);
	}
}

static void put_pct(const struct counters *c, struct page *p, const char *field, double pct, const char *help)
{
	const struct value v = {.type = VALUE_PCT, .f = pct};
	char name[METRIC_NAME];

	if (!metric__is_number(&v))
		return;
	metric__name(c->prefix, "health_", field, VALUE_PCT, name);
	page__gauge(p, name, "", &v, help);
}

static void put_count(const struct counters *c, struct page *p, const char *field, u64 n, const char *help)
{
	char name[METRIC_NAME];

	metric__name(c->prefix, "health_", field, VALUE_COUNT, name);
	page__count(p, name, n, help);
}

static void put_health(const struct counters *c, struct page *p)
{
	const struct health *h = &c->health;

	put_count(c, p, "samples", h->samples_total, "samples since start");
	put_count(c, p, "lost", h->lost, "samples that are in no row");
	put_count(c, p, "map_full", h->map_full, "failed inserts into maps");
	put_count(c, p, "stacks_lost", h->stacks_lost, "samples without their frames");
	put_count(c, p, "side_lost", h->side_lost, "records of new processes and code lost");
	put_pct(c, p, "stacks_truncated_pct", h->truncated_pct, "user stacks that end too early");
	put_pct(c, p, "cost_pct", h->cost_pct, "estimated cost of sampling, of all CPUs");
	put_pct(c, p, "run_pct", h->run_pct, "measured time in programs, of all CPUs");
	put_pct(c, p, "map_fill_pct", h->map_fill_pct, "fullest map");
}

static void put_intervals(const struct counters *c, struct page *p)
{
	const struct value one = {.type = VALUE_COUNT, .u = 1}, last = {.type = VALUE_NS, .u = c->last_ns};
	char name[METRIC_NAME];

	snprintf(name, sizeof(name), "%s_report_info", c->prefix);
	page__gauge(p, name, c->info, &one, "what is looked at");
	metric__name(c->prefix, "", "intervals", VALUE_COUNT, name);
	page__count(p, name, c->intervals, "intervals that are in the counters");
	metric__name(c->prefix, "", "observed_ns", VALUE_NS, name);
	page__family(p, name, PAGE_COUNTER, VALUE_NS, "how long they were");
	page__put(p, "", &(struct value){.type = VALUE_NS, .u = c->observed_ns});
	metric__name(c->prefix, "", "interval_ns", VALUE_NS, name);
	page__gauge(p, name, "", &last, "length of the last interval");
}

void counters__write(const struct counters *c, struct page *p)
{
	if (!c->intervals)
		return;
	put_intervals(c, p);
	put_health(c, p);
	put_summary(c, p);
	put_rows(c, p);
	put_families(c, p);
}
