/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A page of metrics: families of series, in one of three forms. Text is Prometheus' 0.0.4, OpenMetrics 1.0 adds
 * units and exemplars, and protobuf (export/metrics.proto, each family behind its length) has native histograms:
 * buckets of a factor of 2^(1/4) of the base unit, besides those of the others, which are powers of 2 of ns, or of
 * one. One thread.
 */
#ifndef SERVE_PAGE_H
#define SERVE_PAGE_H

#include <stdio.h>

#include "base/table.h"

enum page_form { PAGE_TEXT, PAGE_OPENMETRICS, PAGE_PROTOBUF };
enum page_kind { PAGE_COUNTER, PAGE_GAUGE, PAGE_HISTOGRAM };

/* What a form's Content-Type is; what an Accept header asks for it by. */
const char *page_form__type(enum page_form form);
const char *page_form__asked_by(enum page_form form);

#define PAGE_BUCKETS	27  /* ns from 1.024 us to 68.7 s, other units from 1 */
#define PAGE_NATIVE	160 /* ns from 1 ns to 1,000 s, other units from 1 to 2^40 */
#define PAGE_EXEMPLAR	128 /* bytes of its labels with the NUL: OpenMetrics has no more */

struct page_exemplar {
	char labels[PAGE_EXEMPLAR];
	u64 value;   /* in the histogram's unit */
	u64 wall_ms; /* since 1970; 0: there is none */
};

struct page_histogram {
	enum value_type unit;
	u64 n[PAGE_BUCKETS + 1]; /* apart; the last one has no end */
	u64 zeros, native[PAGE_NATIVE];
	struct page_exemplar *exemplars; /* PAGE_BUCKETS + 1, or NULL */
};

/* Adds a list of buckets (export/metrics_text.h): each is counted where it ends. */
void page_histogram__add(struct page_histogram *h, const struct value *list);
void page_histogram__merge(struct page_histogram *h, const struct page_histogram *from);
/* Something in it that took so long. */
void page_histogram__show(struct page_histogram *h, const struct page_exemplar *e);
void page_histogram__free(struct page_histogram *h);

struct page {
	enum page_form form;
	FILE *out;
	char name[128]; /* of the family in hand */
	enum page_kind kind;
	enum value_type unit;
	struct page_family *family; /* PAGE_PROTOBUF: what is gathered of it */
};

void page__begin(struct page *p, enum page_form form, FILE *out);
void page__end(struct page *p);
/* What follows is of this family. name: without "_total"; help: without quotes. */
void page__family(struct page *p, const char *name, enum page_kind kind, enum value_type unit, const char *help);
/* labels: name="value",... as metric__label() writes them. */
void page__put(struct page *p, const char *labels, const struct value *v);
void page__put_histogram(struct page *p, const char *labels, const struct page_histogram *h);
/* A family of one series. */
void page__count(struct page *p, const char *name, u64 n, const char *help);
void page__gauge(struct page *p, const char *name, const char *labels, const struct value *v, const char *help);

/* --- serve/page_protobuf.c --- */

void page_protobuf__family(struct page *p, const char *help);
void page_protobuf__put(struct page *p, const char *labels, const struct value *v);
void page_protobuf__put_histogram(struct page *p, const char *labels, const struct page_histogram *h);
/* Writes the family in hand, if there is one. */
void page_protobuf__flush(struct page *p);
/* Where a bucket of a histogram ends. */
u64 page_histogram__end(const struct page_histogram *h, u32 bucket);
/* The index, as the format has it, of native[0]. */
int page_histogram__first(const struct page_histogram *h);

#endif
