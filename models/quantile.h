/* SPDX-License-Identifier: GPL-2.0-only */
/* Histograms: their quantiles and how reports have them. Stateless. */
#ifndef MODELS_QUANTILE_H
#define MODELS_QUANTILE_H

#include "base/arena.h"
#include "base/table.h"

struct histogram {
	const double *n; /* of each bucket */
	u32 nbuckets;
	u64 (*lo)(u32 bucket); /* least value; of nbuckets: where the last one would end */
	u64 min, max;	       /* of all values; 0 and UINT64_MAX where they are not known */
	u64 zero; /* what values are counted from: those below are below 0 */
	enum value_type type; /* of values: VALUE_NS, VALUE_BYTES or VALUE_COUNT */
};

/* Linear within the bucket that has the rank, and never outside of min and max. 0 of none. */
u64 histogram__quantile(const struct histogram *h, double q);
double histogram__count(const struct histogram *h);
/* A list of {lo_ns, hi_ns, count} in the arena (_bytes, or no unit, by the type of values): of the buckets that have some, or of all from the
 * first to the last of these. */
struct value histogram__value(const struct histogram *h, bool whole, struct arena *a);

/* Of a struct that has `double n[nbuckets]`, whose buckets begin at NAME__lo: NAME__count,
 * NAME__quantile with the largest value that there was, and NAME__value. */
#define HISTOGRAM_OF(name, nbuckets, whole)                                                        \
	static struct histogram name##__all(const struct name *h)                                  \
	{                                                                                          \
		return (struct histogram){h->n, nbuckets, name##__lo, 0, UINT64_MAX, 0, VALUE_NS}; \
	}                                                                                          \
	double name##__count(const struct name *h)                                                 \
	{                                                                                          \
		const struct histogram of = name##__all(h);                                        \
                                                                                                   \
		return histogram__count(&of);                                                      \
	}                                                                                          \
	u64 name##__quantile(const struct name *h, double q, u64 max)                              \
	{                                                                                          \
		const struct histogram of = name##__all(h);                                        \
		u64 v = histogram__quantile(&of, q);                                               \
                                                                                                   \
		return MIN(v, max);                                                                \
	}                                                                                          \
	struct value name##__value(const struct name *h, struct arena *a)                          \
	{                                                                                          \
		const struct histogram of = name##__all(h);                                        \
                                                                                                   \
		return histogram__value(&of, whole, a);                                            \
	}

#endif
