// SPDX-License-Identifier: GPL-2.0-only
/* Queries over a profile: rows with their chains, and the butterfly of one function. */
#include <stdatomic.h>

#include "models/profile_impl.h"

/*
 * What a query needs while it runs. The next one, on any thread, takes the memory over: fresh
 * pages for each query cost a third of its time. One is kept, unless it has grown large.
 */
struct workspace {
	struct selection selection;
	struct buckets buckets;
};

#define WORKSPACE_KEPT ((size_t)3 << 20) /* a third of it is not touched, hence no memory yet */

static _Atomic(struct workspace *) spare;

static struct workspace *workspace__take(void)
{
	struct workspace *w = atomic_exchange(&spare, NULL);

	return w ? w : xcalloc(1, sizeof(*w));
}

static void workspace__free(struct workspace *w)
{
	if (!w)
		return;
	selection__fini(&w->selection);
	buckets__fini(&w->buckets);
	free(w);
}

static void workspace__put(struct workspace *w)
{
	if (selection__bytes(&w->selection) + buckets__bytes(&w->buckets) > WORKSPACE_KEPT)
		workspace__free(w);
	else
		workspace__free(atomic_exchange(&spare, w));
}

static double percent(double part, double whole)
{
	return whole > 0 ? part * 100 / whole : 0;
}

/* The sums over all that passed. */
static void sum_hits(const struct selection *s, struct profile_rows *rows)
{
	double pending = 0, whole = 0, truncated = 0;

	for (u32 i = 0; i < s->nfiltered; i++) {
		const struct filtered_stack *h = &s->filtered[i];

		if (!h->passes)
			continue;
		rows->count += h->count;
		rows->weight += h->weight;
		if (s->idents[h->leaf].pending)
			pending += h->weight;
		if (h->user == USER_TRUNCATED)
			truncated += h->weight;
		else if (h->user == USER_WHOLE)
			whole += h->weight;
	}
	rows->pending_pct = percent(pending, rows->weight);
	rows->base.unresolved = pending > 0;
	rows->truncated_pct = percent(truncated, truncated + whole);
}

static void fill_chains(struct selection *s, const struct buckets *b, const u32 *sources,
			struct profile_rows *rows)
{
	struct row_tree *trees = arena__array(s->arena, struct row_tree, rows->nrows);
	struct chain_nodes nodes = {0};

	for (u32 i = 0; i < rows->nrows; i++) {
		const struct bucket *from = &b->items[sources[i]];

		trees[i].first = nodes.n;
		if (from->unfolded)
			chains__build(s, from, &b->chains[from->unfolded - 1], rows->weight,
				      RESULT_TREE_NODES, &nodes);
		trees[i].n = nodes.n - trees[i].first;
	}
	if (nodes.n)
		rows->base.nodes =
			arena__dup(s->arena, nodes.items, nodes.n * sizeof(*nodes.items));
	rows->base.nnodes = nodes.n;
	rows->base.trees = trees;
	free(nodes.items);
}

static void fill_rows(struct selection *s, struct buckets *b, struct profile_rows *rows)
{
	u32 *sources;

	buckets__fill(b, s);
	rows->rows_left_out = b->full;
	sum_hits(s, rows);
	buckets__rows(b, s, rows, &sources);
	if (rows->query.nunfolded)
		fill_chains(s, b, sources, rows);
	free(sources);
	buckets__end(b, &rows->query);
	rows->entries_seen = s->entries;
	if (rows->query.focus)
		butterfly__fill(s, rows);
}

struct profile_rows *profile__query(const struct profile_snap *snap, const struct profile_query *q,
				    const struct scope *scope)
{
	struct profile_rows *rows = window_result__new(sizeof(*rows), &snap->base, q->window);
	char grouping[GROUPS_TEXT];
	struct workspace *w = workspace__take();

	rows->query = *q;
	rows->grouping = arena__strdup(&rows->base.arena,
				       profile_groups__text(q->groups, grouping, sizeof(grouping)));
	rows->query.nunfolded = MIN(q->nunfolded, RESULT_MAX_UNFOLDED);
	selection__init(&w->selection, &rows->base.arena, snap, &rows->query, scope);
	fill_rows(&w->selection, &w->buckets, rows);
	workspace__put(w);
	profile_rows__table(rows, &rows->base.arena);
	return rows;
}
