// SPDX-License-Identifier: GPL-2.0-only
/* Where what the rows of a measure count comes from: the stacks of what was sampled, merged into a tree below each
 * row. */
#include "models/measure_rows.h"
#include "models/profile_impl.h"
#include "models/tracer_frames.h"

struct tree_builder {
	const struct measure_result *a;
	const struct measure_snap *snap;
	const u64 *keys; /* by sample */
	struct selection s;
	struct tracer_frames stacks;
	struct chain_nodes out;
};

static void append_row(struct tree_builder *f, const struct measure_row *row)
{
	struct chain_items items = {.items = xcalloc(MAX(f->snap->nsampled, 1u), sizeof(*items.items))};
	struct bucket bucket = {.key = row->key};
	double whole;

	for (u32 i = 0; i < f->snap->nsampled; i++) {
		const struct measure_entry *e = &f->snap->sampled[i];
		u64 n = e->v[f->a->query.window].count;

		if (f->keys[i] != row->key)
			continue;
		items.items[items.n++] = (struct chain_item){
			selection__stack(&f->s, tracer_frames__stack(&f->stacks, e->stack)), (double)n, n};
		bucket.total += (double)n;
	}
	/* Shares are of all that is counted, as the rows' are, though the stacks may be of some alone. */
	whole = bucket.total;
	if (row->v.count)
		whole *= (double)f->a->all.count / (double)row->v.count;
	if (items.n)
		chains__build(&f->s, &bucket, &items, whole, RESULT_TREE_NODES, &f->out);
	free(items.items);
}

void measure_rows__unfold(struct measure_result *a, const u64 *keys)
{
	const struct measure_query *q = &a->query;
	struct arena *arena = &a->base.arena;
	struct row_tree *trees = arena__array(arena, struct row_tree, a->nrows);
	/* Rows are not about functions: trees have whole stacks. */
	const struct profile_query names = {
		.groups = GROUP_BIT(GROUP_TID), .user = true, .kernel = true, .callee_first = !q->leaf_first};
	struct tree_builder f = {
		.a = a, .snap = container_of(a->base.snap, struct measure_snap, base), .keys = keys};

	f.stacks = (struct tracer_frames){.arena = arena, .symbols = f.snap->symbols};
	selection__init_stacks(&f.s, arena, f.snap->symbols, &names, NULL);
	for (u32 i = 0; i < a->nrows; i++) {
		trees[i].first = f.out.n;
		if (a->rows[i].has_stacks && unfolded__at(q->unfolded, q->nunfolded, a->rows[i].key))
			append_row(&f, &a->rows[i]);
		trees[i].n = f.out.n - trees[i].first;
	}
	if (f.out.n)
		a->base.nodes = arena__dup(arena, f.out.items, f.out.n * sizeof(*f.out.items));
	a->base.nnodes = f.out.n;
	a->base.trees = trees;
	a->base.unresolved |= selection__pending(&f.s);
	selection__fini(&f.s);
	tracer_frames__fini(&f.stacks);
	free(f.out.items);
}
