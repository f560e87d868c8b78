/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sparse histograms: how often, by bucket, in all windows, where most buckets have none. The live
 * ones are the collector's and bounded altogether; lists in a snapshot are const.
 */
#ifndef MODELS_CELLS_H
#define MODELS_CELLS_H

#include "base/arena.h"
#include "models/windows.h"

#define CELLS_MAX (2u << 20) /* beyond it a next bucket joins its nearest */

/* Whole numbers, but for the decaying window. */
struct hist_cell {
	u64 bucket : 16, total : 48;
	u32 last;
	float decay;
};

struct hist_cells {
	const struct hist_cell *v; /* by bucket */
	u32 n;
};

/* Adds what cells have in a window to n, which is by bucket. */
void hist_cells__add(double *n, const struct hist_cells *c, enum time_window w);
/* The greatest of a decaying window, whose maximum forgets before what was very many has faded:
 * then its bucket tells. total: the greatest of all times. */
u64 hist_cells__cover(const struct hist_cells *c, u64 (*lo)(u32 bucket), u64 max, u64 total);

struct cells {
	struct hist_cell *v;
	u32 n, cap;
};

/* *held: how many cells there are altogether; see CELLS_MAX. */
void cells__add(struct cells *c, u32 bucket, u64 count, u32 *held);
/* Ends an interval; what the snapshot has of it. */
struct hist_cells cells__advance(struct cells *c, double keep, struct arena *a);
/* Adds what they had before this interval, and in it. */
void cells__merge(struct cells *to, const struct cells *from, u32 *held);
void cells__fini(struct cells *c, u32 *held);

#endif
