// SPDX-License-Identifier: GPL-2.0-only
/* Where the misses of rows come from: their stacks, merged into a tree below the row. */
#include "models/cache_result.h"
#include "models/profile_impl.h"
#include "models/tracer_frames.h"

/* --- the row of a miss --- */

static u64 place_hash(u64 process, u64 cgroup, u32 dev, u64 inode)
{
	return mix64_pair(mix64_pair(process, cgroup), mix64_pair(dev, inode));
}

static u64 process_of(u32 tgid, u32 past)
{
	return (u64)past << 32 | tgid;
}

/* Stands for any file of a process, for misses whose file was not kept. */
static u64 any_file_hash(u64 process, u64 cgroup)
{
	return mix64(place_hash(process, cgroup, UINT32_MAX, UINT64_MAX));
}

static u32 find_place(const struct cache_builder *m, u64 hash)
{
	u32 at;

	HIDX_FIND(at, &m->place_index, hash, pos, m->places[pos].hash == hash);
	return at == HIDX_NONE ? at : m->places[at].row;
}

static void add_place(struct cache_builder *m, u64 hash, u32 row)
{
	if (find_place(m, hash) != HIDX_NONE)
		return;
	m->places = xgrow(m->places, m->nplaces, &m->places_cap, sizeof(*m->places));
	m->places[m->nplaces] = (struct cache_place){hash, row};
	hidx__add(&m->place_index, hash, m->nplaces++);
}

void cache_stacks__place(struct cache_builder *m, const struct cache_use *u, u32 row)
{
	u64 process = process_of(u->tgid, u->past);

	add_place(m, place_hash(process, u->cgroup, u->dev, u->inode), row);
	if (m->query->group != CACHE_BY_FILE && !m->query->by_file)
		add_place(m, any_file_hash(process, u->cgroup), row);
}

static u32 row_of_miss(const struct cache_builder *m, const struct cache_miss *miss)
{
	u64 process = process_of(miss->tgid, miss->past);
	u32 at;

	if (!miss->misses[m->query->window])
		return HIDX_NONE;
	at = find_place(m, place_hash(process, miss->cgroup, miss->dev, miss->inode));
	if (at == HIDX_NONE && !miss->dev)
		at = find_place(m, any_file_hash(process, miss->cgroup));
	return at;
}

void cache_stacks__find(struct cache_builder *m)
{
	m->miss_rows = arena__array(m->arena, u64, m->snap->nmisses);
	for (u32 i = 0; i < m->snap->nmisses; i++) {
		u32 row = row_of_miss(m, &m->snap->misses[i]);

		if (row == HIDX_NONE)
			continue;
		m->rows[row].has_stacks = true;
		m->miss_rows[i] = m->rows[row].key;
	}
}

/* --- trees --- */

struct tree_builder {
	const struct cache_builder *m;
	struct selection s;
	struct tracer_frames stacks;
	struct profile_query names;
	struct chain_nodes out;
};

static void append_row(struct tree_builder *f, const struct cache_row *row)
{
	const struct cache_snap *snap = f->m->snap;
	struct chain_items items = {.items = xcalloc(MAX(snap->nmisses, 1u), sizeof(*items.items))};
	struct bucket bucket = {.key = row->key};
	u64 row_misses = cache__misses(row->n);
	double whole;

	for (u32 i = 0; i < snap->nmisses; i++) {
		u64 n = snap->misses[i].misses[f->m->query->window];

		if (f->m->miss_rows[i] != row->key)
			continue;
		items.items[items.n++] = (struct chain_item){
			selection__stack(&f->s,
					 tracer_frames__stack(&f->stacks, snap->misses[i].stack)),
			(double)n, n};
		bucket.total += (double)n;
	}
	whole = bucket.total;
	/* Shares are of all misses, as the rows' are, though the stacks may be of some alone. */
	if (row_misses)
		whole *= (double)cache__misses(f->m->result->n) / (double)row_misses;
	if (items.n)
		chains__build(&f->s, &bucket, &items, whole, RESULT_TREE_NODES, &f->out);
	free(items.items);
}

void cache_stacks__build(struct cache_builder *m)
{
	struct cache_result *a = m->result;
	struct row_tree *trees = arena__array(m->arena, struct row_tree, a->nrows);
	struct tree_builder f = {.m = m,
				 .stacks = {.arena = m->arena, .symbols = m->snap->symbols}};

	/* Rows are not about functions: trees have whole stacks. */
	f.names = (struct profile_query){.groups = GROUP_BIT(GROUP_TID),
					 .user = true,
					 .kernel = true,
					 .callee_first = !m->query->leaf_first};
	selection__init_stacks(&f.s, m->arena, m->snap->symbols, &f.names, NULL);
	for (u32 i = 0; i < a->nrows; i++) {
		trees[i].first = f.out.n;
		if (a->rows[i].has_stacks &&
		    unfolded__at(m->query->unfolded, m->query->nunfolded, a->rows[i].key))
			append_row(&f, &a->rows[i]);
		trees[i].n = f.out.n - trees[i].first;
	}
	if (f.out.n)
		a->base.nodes = arena__dup(m->arena, f.out.items, f.out.n * sizeof(*f.out.items));
	a->base.nnodes = f.out.n;
	a->base.trees = trees;
	a->base.unresolved = selection__pending(&f.s);
	selection__fini(&f.s);
	tracer_frames__fini(&f.stacks);
	free(f.out.items);
}
