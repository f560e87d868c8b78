// SPDX-License-Identifier: GPL-2.0-only
/* Pages of metrics as text; and what all forms have in common. */
#include "serve/page.h"

#include <math.h>

#include "base/arena.h"
#include "export/metrics_text.h"

#define LE_FIRST_NS 10 /* exponents of 2 of the first bucket */

const char *page_form__type(enum page_form form)
{
	static const char *const types[] = {
		[PAGE_TEXT] = "text/plain; version=0.0.4; charset=utf-8",
		[PAGE_OPENMETRICS] = "application/openmetrics-text; version=1.0.0; charset=utf-8",
		[PAGE_PROTOBUF] = "application/vnd.google.protobuf; proto=io.prometheus.client.MetricFamily; "
				  "encoding=delimited",
	};

	return types[form];
}

const char *page_form__asked_by(enum page_form form)
{
	static const char *const ranges[] = {
		[PAGE_TEXT] = "text/plain",
		[PAGE_OPENMETRICS] = "application/openmetrics-text",
		[PAGE_PROTOBUF] = "application/vnd.google.protobuf",
	};

	return ranges[form];
}

/* --- histograms --- */

u64 page_histogram__end(const struct page_histogram *h, u32 bucket)
{
	return 1ULL << ((h->unit == VALUE_NS ? LE_FIRST_NS : 0) + bucket);
}

#define PER_OCTAVE 4 /* native buckets: schema 2 */

/* Of 1 ns in seconds, of 1. */
int page_histogram__first(const struct page_histogram *h)
{
	return h->unit == VALUE_NS ? -120 : 0;
}

static u32 native_of(const struct page_histogram *h, u64 end)
{
	double value = h->unit == VALUE_NS ? (double)end / 1e9 : (double)end;
	int at = (int)ceil(log2(value) * PER_OCTAVE) - page_histogram__first(h);

	return (u32)CLAMP(at, 0, PAGE_NATIVE - 1);
}

static u32 bucket_of(const struct page_histogram *h, u64 end)
{
	u32 at = 0;

	while (at < PAGE_BUCKETS && end > page_histogram__end(h, at))
		at++;
	return at;
}

void page_histogram__add(struct page_histogram *h, const struct value *list)
{
	struct metric_bucket b;

	h->unit = metric__histogram_unit(list);
	for (u32 i = 0; i < list->n && metric__bucket(list, i, &b); i++) {
		h->n[b.open ? PAGE_BUCKETS : bucket_of(h, b.hi)] += b.count;
		if (!b.open && !b.hi)
			h->zeros += b.count;
		else
			h->native[b.open ? PAGE_NATIVE - 1 : native_of(h, b.hi)] += b.count;
	}
}

void page_histogram__merge(struct page_histogram *h, const struct page_histogram *from)
{
	h->unit = from->unit;
	h->zeros += from->zeros;
	for (u32 i = 0; i <= PAGE_BUCKETS; i++)
		h->n[i] += from->n[i];
	for (u32 i = 0; i < PAGE_NATIVE; i++)
		h->native[i] += from->native[i];
}

void page_histogram__show(struct page_histogram *h, const struct page_exemplar *e)
{
	if (!h->exemplars)
		h->exemplars = xcalloc(PAGE_BUCKETS + 1, sizeof(*h->exemplars));
	h->exemplars[bucket_of(h, e->value)] = *e;
}

void page_histogram__free(struct page_histogram *h)
{
	if (h)
		free(h->exemplars);
	free(h);
}

/* --- text --- */

static const char *suffix(const struct page *p)
{
	return p->kind == PAGE_COUNTER ? "_total" : "";
}

static void text_family(struct page *p, const char *help)
{
	static const char *const types[] = {"counter", "gauge", "histogram"};
	bool openmetrics = p->form == PAGE_OPENMETRICS;
	const char *end = openmetrics ? "" : suffix(p), *unit = metric__unit(p->unit);

	fprintf(p->out, "# HELP %s%s ", p->name, end);
	for (; *help; help++)
		if ((u8)*help >= ' ')
			fputc(*help == '"' || *help == '\\' ? '\'' : *help, p->out);
	fprintf(p->out, "\n# TYPE %s%s %s\n", p->name, end, types[p->kind]);
	if (openmetrics && *unit)
		fprintf(p->out, "# UNIT %s %s\n", p->name, unit);
}

static void text_put(struct page *p, const char *labels, const struct value *v)
{
	fprintf(p->out, "%s%s%s%s%s ", p->name, suffix(p), *labels ? "{" : "", labels, *labels ? "}" : "");
	metric__number(p->out, v);
	fputc('\n', p->out);
}

static void text_bucket(struct page *p, const char *labels, const struct page_histogram *h, u32 i, u64 sum)
{
	const struct page_exemplar *e = h->exemplars ? &h->exemplars[i] : NULL;
	const struct value end = {.type = h->unit, .u = page_histogram__end(h, MIN(i, PAGE_BUCKETS - 1u))};

	fprintf(p->out, "%s_bucket{%s%sle=\"", p->name, labels, *labels ? "," : "");
	if (i == PAGE_BUCKETS)
		fputs("+Inf", p->out);
	else
		metric__number(p->out, &end);
	fprintf(p->out, "%s\"} %llu", h->unit == VALUE_NS || i == PAGE_BUCKETS ? "" : ".0", (unsigned long long)sum);
	if (p->form == PAGE_OPENMETRICS && e && e->wall_ms) {
		fprintf(p->out, " # {%s} ", e->labels);
		metric__number(p->out, &(struct value){.type = h->unit, .u = e->value});
		fprintf(p->out, " %llu.%03llu", (unsigned long long)(e->wall_ms / 1000),
			(unsigned long long)(e->wall_ms % 1000));
	}
	fputc('\n', p->out);
}

/* --- any --- */

void page__begin(struct page *p, enum page_form form, FILE *out)
{
	*p = (struct page){.form = form, .out = out};
}

void page__end(struct page *p)
{
	if (p->form == PAGE_PROTOBUF)
		page_protobuf__flush(p);
	else if (p->form == PAGE_OPENMETRICS)
		fputs("# EOF\n", p->out);
}

void page__family(struct page *p, const char *name, enum page_kind kind, enum value_type unit, const char *help)
{
	if (p->form == PAGE_PROTOBUF)
		page_protobuf__flush(p);
	copy_str(p->name, sizeof(p->name), name);
	p->kind = kind;
	p->unit = unit;
	if (p->form == PAGE_PROTOBUF)
		page_protobuf__family(p, help);
	else
		text_family(p, help);
}

void page__put(struct page *p, const char *labels, const struct value *v)
{
	if (p->form == PAGE_PROTOBUF)
		page_protobuf__put(p, labels, v);
	else
		text_put(p, labels, v);
}

void page__put_histogram(struct page *p, const char *labels, const struct page_histogram *h)
{
	u64 sum = 0;

	if (p->form == PAGE_PROTOBUF) {
		page_protobuf__put_histogram(p, labels, h);
		return;
	}
	for (u32 i = 0; i <= PAGE_BUCKETS; i++) {
		sum += h->n[i];
		text_bucket(p, labels, h, i, sum);
	}
}

void page__count(struct page *p, const char *name, u64 n, const char *help)
{
	page__family(p, name, PAGE_COUNTER, VALUE_COUNT, help);
	page__put(p, "", &(struct value){.type = VALUE_COUNT, .u = n});
}

void page__gauge(struct page *p, const char *name, const char *labels, const struct value *v, const char *help)
{
	page__family(p, name, PAGE_GAUGE, v->type, help);
	page__put(p, labels, v);
}
