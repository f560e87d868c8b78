/* SPDX-License-Identifier: GPL-2.0-only */
/* Histograms of durations, and of other numbers, as bars below each other or as one line. Stateless. */
#ifndef WIDGETS_HISTOGRAM_H
#define WIDGETS_HISTOGRAM_H

#include "base/table.h"
#include "widgets/cells.h"

#define HISTOGRAM_MAX_ROWS 128

struct histogram_bucket {
	u64 lo_ns, hi_ns; /* hi_ns is the next one's lo_ns */
	double n;
};

/* A value that is pointed out: "p99". */
struct histogram_mark {
	const char *name;
	u64 ns;
};

struct histogram {
	/* All of them, also those that are 0: they are merged by twos, fours ... from the first one
	 * on, so that the borders stay from tick to tick. */
	const struct histogram_bucket *buckets;
	u32 nbuckets;
	const struct histogram_mark *marks;
	u32 nmarks;
	enum role role; /* of the bars */
	enum value_type unit; /* of values: VALUE_NONE is VALUE_NS; or VALUE_BYTES, VALUE_COUNT */
};

/* Merges buckets until those with counts, and the ones between, are at most `rows`; out has as
 * many (HISTOGRAM_MAX_ROWS at most). Returns how many there are; 0: nothing is counted. */
u32 histogram__fit(const struct histogram *h, u32 rows, struct histogram_bucket *out);

/* From the top of r: range, count, bar, and the marks that lie in the range. Returns rows used.
 * A count above 0 always shows. Narrow ones leave the range's end out, then counts. */
int histogram__draw(const struct histogram *h, struct canvas *c, struct rect r);

/* "256ns ▁▃█▅▁ 33ms": one cell a bucket, merged until it fits in w cells. Returns cells used;
 * 0: nothing is counted, or no room. */
int histogram__line(const struct histogram *h, struct canvas *c, int x, int y, int w);

#endif
