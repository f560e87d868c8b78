/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Trees of rows that each have one stack: its frames stand below each other, without branches.
 * Pure; on the query worker.
 */
#ifndef MODELS_STACK_ROWS_H
#define MODELS_STACK_ROWS_H

#include "base/arena.h"
#include "models/query_result.h"
#include "models/frames.h"

struct stack_rows {
	u32 n;
	u64 (*key)(const void *ctx, u32 row);
	u32 (*nframes)(const void *ctx, u32 row);
	struct frame_text (*frame)(const void *ctx, u32 row, u32 i);
	const void *ctx;
	const char *none; /* stands below rows without frames; NULL: nothing does */
};

/* Fills the trees of the rows whose keys are among `unfolded`, in the arena. */
void stack_rows__build(struct query_result *a, const struct stack_rows *rows, const u64 *unfolded,
		       u32 nunfolded, struct arena *arena);

#endif
