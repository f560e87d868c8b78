// SPDX-License-Identifier: GPL-2.0-only
/*
 * What unfolds below rows of waits: where they wait, or who ended the waits, each with its
 * stack, and below it who woke that one, as far as its own waits tell.
 */
#include <stdio.h>

#include "base/bisect.h"
#include "models/profile_impl.h"
#include "models/waits_result.h"

/* Wakers of a row; of a waker; and how far back that goes. */
#define WAKERS	     8u
#define NEXT_WAKERS  3u
#define WAKERS_DEPTH 4u
/* Reasons of a row. */
#define REASON_PARTS 16u

/* A wait's share in a tree. */
struct leaf {
	const struct wait_entry *entry;
	u64 part; /* waits with an equal one share a heading */
	u32 filtered;
	u32 reason;
};

struct leaves {
	struct leaf *items;
	u32 n, cap;
};

/* What a heading stands for. */
struct part {
	const struct wait_entry *entry; /* the largest */
	u64 key;
	u32 reason;
	u32 first, n; /* in the sorted leaves */
	u64 off_ns, count;
};

struct tree_builder {
	struct row_groups *g;
	struct arena *arena;
	enum time_window window;
	struct chain_nodes out;
	u32 row_first;	/* node of the row that grows */
	double whole;	/* time that is 100 %; 0: no shares are shown */
	u32 *by_thread; /* entries of the snapshot by thread; NULL: not sorted yet */
};

/* Where something is planted. */
struct insert_at {
	u32 parent; /* UINT32_MAX: the row */
	u32 depth;
	u64 key;
};

static const struct wait_sums *sums_of(const struct tree_builder *f, const struct wait_entry *e)
{
	return &e->sums[f->window];
}

static u32 room_left(const struct tree_builder *f)
{
	u32 used = f->out.n - f->row_first;

	return used < RESULT_TREE_NODES ? RESULT_TREE_NODES - used : 0;
}

/* --- nodes --- */

static void add_node(struct tree_builder *f, const struct insert_at *at, struct tree_node node)
{
	node.depth += at->depth;
	if (node.depth > RESULT_TREE_DEPTH || !room_left(f))
		return;
	if (!(f->whole > 0))
		node.pct = -1;
	f->out.items = xgrow(f->out.items, f->out.n, &f->out.cap, sizeof(*f->out.items));
	f->out.items[f->out.n++] = node;
	if (node.parent != UINT32_MAX)
		f->out.items[node.parent].nchildren++;
}

static struct insert_at add_heading(struct tree_builder *f, const struct insert_at *at, const struct part *p,
			       const char *name)
{
	struct insert_at insert_at = {.parent = f->out.n, .depth = at->depth + 1};
	char note[48] = "";

	if (p->count)
		snprintf(note, sizeof(note), "%llu wait%s", (unsigned long long)p->count,
			 p->count == 1 ? "" : "s");
	insert_at.key = mix64_pair(at->key, p->key);
	add_node(f, at,
		 (struct tree_node){.depth = 1,
				    .parent = at->parent,
				    .key = insert_at.key,
				    .count = p->count,
				    .pct = f->whole > 0 ? (double)p->off_ns * 100 / f->whole : -1,
				    .heading = true,
				    .name = arena__strdup(f->arena, name),
				    .object_name = arena__strdup(f->arena, note)});
	return insert_at;
}

/* Nodes of another tree, below the spot; their children are counted anew. */
static void append_subtree(struct tree_builder *f, const struct insert_at *at, const struct chain_nodes *nodes)
{
	u32 *moved = xmalloc(MAX(nodes->n, 1u) * sizeof(*moved));

	for (u32 i = 0; i < nodes->n; i++) {
		struct tree_node n = nodes->items[i];
		u32 before = f->out.n;

		moved[i] = UINT32_MAX;
		n.nchildren = 0;
		if (n.parent != UINT32_MAX && moved[n.parent] == UINT32_MAX)
			continue;
		n.parent = n.parent == UINT32_MAX ? at->parent : moved[n.parent];
		add_node(f, at, n);
		if (f->out.n > before)
			moved[i] = before;
	}
	free(moved);
}

