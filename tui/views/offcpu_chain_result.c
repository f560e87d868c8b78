// SPDX-License-Identifier: GPL-2.0-only
/*
 * What is known of one wait, from two queries over the same frame: its own stack, and its
 * wakers with theirs, each of which becomes a row.
 */
#include <stdio.h>

#include "base/arena.h"
#include "base/columns.h"
#include "tui/views/offcpu_chain.h"

enum { CHAIN_SHARE, CHAIN_COUNT };

static const struct column chain_columns[] = {
	[CHAIN_SHARE] = PCT_COLUMN("share_pct", "Share%", 11, 0, COLUMN_BOTH | COLUMN_BAR,
				   "of the time that was waited here"),
	[CHAIN_COUNT] = COUNT_COLUMN("count", "Waits", 7, 0, COLUMN_BOTH, "waits that ended so"),
	[CHAIN_PART] =
		COLUMN(VALUE_TEXT, "part", "Who ends it, from where", 24, 0,
		       COLUMN_BOTH | COLUMN_KEY | COLUMN_FLEX, "the wakers, then the wait itself"),
};

static bool chain__cell(const struct row_table *t, u32 row, u32 column, struct value *out)
{
	const struct chain_result *a = container_of(t, struct chain_result, base.table);
	const struct chain_part *p = &a->parts[row];

	*out = (struct value){.type = chain_columns[column].type};
	switch (column) {
	case CHAIN_SHARE:
		out->f = p->share;
		return true;
	case CHAIN_COUNT:
		out->u = p->count;
		return true;
	default:
		out->s = p->name;
		return true;
	}
}

static u64 chain__key(const struct row_table *t, u32 row)
{
	return container_of(t, struct chain_result, base.table)->parts[row].key;
}

static void chain__result_free(struct query_result *base)
{
	struct chain_result *a = container_of(base, struct chain_result, base);

	query_result__free(&a->own->base);
	query_result__free(&a->woken->base);
	free(a->parts);
	free(a->nodes);
	free(a->trees);
	free(a);
}

static struct waits_result *ask(const struct frame *f, const struct chain_query *q,
				const struct scope *scope, bool wakers)
{
	struct waits_query waits = q->waits;

	waits.idle = true;
	waits.wakers = wakers;
	waits.nunfolded = 1;
	waits.unfolded[0] = q->key;
	return waits__query((const void *)f->snaps[MODEL_WAITS], &waits, scope);
}

/* The row's tree; NULL when the row is gone or has none. */
static const struct row_tree *tree_of(const struct waits_result *a, u64 key)
{
	for (u32 i = 0; i < a->nrows; i++)
		if (a->rows[i].key == key)
			return a->base.trees ? &a->base.trees[i] : NULL;
	return NULL;
}

static const struct waits_row *row_of(const struct waits_result *a, u64 key)
{
	for (u32 i = 0; i < a->nrows; i++)
		if (a->rows[i].key == key)
			return &a->rows[i];
	return NULL;
}

static void begin_part(struct chain_result *a, const struct chain_part *p)
{
	a->trees[a->nparts].first = a->base.nnodes;
	a->parts[a->nparts++] = *p;
}

/* A node of another tree, whose `first` one becomes the part's first. up: levels that it loses;
 * scale: shares are of the wait, not of the window. */
static void add_node(struct chain_result *a, const struct tree_node *n, u32 first, u32 up,
		     double scale)
{
	struct row_tree *tree = &a->trees[a->nparts - 1];
	struct tree_node *to = &a->nodes[a->base.nnodes++];

	*to = *n;
	to->depth -= up;
	to->parent = to->depth == 1 ? UINT32_MAX : n->parent - first + tree->first;
	if (to->pct > 0)
		to->pct *= scale;
	tree->n++;
}

/* What turns shares of the window into those of a tree's topmost nodes. */
static double scale_of(const struct waits_result *a, const struct row_tree *tree)
{
	double whole = 0;

	for (u32 i = tree->first; i < tree->first + tree->n; i++)
		if (a->base.nodes[i].depth == 1)
			whole += MAX(a->base.nodes[i].pct, 0);
	return whole > 0 ? 100 / whole : 0;
}

static void add_wait(struct chain_result *a, u64 key)
{
	const struct row_tree *tree = tree_of(a->own, key);

	begin_part(a, &(struct chain_part){.key = key,
					   .name = "waits here",
					   .share = 100,
					   .count = a->row->sums.count});
	for (u32 i = 0; tree && i < tree->n; i++)
		add_node(a, &a->own->base.nodes[tree->first + i], tree->first, 0,
			 scale_of(a->own, tree));
}

/* A tree's topmost nodes are the wakers. */
static void add_wakers(struct chain_result *a, const struct row_tree *tree)
{
	double scale = scale_of(a->woken, tree);
	u32 top = 0;

	for (u32 i = tree->first; i < tree->first + tree->n; i++) {
		const struct tree_node *n = &a->woken->base.nodes[i];

		if (n->depth > 1) {
			add_node(a, n, top + 1, 1, scale);
			continue;
		}
		top = i;
		begin_part(a, &(struct chain_part){.key = n->key,
						   .name = n->name,
						   .share = MIN(MAX(n->pct, 0) * scale, 100),
						   .count = n->count});
	}
}

/* The first heading of each level is the largest: "woken by a/1, who was woken by b/2". */
static void write_sentence(struct chain_result *a, const struct row_tree *tree)
{
	u32 depth = 0;
	size_t n = 0;

	for (u32 i = tree->first; i < tree->first + tree->n && n < sizeof(a->sentence); i++) {
		const struct tree_node *node = &a->woken->base.nodes[i];

		if (depth && node->depth == 1)
			return;
		if (!node->heading || node->depth <= depth)
			continue;
		depth = node->depth;
		n += (size_t)snprintf(a->sentence + n, sizeof(a->sentence) - n, "%s%s",
				      n ? ", " : "", node->name);
	}
}

static void fill_parts(struct chain_result *a, u64 key)
{
	u32 most = a->own->base.nnodes + a->woken->base.nnodes + 1;
	const struct row_tree *tree;

	a->parts = xcalloc(most, sizeof(*a->parts));
	a->trees = xcalloc(most, sizeof(*a->trees));
	a->nodes = xcalloc(most, sizeof(*a->nodes));
	if (!a->row)
		return;
	tree = tree_of(a->woken, key);
	if (tree) {
		add_wakers(a, tree);
		write_sentence(a, tree);
	}
	add_wait(a, key);
}

struct query_result *chain__run(const struct frame *f, const void *query, const struct scope *scope)
{
	const struct chain_query *q = query;
	struct chain_result *a = xcalloc(1, sizeof(*a));

	a->own = ask(f, q, scope, false);
	a->woken = ask(f, q, scope, true);
	a->row = row_of(a->own, q->key);
	fill_parts(a, q->key);
	a->base = (struct query_result){.table = {.columns = chain_columns,
						  .ncolumns = ARRAY_SIZE(chain_columns),
						  .nrows = a->nparts,
						  .nlast = a->nparts ? 1 : 0,
						  .sort = CHAIN_SHARE,
						  .cell = chain__cell,
						  .key = chain__key},
					.snap = a->own->base.snap,
					.since_ns = a->own->base.since_ns,
					.unresolved = a->own->base.unresolved ||
						      a->woken->base.unresolved,
					.trees = a->trees,
					.nodes = a->nodes,
					.nnodes = a->base.nnodes,
					.free = chain__result_free};
	return &a->base;
}
