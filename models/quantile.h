/* SPDX-License-Identifier: GPL-2.0-only */
/* Quantiles of a histogram: linear within the bucket that has the rank, and never outside of what
 * the least and the greatest value are known to be. Stateless. */
#ifndef MODELS_QUANTILE_H
#define MODELS_QUANTILE_H

#include "base/base.h"

struct histogram {
	const double *n; /* of each bucket */
	u32 nbuckets;
	u64 (*lo)(u32 bucket); /* least value; of nbuckets: where the last one would end */
	u64 min, max;	       /* of all values; 0 and UINT64_MAX where they are not known */
};

/* 0 of none. */
u64 histogram__quantile(const struct histogram *h, double q);

#endif
