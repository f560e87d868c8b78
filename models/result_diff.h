/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Two answers to the same query, of now and of a baseline, as one: rows that have the same key
 * are one row, with what was then and the difference beside what is now. It is a pure function
 * of both and knows no view: columns say by their flags what their numbers are (base/table.h).
 *
 *	screen	the difference, the number compared, the same of then; after them all others
 *	export	all fields as they are, then then_X and diff_X of each number X that is exported,
 *		and "presence": both, new (not there then), gone (not there now)
 *
 * The number compared on screen is the one that rows are sorted by, if it is no name. Sums
 * (COLUMN_SUM) of then are made those of a window as long as now's, so now - then = difference
 * in each row. A row that is missing on one side has 0 of sums, shares and rates there, and
 * nothing of the others. Rows come by the size of the difference, the greatest first.
 */
#ifndef MODELS_ANSWER_DIFF_H
#define MODELS_ANSWER_DIFF_H

#include "models/query_result.h"

#define DIFF_NONE UINT32_MAX

struct diff_row {
	u32 now, baseline; /* rows of the two; DIFF_NONE: it has none */
};

struct result_diff {
	struct query_result base; /* rows, and their trees: now's, of rows that are gone then's */
	struct query_result *now, *baseline; /* owned */
	const struct diff_row *rows;
	const double *baseline_pct; /* of each node; negative: it was not there */
	u32 main;		    /* column of both that is compared on screen */
	double scale;		    /* of then's sums */
	u32 nnew, ngone;
};

/* Takes over both; they have to be of one query. NULL, and nothing is taken over, when their rows
 * have no number to compare. */
struct result_diff *result_diff__join(struct query_result *now, struct query_result *baseline);

/* Whether it is the base of one. */
bool result_diff__is(const struct query_result *a);

/* What a column of the joined table shows is one of both; false: then, or the difference. */
bool result_diff__column(const struct result_diff *d, u32 column, u32 *of);

/* A node of the joined answer in that of the side it is from. */
static inline u32 result_diff__node(const struct result_diff *d, u32 node)
{
	return node < d->now->nnodes ? node : node - d->now->nnodes;
}

#endif
