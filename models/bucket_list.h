/* SPDX-License-Identifier: GPL-2.0-only */
/* Histograms of durations as values of a report: lists of {lo_ns, hi_ns, count}. */
#ifndef MODELS_BUCKET_LIST_H
#define MODELS_BUCKET_LIST_H

#include "base/table.h"

struct bucket_item {
	u64 lo_ns, hi_ns;
	u64 count;
};

/* The items are borrowed for as long as the value. */
struct value bucket_list__value(const struct bucket_item *items, u32 n);

#endif
