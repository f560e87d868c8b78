// SPDX-License-Identifier: GPL-2.0-only
#include "models/rank.h"

#include <stdlib.h>

static int compare_ranks(const void *pa, const void *pb)
{
	const struct rank *a = pa, *b = pb;

	if (a->recent != b->recent)
		return a->recent < b->recent ? 1 : -1;
	if (a->total != b->total)
		return a->total < b->total ? 1 : -1;
	return a->pos < b->pos ? -1 : a->pos > b->pos;
}

void ranks__sort(struct rank *r, u32 n)
{
	qsort(r, n, sizeof(*r), compare_ranks);
}
