// SPDX-License-Identifier: GPL-2.0-only
/* What is below the rows of two times: now's trees, each node with its share of then. */
#include "base/hidx.h"
#include "models/result_diff_impl.h"

/* Then's nodes behind now's, where rows that are gone have theirs. */
static void copy_nodes(struct diff_box *b, struct tree_node *nodes)
{
	const struct query_result *now = b->diff.now, *baseline = b->diff.baseline;

	for (u32 i = 0; i < now->nnodes; i++)
		nodes[i] = now->nodes[i];
	for (u32 i = 0; i < baseline->nnodes; i++) {
		struct tree_node *n = &nodes[now->nnodes + i];

		*n = baseline->nodes[i];
		if (n->parent != UINT32_MAX)
			n->parent += now->nnodes;
		n->count = 0;
		n->pct = n->pct < 0 ? n->pct : 0;
	}
}

/* Shares of a tree's nodes in the same row's tree of then. */
static void match_tree(const struct diff_box *b, const struct row_tree *now,
		       const struct row_tree *baseline, double *baseline_pct)
{
	const struct tree_node *nodes = b->diff.now->nodes, *old = b->diff.baseline->nodes;
	struct hidx index = {0};

	for (u32 i = baseline->first; i < baseline->first + baseline->n; i++)
		hidx__add(&index, mix64(old[i].key), i);
	for (u32 i = now->first; i < now->first + now->n; i++) {
		u32 at;

		HIDX_FIND(at, &index, mix64(nodes[i].key), pos, old[pos].key == nodes[i].key);
		if (at != HIDX_NONE)
			baseline_pct[i] = old[at].pct;
	}
	hidx__fini(&index);
}

static const struct row_tree *tree_of(const struct query_result *a, u32 row)
{
	static const struct row_tree none;

	return a->trees && row != DIFF_NONE ? &a->trees[row] : &none;
}

void diff__fill_trees(struct diff_box *b)
{
	const struct query_result *now = b->diff.now, *baseline = b->diff.baseline;
	u32 n = now->nnodes + baseline->nnodes;
	struct tree_node *nodes;
	struct row_tree *trees;
	double *baseline_pct;

	if (!now->trees)
		return;
	nodes = arena__array(&b->arena, struct tree_node, n);
	trees = arena__array(&b->arena, struct row_tree, b->nrows);
	baseline_pct = arena__array(&b->arena, double, n);
	copy_nodes(b, nodes);
	for (u32 i = 0; i < n; i++)
		baseline_pct[i] = i < now->nnodes ? -1 : baseline->nodes[i - now->nnodes].pct;
	for (u32 i = 0; i < b->nrows; i++) {
		const struct diff_row *r = &b->rows[i];

		if (r->now != DIFF_NONE) {
			trees[i] = *tree_of(now, r->now);
			match_tree(b, &trees[i], tree_of(baseline, r->baseline), baseline_pct);
		} else {
			trees[i] = *tree_of(baseline, r->baseline);
			trees[i].first += now->nnodes;
		}
	}
	b->diff.base.nodes = nodes;
	b->diff.base.nnodes = n;
	b->diff.base.trees = trees;
	b->diff.baseline_pct = baseline_pct;
}