/* The stacks of leaves, merged. */
static void append_stacks(struct tree_builder *f, const struct insert_at *at, const struct leaf *leaves, u32 n)
{
	struct chain_items items = {.items = xcalloc(MAX(n, 1u), sizeof(*items.items)), .n = n};
	struct bucket row = {.key = at->key};
	struct chain_nodes nodes = {0};

	for (u32 i = 0; i < n; i++) {
		const struct wait_sums *s = sums_of(f, leaves[i].entry);

		items.items[i] = (struct chain_item){
			.filtered = leaves[i].filtered, .weight = (double)s->off_ns, .count = s->count};
		row.total += (double)s->off_ns;
	}
	if (room_left(f))
		chains__build(&f->g->s.names, &row, &items, f->whole > 0 ? f->whole : row.total,
			      room_left(f), &nodes);
	append_subtree(f, at, &nodes);
	free(items.items);
	free(nodes.items);
}

/* --- parts --- */

static void add_leaf(struct leaves *l, struct leaf leaf)
{
	l->items = xgrow(l->items, l->n, &l->cap, sizeof(*l->items));
	l->items[l->n++] = leaf;
}

static int by_part(const void *pa, const void *pb)
{
	const struct leaf *a = pa, *b = pb;

	if (a->part != b->part)
		return a->part < b->part ? -1 : 1;
	return a->entry < b->entry ? -1 : a->entry > b->entry;
}

static int by_time(const void *pa, const void *pb)
{
	const struct part *a = pa, *b = pb;

	if (a->off_ns != b->off_ns)
		return a->off_ns < b->off_ns ? 1 : -1;
	return a->key < b->key ? -1 : a->key > b->key;
}

/* Sorts leaves into parts, largest first; returns their number, the caller frees them. */
static u32 make_parts(const struct tree_builder *f, struct leaves *l, struct part **parts)
{
	struct part *p = xcalloc(MAX(l->n, 1u), sizeof(*p));
	u32 n = 0;

	if (l->n)
		qsort(l->items, l->n, sizeof(*l->items), by_part);
	for (u32 i = 0; i < l->n; i++) {
		const struct leaf *leaf = &l->items[i];
		const struct wait_sums *s = sums_of(f, leaf->entry);

		if (!n || p[n - 1].key != leaf->part)
			p[n++] = (struct part){.entry = leaf->entry,
					       .key = leaf->part,
					       .reason = leaf->reason,
					       .first = i};
		if (s->off_ns > sums_of(f, p[n - 1].entry)->off_ns)
			p[n - 1].entry = leaf->entry;
		p[n - 1].n++;
		p[n - 1].off_ns += s->off_ns;
		p[n - 1].count += s->count;
	}
	if (n)
		qsort(p, n, sizeof(*p), by_time);
	*parts = p;
	return n;
}

/* What is beyond the parts that are shown. */
static void add_others(struct tree_builder *f, const struct insert_at *at, const struct part *parts, u32 from,
		       u32 n)
{
	struct part rest = {.key = 1};

	for (u32 i = from; i < n; i++) {
		rest.off_ns += parts[i].off_ns;
		rest.count += parts[i].count;
	}
	if (from < n)
		add_heading(f, at, &rest, "[others]");
}

/* --- where it waits --- */

static void append_places(struct tree_builder *f, const struct insert_at *at, struct leaves *l)
{
	struct part *parts;
	u32 n = make_parts(f, l, &parts);

	if (n == 1)
		append_stacks(f, at, l->items, l->n);
	for (u32 i = 0; n > 1 && i < MIN(n, REASON_PARTS); i++) {
		struct insert_at below;
		char name[64];

		snprintf(name, sizeof(name), "%s, %s", wait_reasons[parts[i].reason].name,
			 wait_state__text(parts[i].entry->state));
		below = add_heading(f, at, &parts[i], name);
		append_stacks(f, &below, l->items + parts[i].first, parts[i].n);
	}
	add_others(f, at, parts, MIN(n, REASON_PARTS), n);
	free(parts);
}

