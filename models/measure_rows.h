/* SPDX-License-Identifier: GPL-2.0-only */
/* An answer about a measure and what it is made in; shared by models/measure_query.c, which adds
 * up, and models/measure_rows.c, which shows. */
#ifndef MODELS_MEASURE_ROWS_H
#define MODELS_MEASURE_ROWS_H

#include "models/measure_columns.h"

struct measure_box {
	struct measure_result result;
	struct column columns[MEASURE_COLUMNS];
	struct measure_column kinds[MEASURE_COLUMNS];
};

/* Once the rows are there: the table, and with `by_stack` the stacks below them. */
void measure_rows__show(struct measure_box *box, bool by_stack);

/* The trees of the rows that are unfolded, of all that was sampled in them: keys of the rows that the snapshot's samples
 * belong to (measure_trees.c). */
void measure_rows__unfold(struct measure_result *a, const u64 *keys);

/* Who called, as the cell of a stack says it. */
const char *measure_row__stack_name(const struct measure *m, const struct measure_row *r);

#endif
