/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a view's reports add up to, for pages of metrics: each interval's sums and histograms are added to
 * counters, which so never fall. A counter has one series for each set of labels; the sets are at most
 * COUNTERS_SETS, and what finds no room is summed up in one more, "[rest]". A set keeps its place as long
 * as it is seen; one that was not for COUNTERS_IDLE_NS gives it to a new one, and what it had to the rest.
 * So the sum of all series only grows, and nothing is counted twice. One thread.
 */
#ifndef SERVE_COUNTERS_H
#define SERVE_COUNTERS_H

#include "export/export.h"
#include "serve/page.h"

#define COUNTERS_SETS	  100
#define COUNTERS_FAMILIES 64
#define COUNTERS_IDLE_NS  (600 * NSEC_PER_SEC)

struct counters;

/* What is special to a view's page. */
struct counters_form {
	const char *labels; /* columns, blanks between; NULL: those that rows are grouped by */
	const char *rows;   /* how many rows a set has is a gauge of this name; NULL: is none */
};

/* view is borrowed; form NULL: nothing is special. */
struct counters *counters__new(const char *view, const struct counters_form *form);
void counters__free(struct counters *c);
/* One interval's report. */
void counters__add(struct counters *c, const struct report *r);
/* The families of the page. */
void counters__write(const struct counters *c, struct page *p);

#endif
