// SPDX-License-Identifier: GPL-2.0-only
/*
 * Call chains below a row: the paths of its stacks, merged into a tree. Level by level,
 * the paths of a node are sorted into groups by their next frame; only groups that are kept
 * are looked at further, so the work is bounded by the frames below kept nodes.
 */
#include "models/profile_impl.h"

/* Least share of a node: of the window, and of its row for rows that are small themselves. */
#define MIN_OF_WINDOW 0.0005
#define MIN_OF_ROW    0.005
/* So many have a node at least. */
#define FEW 3u

/* The way one stack goes from the row. */
struct path {
	u32 first, n; /* in chains.frames */
	double weight;
	u64 count;
};

/* Paths of a node that go on alike. */
struct group {
	frame_ref frame; /* 0: they end here */
	u32 first, n;	 /* of its paths */
	double weight;
	u64 count;
};

struct chains {
	struct selection *s;
	struct chain_nodes *out;
	struct path *paths, *scratch;
	u32 npaths;
	frame_ref *frames; /* of all paths */
	u32 nframes, frames_cap;
	u32 *group_of; /* by frame_ref, group + 1 while a level is grouped */
	u32 left;      /* nodes that may still be promised */
	double least, window_weight;
};

/* --- the paths --- */

static bool belongs(const struct selection *s, const struct bucket *row, frame_ref f)
{
	const struct ident *id = &s->idents[frame__ident(f)];
	const struct ident *mine = &s->idents[row->ident];

	if (query__code(s->query) == GROUP_OBJECT)
		return (frame__ident(f) == IDENT_NO_STACK) == (row->ident == IDENT_NO_STACK) &&
		       id->object == mine->object;
	/* Without the split an inlined function is part of the one that contains it. */
	return frame__ident(f) == row->ident && (s->query->inlined || !frame__inlined(f));
}

/* The leafmost frame of the row, or its outermost one. */
static u32 row_frame(const struct selection *s, const struct bucket *row, u32 n, bool outermost)
{
	for (u32 i = 0; i < n; i++) {
		u32 at = outermost ? n - 1 - i : i;

		if (belongs(s, row, s->frames[at]))
			return at;
	}
	return n;
}

/*
 * Which frames a path has, as the range [from, to) of the expanded stack. Callers of a
 * symbol begin above its outermost occurrence, callees below its innermost one.
 */
static void path_range(const struct selection *s, const struct bucket *row, u32 n, u32 *from,
		       u32 *to)
{
	enum profile_group code = query__code(s->query);
	bool callees = s->query->callee_first;

	*from = 0;
	*to = n;
	if (code == GROUP_SYMBOL && callees)
		*to = MIN(row_frame(s, row, n, false), n);
	else if (code == GROUP_SYMBOL)
		*from = MIN(row_frame(s, row, n, true) + 1, n);
	else if (code == GROUP_OBJECT && callees)
		*to = MIN(row_frame(s, row, n, true) + 1, n);
	else if (code == GROUP_OBJECT)
		*from = MIN(row_frame(s, row, n, false), n);
}

static void push_frame(struct chains *c, frame_ref f)
{
	c->frames = xgrow(c->frames, c->nframes, &c->frames_cap, sizeof(*c->frames));
	c->frames[c->nframes++] = f;
}

static void add_path(struct chains *c, const struct bucket *row, const struct chain_item *item)
{
	struct selection *s = c->s;
	const struct filtered_stack *h = &s->filtered[item->filtered];
	bool folded = h->stack && h->stack->folded, callees = s->query->callee_first;
	u32 first = c->nframes, from, to, n;

	n = selection__expand(s, h, true);
	path_range(s, row, n, &from, &to);
	if (folded && callees && query__code(s->query) != GROUP_SYMBOL)
		push_frame(c, FRAME_REF(IDENT_FOLDED, 0));
	for (u32 i = from; i < to && c->nframes - first < RESULT_TREE_DEPTH; i++)
		push_frame(c, s->frames[callees ? to - 1 - (i - from) : i]);
	if (folded && !callees)
		push_frame(c, FRAME_REF(IDENT_FOLDED, 0));
	c->paths[c->npaths++] = (struct path){.first = first,
					      .n = MIN(c->nframes - first, RESULT_TREE_DEPTH),
					      .weight = item->weight,
					      .count = item->count};
}

static void add_paths(struct chains *c, const struct bucket *row, const struct chain_items *items)
{
	c->paths = xcalloc(items->n, sizeof(*c->paths));
	c->scratch = xcalloc(items->n, sizeof(*c->scratch));
	for (u32 i = 0; i < items->n; i++)
		add_path(c, row, &items->items[i]);
	c->group_of = xcalloc((size_t)c->s->nidents * 2, sizeof(*c->group_of));
}

/* --- one level --- */

static int compare_groups(const void *pa, const void *pb)
{
	const struct group *a = pa, *b = pb;

	if (a->weight != b->weight)
		return a->weight < b->weight ? 1 : -1;
	if (a->n != b->n)
		return a->n < b->n ? 1 : -1;
	return a->frame < b->frame ? -1 : a->frame > b->frame;
}

static frame_ref frame_at(const struct chains *c, const struct path *p, u32 depth)
{
	return depth < p->n ? c->frames[p->first + depth] : FRAME_REF(IDENT_NONE, 0);
}

