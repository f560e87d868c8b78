// SPDX-License-Identifier: GPL-2.0-only
/* Pages of metrics in protobuf. A family is gathered in an arena and written when the next one begins. */
#include <math.h>

#include "base/arena.h"
#include "export/metrics.pb-c.h"
#include "export/metrics_text.h"
#include "serve/page.h"

typedef Io__Prometheus__Client__MetricFamily pb_family;
typedef Io__Prometheus__Client__Metric pb_metric;
typedef Io__Prometheus__Client__LabelPair pb_label;
typedef Io__Prometheus__Client__Histogram pb_histogram;
typedef Io__Prometheus__Client__Bucket pb_bucket;
typedef Io__Prometheus__Client__BucketSpan pb_span;
typedef Io__Prometheus__Client__Exemplar pb_exemplar;

#define SCHEMA	       2
#define ZERO_THRESHOLD 0x1p-128 /* as Prometheus' own clients have it: what has one is native */

struct page_family {
	struct arena arena;
	pb_family pb;
	pb_metric **metrics;
	u32 n, cap;
};

#define NEW(f, type, init)                                                                         \
	({                                                                                         \
		type *new_ = arena__alloc(&(f)->arena, sizeof(*new_));                             \
		init(new_);                                                                        \
		new_;                                                                              \
	})

void page_protobuf__family(struct page *p, const char *help)
{
	static const Io__Prometheus__Client__MetricType types[] = {
		[PAGE_COUNTER] = IO__PROMETHEUS__CLIENT__METRIC_TYPE__COUNTER,
		[PAGE_GAUGE] = IO__PROMETHEUS__CLIENT__METRIC_TYPE__GAUGE,
		[PAGE_HISTOGRAM] = IO__PROMETHEUS__CLIENT__METRIC_TYPE__HISTOGRAM,
	};
	struct page_family *f = xcalloc(1, sizeof(*f));
	char name[sizeof(p->name) + 8];

	arena__init(&f->arena);
	io__prometheus__client__metric_family__init(&f->pb);
	snprintf(name, sizeof(name), "%s%s", p->name, p->kind == PAGE_COUNTER ? "_total" : "");
	f->pb.name = arena__strdup(&f->arena, name);
	f->pb.help = arena__strdup(&f->arena, help);
	f->pb.type = types[p->kind];
	p->family = f;
}

void page_protobuf__flush(struct page *p)
{
	struct page_family *f = p->family;
	u8 length[10];
	size_t size, n = 0;
	void *data;

	if (!f)
		return;
	f->pb.metric = f->metrics;
	f->pb.n_metric = f->n;
	size = protobuf_c_message_get_packed_size(&f->pb.base);
	data = xmalloc(size);
	protobuf_c_message_pack(&f->pb.base, data);
	for (size_t left = size; n == 0 || left; left >>= 7)
		length[n++] = (u8)((left & 0x7f) | (left > 0x7f ? 0x80 : 0));
	if (f->n) {
		fwrite(length, 1, n, p->out);
		fwrite(data, 1, size, p->out);
	}
	free(data);
	free(f->metrics);
	arena__fini(&f->arena);
	free(f);
	p->family = NULL;
}

/* --- labels --- */

/* The text between the quotes; moves on behind them. */
static char *read_quoted(struct arena *a, const char **at)
{
	char *text = arena__alloc(a, strlen(*at) + 1), *to = text;
	const char *s = *at + 1;

	for (; *s && *s != '"'; s++) {
		if (*s == '\\' && s[1])
			s++;
		*to++ = *s;
	}
	*to = '\0';
	*at = *s ? s + 1 : s;
	return text;
}

static pb_label **read_labels(struct page_family *f, const char *text, size_t *n)
{
	u32 most = 1;
	pb_label **labels;

	for (const char *s = text; *s; s++)
		most += *s == '=';
	labels = arena__array(&f->arena, pb_label *, most);
	for (*n = 0; *text && *n < most; text += *text == ',') {
		size_t len = strcspn(text, "=");
		char *name = arena__alloc(&f->arena, len + 1);

		memcpy(name, text, len);
		name[len] = '\0';
		text += len + (text[len] == '=');
		labels[*n] = NEW(f, pb_label, io__prometheus__client__label_pair__init);
		labels[*n]->name = name;
		labels[(*n)++]->value = read_quoted(&f->arena, &text);
	}
	return labels;
}

