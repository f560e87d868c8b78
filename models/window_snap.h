/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Snapshots of models that have windows: what all of them begin with, and answers of a query about
 * one window of them.
 */
#ifndef MODELS_WINDOW_SNAP_H
#define MODELS_WINDOW_SNAP_H

#include "models/heat_log.h"
#include "models/query_result.h"
#include "models/windows.h"

#define WINDOW_SNAP                                                                                \
	struct snap base;                                                                          \
	const struct symbols *symbols; /* NULL: it has no stacks */                                \
	u64 since_ns;		       /* start or last zero: where WINDOW_TOTAL begins */         \
	u64 window_ns[WINDOWS];	       /* how long each is; the decaying one by its weight */      \
	struct heat_columns heat       /* empty: it keeps none */

struct window_snap {
	WINDOW_SNAP;
};

struct stacks;

/* Ends the interval [t0, t1): a zeroed snapshot of so many bytes, as snap_box__new makes it, that
 * keeps its heat and the stacks (NULL: it has none) that it refers to. Collector thread. */
void *window_snap__new(size_t size, struct window_clock *clock, const struct stacks *stacks,
		       u64 t0_ns, u64 t1_ns, struct window_pace *pace, struct arena **arena);

/* An answer about a window of a struct window_snap, as query_result__new makes it. Any thread. */
void *window_result__new(size_t size, const struct snap *snap, enum time_window window);

/* Where the window begins. */
static inline u64 window_snap__since(const struct snap *snap, enum time_window window)
{
	return window == WINDOW_TOTAL ? ((const struct window_snap *)snap)->since_ns : snap->t0_ns;
}

#endif