static u32 count_groups(struct chains *c, u32 first, u32 n, u32 depth, struct group **groups)
{
	u32 ngroups = 0, cap = 0;
	struct group *g = NULL;

	for (u32 i = first; i < first + n; i++) {
		const struct path *p = &c->paths[i];
		frame_ref f = frame_at(c, p, depth);

		if (!c->group_of[f]) {
			g = xgrow(g, ngroups, &cap, sizeof(*g));
			g[ngroups] = (struct group){.frame = f};
			c->group_of[f] = ++ngroups;
		}
		g[c->group_of[f] - 1].n++;
		g[c->group_of[f] - 1].weight += p->weight;
		g[c->group_of[f] - 1].count += p->count;
	}
	for (u32 i = 0; i < ngroups; i++)
		c->group_of[g[i].frame] = 0;
	*groups = g;
	return ngroups;
}

/* Puts the paths of each group side by side, in the groups' order. */
static void place_paths(struct chains *c, u32 first, u32 n, u32 depth, struct group *groups,
			u32 ngroups)
{
	u32 at = first;

	for (u32 i = 0; i < ngroups; i++) {
		groups[i].first = at;
		at += groups[i].n;
		c->group_of[groups[i].frame] = i + 1;
	}
	memcpy(c->scratch, c->paths + first, n * sizeof(*c->paths));
	for (u32 i = 0; i < n; i++) {
		struct group *g = &groups[c->group_of[frame_at(c, &c->scratch[i], depth)] - 1];

		c->paths[g->first++] = c->scratch[i];
	}
	for (u32 i = 0; i < ngroups; i++) {
		groups[i].first -= groups[i].n;
		c->group_of[groups[i].frame] = 0;
	}
}

/*
 * How many of the sorted groups get a node: those heavy enough, and a few at least. One
 * that would be left alone is no "others".
 */
static u32 kept_groups(const struct chains *c, const struct group *groups, u32 n)
{
	u32 kept = 0;

	while (kept < n && groups[kept].weight >= c->least)
		kept++;
	kept = MAX(kept, MIN(n, FEW));
	if (kept + 1 >= n)
		kept = n;
	if (kept + (kept < n) <= c->left)
		return kept;
	return c->left ? c->left - 1 : 0;
}

/* --- the nodes --- */

static struct tree_node *new_node(struct chains *c, u32 parent, const struct group *g, u64 key)
{
	struct chain_nodes *out = c->out;
	struct tree_node *node;

	out->items = xgrow(out->items, out->n, &out->cap, sizeof(*out->items));
	node = &out->items[out->n++];
	*node = (struct tree_node){
		.parent = parent,
		.depth = parent == UINT32_MAX ? 1 : out->items[parent].depth + 1,
		.key = key,
		.count = g->count,
		.pct = c->window_weight > 0 ? g->weight * 100 / c->window_weight : 0,
		.object_name = "",
	};
	return node;
}

static void name_node(const struct chains *c, struct tree_node *node, frame_ref f)
{
	const struct ident *id = &c->s->idents[frame__ident(f)];

	node->func = id->func;
	node->name = id->name;
	node->object_name = frame__ident(f) == IDENT_NO_STACK ? "" : id->object_name;
	node->inlined = frame__inlined(f);
	if (frame__ident(f) == IDENT_NONE)
		node->name = c->s->query->callee_first ? "[self]" : "[no caller]";
}

static void add_level(struct chains *c, u32 parent, u64 key, const struct group *from, u32 depth);

static void add_child(struct chains *c, u32 parent, u64 parent_key, const struct group *g,
		      u32 depth)
{
	u32 ident = frame__ident(g->frame);
	u64 key = mix64_pair(parent_key, c->s->idents[ident].key + frame__inlined(g->frame));
	u32 at = c->out->n;

	name_node(c, new_node(c, parent, g, key), g->frame);
	if (ident != IDENT_NONE && g->weight >= c->least)
		add_level(c, at, key, g, depth + 1);
}

static void add_others(struct chains *c, u32 parent, u64 parent_key, const struct group *groups,
		       u32 n)
{
	struct group rest = {0};

	for (u32 i = 0; i < n; i++) {
		rest.weight += groups[i].weight;
		rest.count += groups[i].count;
	}
	new_node(c, parent, &rest, mix64_pair(parent_key, 1))->name = "[others]";
}

/* The children of a node; none when all its paths end there or no more may be shown. */
static void add_level(struct chains *c, u32 parent, u64 key, const struct group *from, u32 depth)
{
	struct group *groups;
	u32 n, kept, shown;

	if (depth >= RESULT_TREE_DEPTH || !from->n)
		return;
	n = count_groups(c, from->first, from->n, depth, &groups);
	qsort(groups, n, sizeof(*groups), compare_groups);
	kept = kept_groups(c, groups, n);
	shown = kept + (kept < n);
	if (kept && !(n == 1 && frame__ident(groups[0].frame) == IDENT_NONE)) {
		place_paths(c, from->first, from->n, depth, groups, n);
		c->left -= shown;
		if (parent != UINT32_MAX)
			c->out->items[parent].nchildren = shown;
		for (u32 i = 0; i < kept; i++)
			add_child(c, parent, key, &groups[i], depth);
		if (kept < n)
			add_others(c, parent, key, groups + kept, n - kept);
	}
	free(groups);
}

void chains__build(struct selection *s, const struct bucket *row, const struct chain_items *items,
		   double window_weight, u32 most, struct chain_nodes *out)
{
	struct chains c = {.s = s,
			   .out = out,
			   .left = most,
			   .window_weight = window_weight,
			   .least = MIN(window_weight * MIN_OF_WINDOW, row->total * MIN_OF_ROW)};
	struct group all = {.n = items->n};

	add_paths(&c, row, items);
	add_level(&c, UINT32_MAX, row->key, &all, 0);
	free(c.paths);
	free(c.scratch);
	free(c.frames);
	free(c.group_of);
}