static pb_metric *add_metric(struct page_family *f, const char *labels)
{
	pb_metric *m = NEW(f, pb_metric, io__prometheus__client__metric__init);

	m->label = read_labels(f, labels, &m->n_label);
	f->metrics = xgrow(f->metrics, f->n, &f->cap, sizeof(pb_metric *));
	f->metrics[f->n++] = m;
	return m;
}

/* --- values --- */

static double in_base_unit(enum value_type unit, double v)
{
	return unit == VALUE_NS ? v / 1e9 : unit == VALUE_PCT ? v / 100 : v;
}

static double number_of(const struct value *v)
{
	bool real = v->type == VALUE_PCT || v->type == VALUE_NUMBER;

	return in_base_unit(v->type, real ? v->f : (double)v->u);
}

void page_protobuf__put(struct page *p, const char *labels, const struct value *v)
{
	struct page_family *f = p->family;
	pb_metric *m = add_metric(f, labels);

	if (p->kind == PAGE_COUNTER) {
		m->counter = NEW(f, Io__Prometheus__Client__Counter, io__prometheus__client__counter__init);
		m->counter->value = number_of(v);
	} else {
		m->gauge = NEW(f, Io__Prometheus__Client__Gauge, io__prometheus__client__gauge__init);
		m->gauge->value = number_of(v);
	}
}

/* --- histograms --- */

static pb_exemplar *exemplar_of(struct page_family *f, enum value_type unit, const struct page_exemplar *e)
{
	pb_exemplar *out = NEW(f, pb_exemplar, io__prometheus__client__exemplar__init);

	out->label = read_labels(f, e->labels, &out->n_label);
	out->value = in_base_unit(unit, (double)e->value);
	out->timestamp = NEW(f, Io__Prometheus__Client__Timestamp, io__prometheus__client__timestamp__init);
	out->timestamp->seconds = (s64)(e->wall_ms / 1000);
	out->timestamp->nanos = (s32)(e->wall_ms % 1000 * NSEC_PER_MSEC);
	return out;
}

static void put_buckets(struct page_family *f, pb_histogram *out, const struct page_histogram *h)
{
	out->bucket = arena__array(&f->arena, pb_bucket *, PAGE_BUCKETS + 1);
	out->n_bucket = PAGE_BUCKETS + 1;
	for (u32 i = 0; i <= PAGE_BUCKETS; i++) {
		pb_bucket *b = NEW(f, pb_bucket, io__prometheus__client__bucket__init);

		out->sample_count += h->n[i];
		b->cumulative_count = out->sample_count;
		b->upper_bound = i == PAGE_BUCKETS ? INFINITY
						   : in_base_unit(h->unit, (double)page_histogram__end(h, i));
		if (h->exemplars && h->exemplars[i].wall_ms)
			b->exemplar = exemplar_of(f, h->unit, &h->exemplars[i]);
		out->bucket[i] = b;
	}
}

/* Runs of buckets that have something, and what each has more than the one before. */
static void put_native(struct page_family *f, pb_histogram *out, const struct page_histogram *h)
{
	int next = 0, offset = page_histogram__first(h);
	s64 before = 0;

	out->schema = SCHEMA;
	out->zero_threshold = ZERO_THRESHOLD;
	out->zero_count = h->zeros;
	out->positive_span = arena__array(&f->arena, pb_span *, PAGE_NATIVE);
	out->positive_delta = arena__array(&f->arena, s64, PAGE_NATIVE);
	for (int i = 0; i < PAGE_NATIVE; i++) {
		pb_span *span;

		if (!h->native[i])
			continue;
		if (!out->n_positive_span || i > next) {
			span = NEW(f, pb_span, io__prometheus__client__bucket_span__init);
			span->offset = i - next + (out->n_positive_span ? 0 : offset);
			out->positive_span[out->n_positive_span++] = span;
		}
		out->positive_span[out->n_positive_span - 1]->length++;
		out->positive_delta[out->n_positive_delta++] = (s64)h->native[i] - before;
		before = (s64)h->native[i];
		next = i + 1;
	}
}

void page_protobuf__put_histogram(struct page *p, const char *labels, const struct page_histogram *h)
{
	struct page_family *f = p->family;
	pb_histogram *out = NEW(f, pb_histogram, io__prometheus__client__histogram__init);

	put_buckets(f, out, h);
	put_native(f, out, h);
	out->sample_sum = NAN; /* it is not known */
	add_metric(f, labels)->histogram = out;
}
