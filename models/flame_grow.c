// SPDX-License-Identifier: GPL-2.0-only
/* Lines to a tree: each stack's path is walked from the root, then nodes are put in preorder. */
#include "models/flame_impl.h"

#define COMM_REF	 (1u << 31) /* beside frame_ref: a command */
#define ROOT_REF	 UINT32_MAX
#define FLAME_MAX_INLINE 4 /* functions at an address, in the mean */

/* A node while it grows; parents come before their children. */
struct sprout {
	u32 parent, ref;
	u32 child; /* found last; 0 none: most nodes have just one */
	u64 value, cold, self, baseline, baseline_self;
};

struct tree {
	struct flame_builder *m;
	struct flame_result *a;
	struct sprout *items;
	u32 n, cap;
	u32 *slots, mask; /* position + 1 by parent and ref; 0 is free */
	/* The path of the line before: many share its beginning. */
	u32 path_refs[FLAME_MAX_DEPTH + 1], path[FLAME_MAX_DEPTH + 1], depth;
	/* made when all is known */
	u32 *frame;	   /* by node */
	u32 *first, *last; /* by node: its children in `order` */
	u32 *order;	   /* nodes by parent, siblings by name */
};

/* --- growing --- */

static u32 slot_of(const struct tree *t, u32 parent, u32 ref)
{
	return (u32)(mix64((u64)parent << 32 | ref)) & t->mask;
}

static void place(struct tree *t, u32 node)
{
	u32 i = slot_of(t, t->items[node].parent, t->items[node].ref);

	while (t->slots[i])
		i = (i + 1) & t->mask;
	t->slots[i] = node + 1;
}

static void widen(struct tree *t, u32 mask)
{
	free(t->slots);
	t->mask = mask;
	t->slots = xcalloc((size_t)t->mask + 1, sizeof(*t->slots));
	for (u32 i = 1; i < t->n; i++)
		place(t, i);
}

static u32 new_node(struct tree *t, u32 parent, u32 ref)
{
	t->items = xgrow(t->items, t->n, &t->cap, sizeof(*t->items));
	t->items[t->n] = (struct sprout){.parent = parent, .ref = ref};
	return t->n++;
}

/* HIDX_NONE: there is no room for one more. */
static u32 look_up(struct tree *t, u32 parent, u32 ref)
{
	u32 i = slot_of(t, parent, ref);

	for (; t->slots[i]; i = (i + 1) & t->mask) {
		const struct sprout *s = &t->items[t->slots[i] - 1];

		if (s->parent == parent && s->ref == ref)
			return t->slots[i] - 1;
	}
	if (t->n == FLAME_MAX_NODES)
		return HIDX_NONE;
	if (t->n >= t->mask / 2)
		widen(t, t->mask * 2 + 1);
	new_node(t, parent, ref);
	place(t, t->n - 1);
	return t->n - 1;
}

static u32 child_of(struct tree *t, u32 parent, u32 ref)
{
	u32 child = t->items[parent].child;

	if (child && t->items[child].ref == ref)
		return child;
	child = look_up(t, parent, ref);
	if (child != HIDX_NONE)
		t->items[parent].child = child;
	return child;
}

/* One step down, which the line before may have made. */
static u32 step(struct tree *t, u32 depth, u32 parent, u32 ref)
{
	if (depth < t->depth && t->path[depth] != HIDX_NONE && t->path_refs[depth] == ref &&
	    (!depth || t->path[depth - 1] == parent))
		return t->path[depth];
	t->path_refs[depth] = ref;
	t->path[depth] = child_of(t, parent, ref);
	t->depth = depth + 1;
	return t->path[depth];
}

/* A frame of a line, from the root; of names there are the path's. */
static u32 ref_of(const struct flame_builder *m, const struct flame_line *l, u32 n, u32 i)
{
	if (l->filtered & FLAME_PATH)
		return COMM_REF | m->path_names[m->paths[l->filtered & ~FLAME_PATH].first + i];
	return m->names.frames[n - 1 - i];
}

static void add_line(struct tree *t, const struct flame_line *l)
{
	struct flame_builder *m = t->m;
	const struct flame_query *q = &t->a->query;
	bool path = l->filtered & FLAME_PATH;
	u32 n = path ? m->paths[l->filtered & ~FLAME_PATH].n
		     : selection__expand(&m->names, &m->names.filtered[l->filtered], q->inlined);
	u32 at = 0, depth = 0, next;

	if (q->by_comm && !path)
		at = step(t, depth++, 0, COMM_REF | l->comm);
	for (u32 i = 0; i < n && at != HIDX_NONE; i++, at = next) {
		next = HIDX_NONE;
		if (depth < FLAME_MAX_DEPTH)
			next = step(t, depth++, at, ref_of(m, l, n, q->leaf_first ? n - 1 - i : i));
		if (next == HIDX_NONE) {
			t->a->cut += l->weight;
			break;
		}
	}
	if (at == HIDX_NONE) {
		at = 0;
		t->a->cut += l->weight;
	}
	t->items[at].self += l->weight;
	t->items[at].cold += l->cold;
	t->items[at].baseline_self += l->baseline;
}

