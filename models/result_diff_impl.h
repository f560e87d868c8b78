/* SPDX-License-Identifier: GPL-2.0-only */
/* Between the files that make a struct result_diff. */
#ifndef MODELS_ANSWER_DIFF_IMPL_H
#define MODELS_ANSWER_DIFF_IMPL_H

#include "base/arena.h"
#include "models/result_diff.h"

#define DIFF_WIDTH	8
#define DIFF_THEN_WIDTH 6

enum diff_kind {
	DIFF_OWN,	  /* as it is; of a row that is gone as it would be */
	DIFF_NOW,	  /* on screen: "gone" of a row that is */
	DIFF_THEN_MARKED, /* on screen: "new" of a row that was not there */
	DIFF_THEN,
	DIFF_CHANGE,
	DIFF_PRESENCE,
};

struct diff_column {
	enum diff_kind kind;
	u32 of; /* column of both answers */
};

struct diff_box {
	struct result_diff diff;
	struct arena arena;
	struct diff_column *columns;
	struct column *shown;
	struct diff_row *rows;
	u32 nrows;
};

static inline const struct diff_box *diff__of(const struct result_diff *d)
{
	return container_of(d, struct diff_box, diff);
}

/* Nodes below rows, when rows are in their order. */
void diff__fill_trees(struct diff_box *b);

#endif