/* --- who ended it --- */

static struct leaf waker_leaf(struct tree_builder *f, const struct wait_entry *e)
{
	/* What an interrupt came upon is not its own. */
	bool task = waits_selection__waker(&f->g->s, e) == WAKER_TASK;
	u32 place = waits_selection__place(&f->g->s, e->waker_kstack, task ? e->waker_ustack : NULL,
					   true);

	return (struct leaf){.entry = e,
			     .part = waits__waker_key(&f->g->s, e),
			     .filtered = f->g->s.places[place].filtered};
}

static void waker_words(struct tree_builder *f, const struct wait_entry *e, bool again, char *buf,
			size_t size)
{
	if (e->waker.kind != WAKER_NONE)
		snprintf(buf, size, "%s by %s", again ? "who was woken" : "woken",
			 waits__waker_text(&f->g->s, e));
	else if (e->folded)
		copy_str(buf, size, "the waker was not kept");
	else if (e->state == TASK_STATE_RUNNABLE)
		copy_str(buf, size, "preempted: nobody has to wake it");
	else
		copy_str(buf, size,
			 sums_of(f, e)->open ? "not woken yet" : "the waker was not seen");
}

static int compare_threads(const void *pa, const void *pb, void *ctx)
{
	const struct wait_entry *entries = ctx;
	const struct task_ident *a = &entries[*(const u32 *)pa].task;
	const struct task_ident *b = &entries[*(const u32 *)pb].task;

	if (a->host != b->host)
		return a->host < b->host ? -1 : 1;
	if (a->tgid != b->tgid)
		return a->tgid < b->tgid ? -1 : 1;
	return a->tid < b->tid ? -1 : a->tid > b->tid;
}

static void sort_threads(struct tree_builder *f)
{
	const struct waits_snap *snap = f->g->s.snap;

	if (f->by_thread)
		return;
	f->by_thread = xmalloc(MAX(snap->nentries, 1u) * sizeof(*f->by_thread));
	for (u32 i = 0; i < snap->nentries; i++)
		f->by_thread[i] = i;
	qsort_r(f->by_thread, snap->nentries, sizeof(*f->by_thread), compare_threads,
		(void *)snap->entries);
}

static bool is_before(const struct task_ident *t, u32 host, const struct waker *w)
{
	if (t->host != host)
		return t->host < host;
	return t->tgid < w->tgid || (t->tgid == w->tgid && t->tid < w->tid);
}

/* The first of a thread's entries in by_thread. */
static u32 first_entry(const struct tree_builder *f, u32 host, const struct waker *w)
{
	const struct waits_snap *snap = f->g->s.snap;
	u32 at;

	BISECT(at, 0, snap->nentries, i, is_before(&snap->entries[f->by_thread[i]].task, host, w));
	return at;
}

/* Waits of a thread that somebody ended. */
static void woken_waits(struct tree_builder *f, u32 host, const struct waker *w, struct leaves *l)
{
	const struct waits_snap *snap = f->g->s.snap;

	if (w->tid == PROFILE_MERGED)
		return;
	sort_threads(f);
	for (u32 i = first_entry(f, host, w); i < snap->nentries; i++) {
		const struct wait_entry *e = &snap->entries[f->by_thread[i]];

		if (e->task.host != host || e->task.tgid != w->tgid || e->task.tid != w->tid)
			break;
		if (e->waker.kind != WAKER_NONE && sums_of(f, e)->count)
			add_leaf(l, waker_leaf(f, e));
	}
}

/* Who was met on the way: no thread is asked twice. */
struct way {
	const struct way *back;
	u32 host, tgid, tid, depth; /* the host is one all the way */
};

