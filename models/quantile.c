// SPDX-License-Identifier: GPL-2.0-only
#include "models/quantile.h"

u64 histogram__quantile(const struct histogram *h, double q)
{
	double all = 0, below = 0, rank;
	u64 lo = 0, hi = 0;

	for (u32 i = 0; i < h->nbuckets; i++)
		all += h->n[i];
	if (!(all > 0))
		return 0;
	rank = q * all;
	for (u32 i = 0; i < h->nbuckets; i++) {
		if (!(h->n[i] > 0))
			continue;
		lo = MIN(MAX(h->lo(i), h->min), h->max);
		hi = MAX(MIN(h->lo(i + 1), h->max), lo);
		if (below + h->n[i] >= rank) {
			hi = lo + (u64)((double)(hi - lo) * (rank - below) / h->n[i]);
			break;
		}
		below += h->n[i];
	}
	return hi;
}
