/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Heat log: how often something took how long, interval by interval, for the last minutes; what
 * a latency heat map is drawn from. A model keeps one, adds its interval's counts to it and hands
 * its columns out with each snapshot.
 *
 * A column never changes once it is made and is shared by reference count, so a snapshot costs
 * as much as its pointers. Memory is bounded: HEAT_SPAN_S, HEAT_MAX_COLUMNS, and HEAT_MAX_CELLS
 * counts, beyond which the oldest columns go; a column has HEAT_COLUMN_CELLS at most. The log is
 * the collector thread's; columns are read and let go by any.
 */
#ifndef MODELS_HEAT_LOG_H
#define MODELS_HEAT_LOG_H

#include <stdatomic.h>

#include "base/base.h"

#define HEAT_SPAN_S	  600
#define HEAT_COLUMN_NS	  (NSEC_PER_SEC / 2) /* shorter intervals are joined */
#define HEAT_MAX_COLUMNS  1280
#define HEAT_MAX_CELLS	  (1u << 20)
#define HEAT_COLUMN_CELLS (1u << 16)
#define HEAT_MAX_SERIES	  (1u << 16)

struct arena;

/* What a series and a bucket are is the model's matter. */
struct heat_cell {
	u16 series, bucket;
	u32 n;
};

struct heat_column {
	atomic_uint refs;
	u32 n;
	/* Counts up by one from column to column, and over a time that nobody watched by as many
	 * as would have been there. */
	u64 slot;
	u64 t0_ns, t1_ns;
	u64 left_out;		  /* counted, but beyond HEAT_COLUMN_CELLS or HEAT_MAX_SERIES */
	struct heat_cell cells[]; /* by series, then bucket */
};

/* Of a snapshot, oldest first. */
struct heat_columns {
	const struct heat_column *const *v;
	u32 n;
};

/* Zero-initialized is empty. */
struct heat_log {
	struct heat_column *columns[HEAT_MAX_COLUMNS]; /* a ring */
	u32 first, n;
	u32 cells;	       /* of all of them */
	struct heat_cell *now; /* of the interval that goes on, in any order */
	u32 nnow, now_cap;
	u64 left_out;
};

void heat_log__add(struct heat_log *l, u32 series, u32 bucket, u64 n);
/* Ends the interval [t0, t1) and hands all columns out; a time before the last one's: the log begins
 * anew. The array is in the arena, the references have to be
 * put. */
struct heat_columns heat_log__tick(struct heat_log *l, u64 t0_ns, u64 t1_ns, struct arena *a);
void heat_log__zero(struct heat_log *l);
void heat_log__fini(struct heat_log *l);
size_t heat_log__bytes(const struct heat_log *l);

void heat_columns__put(const struct heat_columns *c);
/* Those of a snapshot go with it (models/snap_box.h). */
void heat_columns__hold(struct heat_columns *c, void *snap);

#endif
