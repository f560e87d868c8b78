/* SPDX-License-Identifier: GPL-2.0-only */
/* Rows of processes while they are made (procs_rows.c, procs_tree.c) and their columns. */
#ifndef MODELS_PROCS_ROWS_H
#define MODELS_PROCS_ROWS_H

#include "models/procs.h"

struct procs_box {
	struct procs_result result;
	struct arena arena;
};

/* Adds up, names and sorts the rows of box->answer, whose query, snapshot and window are set. */
void procs_rows__make(struct procs_box *box, const struct scope *scope);
/* Puts children below their parents, and lines before their texts. */
void procs_tree__order(struct procs_row *rows, u32 n, struct arena *arena);
void procs_columns__set(struct procs_result *a, struct arena *arena);

#endif
