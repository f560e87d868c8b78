/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which rows and tree nodes of an answer are unfolded, by key, so that it survives new
 * frames; and the node lines that are therefore visible. UI thread only.
 */
#ifndef TUI_VIEWS_FOLD_H
#define TUI_VIEWS_FOLD_H

#include "models/query_result.h"

#define FOLD_MAX_NODES 4096

struct fold {
	u64 rows[RESULT_MAX_UNFOLDED]; /* sorted by nothing: few */
	u32 nrows;
	u64 toggled[FOLD_MAX_NODES]; /* nodes that are not as they are by default */
	u32 ntoggled;
	bool headings_open; /* by default, however many children they have */
	/* made by fold__layout: visible nodes of row i are nodes[first[i] .. first[i + 1]) */
	u32 *first, *nodes;
	u32 laid_out; /* rows */
};

void fold__fini(struct fold *f);
/* False when too many rows are open already. */
bool fold__set_row(struct fold *f, u64 row_key, bool open);
bool fold__row_open(const struct fold *f, u64 row_key);
/* A node with one child is open by default, others are closed (but see headings_open). */
void fold__set(struct fold *f, const struct tree_node *n, bool open);
bool fold__open(const struct fold *f, const struct tree_node *n);
/* Folds everything; false when everything was folded. */
bool fold__clear(struct fold *f);
/* Copies the keys of open rows (RESULT_MAX_UNFOLDED at most), sorted; returns their number. */
u32 fold__rows(const struct fold *f, u64 *out);

/* Call when the rows or the fold state changed. */
void fold__layout(struct fold *f, const struct query_result *a);
u32 fold__lines(const struct fold *f, u32 row);
u32 fold__node(const struct fold *f, u32 row, u32 line);
/* How deep a node is shown: an only child stands below its parent, no deeper, so that a linear
 * chain of calls goes straight down. */
u32 fold__depth(const struct query_result *a, u32 node);
/* Whether it does. */
bool fold__is_only_child(const struct query_result *a, u32 node);
/* Whether a node is the last of its siblings. */
bool fold__last(const struct query_result *a, u32 row, u32 node);

#endif