static int by_weight(const void *a, const void *b)
{
	const struct flame_line *x = a, *y = b;

	u64 a_weight = MAX(x->weight, x->baseline), b_weight = MAX(y->weight, y->baseline);

	return a_weight < b_weight ? 1 : a_weight > b_weight ? -1 : 0;
}

/* About as many nodes as there may be. */
static u64 most_nodes(const struct flame_builder *m)
{
	u64 frames = 0;

	for (u32 i = 0; i < m->nlines; i++)
		frames += m->lines[i].filtered & FLAME_PATH
				  ? FLAME_MAX_DEPTH / 16
				  : m->names.filtered[m->lines[i].filtered].nlocs + 1;
	return m->code.inlined ? frames * FLAME_MAX_INLINE : frames;
}

static void sum_up(struct tree *t)
{
	for (u32 i = t->n; i-- > 0;) {
		struct sprout *s = &t->items[i];

		s->value += s->self;
		s->baseline += s->baseline_self;
		if (!i)
			break;
		t->items[s->parent].value += s->value;
		t->items[s->parent].cold += s->cold;
		t->items[s->parent].baseline += s->baseline;
	}
}

/* --- what nodes are called --- */

static bool is_library(const char *object)
{
	const char *so = strstr(object, ".so");

	return so && (so[3] == '\0' || so[3] == '.');
}

static void fill_ident(struct flame_frame *f, const struct ident *id)
{
	*f = (struct flame_frame){
		.name = id->name,
		.object_name = id->object_name,
		.func = id->func,
		.object = id->object,
		.kind = id->func ? id->kind : id->object_kind,
	};
	f->go = id->flags & FUNC_GO;
	f->library = (f->kind == CODE_USER && is_library(id->object_name)) || f->kind == CODE_VDSO;
}

static void fill_frames(struct tree *t)
{
	struct flame_builder *m = t->m;
	u32 n = m->names.nidents, total = n + m->ncomms + 1;
	struct flame_frame *frames = arena__array(m->arena, struct flame_frame, total);

	for (u32 i = 0; i < n; i++)
		fill_ident(&frames[i], &m->names.idents[i]);
	for (u32 i = 0; i < m->ncomms; i++)
		frames[n + i] = (struct flame_frame){
			.name = m->comms[i].name[0] ? arena__strdup(m->arena, m->comms[i].name)
						    : "[no name]",
			.object_name = "",
			.comm = true};
	frames[total - 1] = (struct flame_frame){.name = "all", .object_name = "", .comm = true};
	for (u32 i = 0; i < total; i++)
		frames[i].shade = (u8)(hash_bytes(frames[i].name, strlen(frames[i].name)) >> 8);
	t->a->frames = frames;
	t->a->nframes = total;
}

static u32 frame_of(const struct tree *t, u32 ref)
{
	if (ref == ROOT_REF)
		return t->a->nframes - 1;
	return ref & COMM_REF ? t->m->names.nidents + (ref & ~COMM_REF) : frame__ident(ref);
}

static u64 key_of(const struct tree *t, u32 node)
{
	u32 ref = t->items[node].ref;
	const char *name = t->a->frames[t->frame[node]].name;

	if (ref & COMM_REF)
		return hash_bytes(name, strlen(name));
	return t->m->names.idents[frame__ident(ref)].key + frame__inlined(ref);
}

/* --- order --- */

struct named {
	const char *name;
	u32 frame;
};

static int by_name(const void *a, const void *b)
{
	const struct named *x = a, *y = b;
	int diff = strcmp(x->name, y->name);

	return diff ? diff : x->frame < y->frame ? -1 : 1;
}

/* By frame: its position among all, by name. */
static u32 *rank_frames(const struct flame_result *a)
{
	struct named *names = xcalloc(a->nframes, sizeof(*names));
	u32 *rank = xcalloc(a->nframes, sizeof(*rank));

	for (u32 i = 0; i < a->nframes; i++)
		names[i] = (struct named){a->frames[i].name, i};
	qsort(names, a->nframes, sizeof(*names), by_name);
	for (u32 i = 0; i < a->nframes; i++)
		rank[names[i].frame] = i;
	free(names);
	return rank;
}

