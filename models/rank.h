/* SPDX-License-Identifier: GPL-2.0-only */
/* Which entries of a full model are the coldest, for those who fold them. Stateless. */
#ifndef MODELS_RANK_H
#define MODELS_RANK_H

#include "base/base.h"

struct rank {
	double recent, total; /* weights: what fades, and since the start */
	u32 pos;	      /* of the entry */
};

/* Hottest first; of equal ones by their position. */
void ranks__sort(struct rank *r, u32 n);

#endif