static bool was_met(const struct way *w, const struct waker *waker)
{
	for (; w; w = w->back)
		if (w->tgid == waker->tgid && w->tid == waker->tid)
			return true;
	return false;
}

static void append_wakers(struct tree_builder *f, const struct insert_at *at, struct leaves *l,
			 const struct way *way);

/* Who woke the waker; how long that one had waited says nothing about this row: no shares. */
static void append_next(struct tree_builder *f, const struct insert_at *at, const struct waker *w,
		       const struct way *back)
{
	struct way way = {back, back->host, w->tgid, w->tid, back->depth + 1};
	struct leaves l = {0};
	double whole = f->whole;

	if (way.depth >= WAKERS_DEPTH || was_met(back, w))
		return;
	f->whole = 0;
	woken_waits(f, back->host, w, &l);
	append_wakers(f, at, &l, &way);
	f->whole = whole;
	free(l.items);
}

static void append_wakers(struct tree_builder *f, const struct insert_at *at, struct leaves *l,
			 const struct way *way)
{
	struct part *parts;
	u32 n = make_parts(f, l, &parts), shown = MIN(n, way->depth ? NEXT_WAKERS : WAKERS);

	for (u32 i = 0; i < shown && room_left(f); i++) {
		const struct wait_entry *e = parts[i].entry;
		struct insert_at below;
		char name[96];

		waker_words(f, e, way->depth, name, sizeof(name));
		below = add_heading(f, at, &parts[i], name);
		if (e->waker_kstack || e->waker_ustack)
			append_stacks(f, &below, l->items + parts[i].first, parts[i].n);
		if (waits_selection__waker(&f->g->s, e) == WAKER_TASK)
			append_next(f, &below, &e->waker, way);
	}
	add_others(f, at, parts, shown, n);
	free(parts);
}

/* --- rows --- */

static void collect(struct tree_builder *f, u32 group, bool wakers, struct leaves *l)
{
	const struct row_groups *g = f->g;

	for (u32 i = 0; i < g->s.nwaits; i++) {
		const struct picked_wait *w = &g->s.waits[i];

		if (g->of[i] != group)
			continue;
		if (wakers)
			add_leaf(l, waker_leaf(f, w->entry));
		else
			add_leaf(l, (struct leaf){.entry = w->entry,
						  .part = mix64_pair(w->is.reason, w->entry->state),
						  .filtered = g->s.places[w->place].filtered,
						  .reason = w->is.reason});
	}
}

static void append_row(struct tree_builder *f, const struct waits_row *row, u32 group, bool wakers)
{
	const struct task_ident *t = &row->entry->task;
	struct way way = {.host = t->host, .tgid = t->tgid, .tid = t->tid};
	struct insert_at at = {.parent = UINT32_MAX, .key = row->key};
	struct leaves l = {0};

	f->row_first = f->out.n;
	collect(f, group, wakers, &l);
	if (wakers)
		append_wakers(f, &at, &l, &way);
	else
		append_places(f, &at, &l);
	free(l.items);
}

void waits_result__trees(struct waits_result *a, struct row_groups *g, const u32 *sources)
{
	struct tree_builder f = {.g = g, .arena = g->s.names.arena, .window = g->s.window};
	struct row_tree *trees = arena__array(f.arena, struct row_tree, a->nrows);

	for (u32 i = 0; i < a->nrows; i++) {
		trees[i].first = f.out.n;
		f.whole = (double)waits_row__whole(&a->rows[i], a);
		if (unfolded__at(a->query.unfolded, a->query.nunfolded, a->rows[i].key))
			append_row(&f, &a->rows[i], sources[i], a->query.wakers);
		trees[i].n = f.out.n - trees[i].first;
	}
	if (f.out.n)
		a->base.nodes = arena__dup(f.arena, f.out.items, f.out.n * sizeof(*f.out.items));
	a->base.nnodes = f.out.n;
	a->base.trees = trees;
	free(f.out.items);
	free(f.by_thread);
}
