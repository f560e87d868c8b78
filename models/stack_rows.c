// SPDX-License-Identifier: GPL-2.0-only
#include "models/stack_rows.h"

static bool is_among(u64 key, const u64 *keys, u32 n)
{
	for (u32 i = 0; i < n; i++)
		if (keys[i] == key)
			return true;
	return false;
}

static struct tree_node node_of(const struct stack_rows *rows, u32 row, u32 i)
{
	struct frame_text f = rows->frame(rows->ctx, row, i);

	return (struct tree_node){
		.func = f.func,
		.depth = 1,
		.parent = UINT32_MAX,
		.key = mix64_pair(rows->key(rows->ctx, row), i + 1),
		.pct = -1,
		.name = f.name,
		.object_name = f.object_name,
	};
}

static u32 lines_of(const struct stack_rows *rows, u32 row)
{
	u32 n = MIN(rows->nframes(rows->ctx, row), (u32)RESULT_TREE_NODES);

	return !n && rows->none ? 1 : n;
}

static struct tree_node line_of(const struct stack_rows *rows, u32 row, u32 i)
{
	if (rows->nframes(rows->ctx, row))
		return node_of(rows, row, i);
	return (struct tree_node){
		.depth = 1,
		.parent = UINT32_MAX,
		.key = mix64_pair(rows->key(rows->ctx, row), 1),
		.pct = -1,
		.name = rows->none,
		.object_name = "",
	};
}

void stack_rows__build(struct query_result *a, const struct stack_rows *rows, const u64 *unfolded,
		       u32 nunfolded, struct arena *arena)
{
	struct row_tree *trees = arena__array(arena, struct row_tree, rows->n);
	struct tree_node *nodes;
	u32 n = 0;

	for (u32 i = 0; i < rows->n; i++) {
		trees[i].first = n;
		if (is_among(rows->key(rows->ctx, i), unfolded, nunfolded))
			trees[i].n = lines_of(rows, i);
		n += trees[i].n;
	}
	nodes = arena__array(arena, struct tree_node, n);
	for (u32 i = 0; i < rows->n; i++)
		for (u32 k = 0; k < trees[i].n; k++)
			nodes[trees[i].first + k] = line_of(rows, i, k);
	a->trees = trees;
	a->nodes = nodes;
	a->nnodes = n;
}