/* Nodes in the order of their keys, those of equal ones as they were: to[] from from[]. */
static void counting_sort(const u32 *from, u32 *to, u32 n, const u32 *key, u32 nkeys, u32 *ends)
{
	memset(ends, 0, nkeys * sizeof(*ends));
	for (u32 i = 0; i < n; i++)
		ends[key[from[i]]]++;
	for (u32 k = 1; k < nkeys; k++)
		ends[k] += ends[k - 1];
	for (u32 i = n; i-- > 0;)
		to[--ends[key[from[i]]]] = from[i];
}

/* All but the root, by parent, then by name. */
static void order_nodes(struct tree *t)
{
	u32 n = t->n - 1, nkeys = MAX(t->n, t->a->nframes) + 1;
	u32 *rank = rank_frames(t->a), *key = xcalloc(t->n, sizeof(*key));
	u32 *ends = xcalloc(nkeys, sizeof(*ends)), *by_rank = xcalloc(t->n, sizeof(*by_rank));

	t->order = xcalloc(t->n, sizeof(*t->order));
	for (u32 i = 0; i < n; i++)
		t->order[i] = i + 1;
	for (u32 i = 1; i < t->n; i++)
		key[i] = rank[t->frame[i]];
	counting_sort(t->order, by_rank, n, key, nkeys, ends);
	for (u32 i = 1; i < t->n; i++)
		key[i] = t->items[i].parent;
	counting_sort(by_rank, t->order, n, key, nkeys, ends);
	free(rank);
	free(key);
	free(ends);
	free(by_rank);
}

static void find_children(struct tree *t)
{
	t->first = xcalloc(t->n, sizeof(*t->first));
	t->last = xcalloc(t->n, sizeof(*t->last));
	for (u32 i = 0; i + 1 < t->n; i++) {
		u32 parent = t->items[t->order[i]].parent;

		if (!t->last[parent])
			t->first[parent] = i;
		t->last[parent] = i + 1;
	}
}

static void fill_node(const struct tree *t, struct flame_node *nodes, u32 at, u32 from, u32 parent,
		      u64 start)
{
	const struct sprout *s = &t->items[from];

	nodes[at] = (struct flame_node){
		.start = start,
		.value = s->value,
		.cold = s->cold,
		.self = s->self,
		.baseline = s->baseline,
		.baseline_self = s->baseline_self,
		.parent = parent,
		.frame = t->frame[from],
		.inlined = !(s->ref & COMM_REF) && frame__inlined(s->ref),
	};
	if (parent == UINT32_MAX)
		return;
	nodes[at].depth = nodes[parent].depth + 1;
	nodes[at].key = mix64_pair(nodes[parent].key, key_of(t, from));
}

struct walk {
	u32 node, at; /* as it grew, and in preorder */
	u32 next;     /* position in `order` */
	u64 start;    /* of the next child */
};

static void fill_nodes(struct tree *t)
{
	struct flame_node *nodes = arena__array(t->m->arena, struct flame_node, t->n);
	struct walk *stack = xcalloc(FLAME_MAX_DEPTH + 2, sizeof(*stack)), *top = stack;
	u32 n = 1;

	fill_node(t, nodes, 0, 0, UINT32_MAX, 0);
	*top = (struct walk){.next = t->first[0]};
	while (top >= stack) {
		u32 from, at = n;

		if (top->next >= t->last[top->node]) {
			nodes[top->at].end = n;
			top--;
			continue;
		}
		from = t->order[top->next++];
		fill_node(t, nodes, at, from, top->at, top->start);
		top->start += flame_node__width(t->a, &nodes[at]);
		n++;
		top[1] = (struct walk){from, at, t->first[from], nodes[at].start};
		top++;
	}
	free(stack);
	t->a->nodes = nodes;
	t->a->nnodes = n;
}

void flame__grow(struct flame_builder *m, struct flame_result *a)
{
	struct tree *t = xcalloc(1, sizeof(*t));
	u32 mask = 1023;
	u64 most;

	t->m = m;
	t->a = a;
	most = most_nodes(m);
	/* Half of them are there twice, or more. */
	while (mask < FLAME_MAX_NODES && mask < most)
		mask = mask * 2 + 1;
	widen(t, mask);
	new_node(t, UINT32_MAX, ROOT_REF);
	/* The lightest stacks come last where there may be no room for all. */
	if (most > FLAME_MAX_NODES)
		qsort(m->lines, m->nlines, sizeof(*m->lines), by_weight);
	for (u32 i = 0; i < m->nlines; i++)
		add_line(t, &m->lines[i]);
	sum_up(t);
	fill_frames(t);
	t->frame = xcalloc(t->n, sizeof(*t->frame));
	for (u32 i = 0; i < t->n; i++)
		t->frame[i] = frame_of(t, t->items[i].ref);
	order_nodes(t);
	find_children(t);
	fill_nodes(t);
	free(t->items);
	free(t->slots);
	free(t->frame);
	free(t->first);
	free(t->last);
	free(t->order);
	free(t);
}
