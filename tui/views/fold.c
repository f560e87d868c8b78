/* SPDX-License-Identifier: GPL-2.0-only */
#include "tui/views/fold.h"

#include "base/arena.h"
#include "tui/views/plumbing.h"

static u32 position(const u64 *keys, u32 n, u64 key)
{
	for (u32 i = 0; i < n; i++)
		if (keys[i] == key)
			return i;
	return UINT32_MAX;
}

void fold__fini(struct fold *f)
{
	free(f->first);
	free(f->nodes);
}

bool fold__row_open(const struct fold *f, u64 row_key)
{
	return position(f->rows, f->nrows, row_key) != UINT32_MAX;
}

bool fold__set_row(struct fold *f, u64 row_key, bool open)
{
	u32 i = position(f->rows, f->nrows, row_key);

	if (!open && i != UINT32_MAX)
		f->rows[i] = f->rows[--f->nrows];
	if (!open || i != UINT32_MAX)
		return true;
	if (f->nrows == RESULT_MAX_UNFOLDED)
		return false;
	f->rows[f->nrows++] = row_key;
	return true;
}

static bool open_by_default(const struct fold *f, const struct tree_node *n)
{
	return n->nchildren == 1 || (n->heading && f->headings_open);
}

bool fold__open(const struct fold *f, const struct tree_node *n)
{
	bool toggled = position(f->toggled, f->ntoggled, n->key) != UINT32_MAX;

	return open_by_default(f, n) != toggled;
}

void fold__set(struct fold *f, const struct tree_node *n, bool open)
{
	u32 i = position(f->toggled, f->ntoggled, n->key);

	if (open != open_by_default(f, n)) {
		if (i == UINT32_MAX && f->ntoggled < FOLD_MAX_NODES)
			f->toggled[f->ntoggled++] = n->key;
	} else if (i != UINT32_MAX) {
		f->toggled[i] = f->toggled[--f->ntoggled];
	}
}

bool fold__clear(struct fold *f)
{
	bool any = f->nrows > 0;

	f->nrows = 0;
	f->ntoggled = 0;
	return any;
}

static int compare_keys(const void *a, const void *b)
{
	u64 x = *(const u64 *)a, y = *(const u64 *)b;

	return (x > y) - (x < y);
}

u32 fold__rows(const struct fold *f, u64 *out)
{
	memset(out, 0, sizeof(*out) * RESULT_MAX_UNFOLDED);
	memcpy(out, f->rows, sizeof(*out) * f->nrows);
	qsort(out, f->nrows, sizeof(*out), compare_keys);
	return f->nrows;
}

/* Appends a row's visible nodes: those whose ancestors are all open. */
static u32 layout_tree(struct fold *f, const struct query_result *a, const struct row_tree *tree,
		       u32 at)
{
	u32 closed_depth = UINT32_MAX;

	for (u32 i = tree->first; i < tree->first + tree->n; i++) {
		const struct tree_node *n = &a->nodes[i];

		if (n->depth > closed_depth)
			continue;
		if (plumbing__is_hidden(a, i))
			continue;
		f->nodes[at++] = i;
		closed_depth = fold__open(f, n) ? UINT32_MAX : n->depth;
	}
	return at;
}

void fold__layout(struct fold *f, const struct query_result *a)
{
	const struct row_table *t = &a->table;
	u32 at = 0;

	f->first = xrealloc(f->first, sizeof(*f->first) * (t->nrows + 1));
	f->nodes = xrealloc(f->nodes, sizeof(*f->nodes) * (a->nnodes + 1));
	f->laid_out = t->nrows;
	for (u32 i = 0; i < t->nrows; i++) {
		f->first[i] = at;
		if (a->trees && a->trees[i].n && fold__row_open(f, t->key(t, i)))
			at = layout_tree(f, a, &a->trees[i], at);
	}
	f->first[t->nrows] = at;
}

u32 fold__lines(const struct fold *f, u32 row)
{
	return row < f->laid_out ? f->first[row + 1] - f->first[row] : 0;
}

u32 fold__node(const struct fold *f, u32 row, u32 line)
{
	return f->nodes[f->first[row] + line];
}

bool fold__is_only_child(const struct query_result *a, u32 node)
{
	u32 parent = a->nodes[node].parent;

	return parent != UINT32_MAX && a->nodes[parent].nchildren == 1 && !a->nodes[parent].heading;
}

u32 fold__depth(const struct query_result *a, u32 node)
{
	u32 depth = 1;

	for (; a->nodes[node].parent != UINT32_MAX; node = a->nodes[node].parent)
		depth += !fold__is_only_child(a, node);
	return depth;
}

bool fold__last(const struct query_result *a, u32 row, u32 node)
{
	u32 end = a->trees[row].first + a->trees[row].n, depth = a->nodes[node].depth;

	for (u32 i = node + 1; i < end && a->nodes[i].depth >= depth; i++)
		if (a->nodes[i].depth == depth)
			return false;
	return true;
}
