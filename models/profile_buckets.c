// SPDX-License-Identifier: GPL-2.0-only
/* Groups a profile by symbol, object or some part of the task. */
#include "models/frames.h"
#include "models/profile_impl.h"

enum leaf_kind { LEAF_USER = 1, LEAF_KERNEL = 2, LEAF_UNKNOWN = 4 };

static u32 add_bucket(struct buckets *b, const struct profile_query *q, u64 key)
{
	u32 cap = b->cap;

	b->items = xgrow(b->items, b->n, &b->cap, sizeof(*b->items));
	if (b->cap != cap)
		b->trends = xrealloc(b->trends, b->cap * sizeof(*b->trends));
	memset(&b->trends[b->n], 0, sizeof(*b->trends));
	b->items[b->n] = (struct bucket){.key = key, .stamp = HIDX_NONE};
	if (q->nunfolded)
		b->items[b->n].unfolded = unfolded__at(q->unfolded, q->nunfolded, key);
	hidx__add(&b->index, key, b->n);
	return b->n++;
}

static u32 find_bucket(const struct buckets *b, u64 key)
{
	u32 at;

	HIDX_FIND(at, &b->index, key, pos, b->items[pos].key == key);
	return at;
}

/* Never 0, which stands for no row. */
static u64 bucket_key(u64 task, u32 kind, u64 id)
{
	u64 key = mix64_pair(mix64_pair(task, kind), id);

	return key ? key : 1;
}

static u64 ident_key(const struct selection *s, u64 task, u32 ident)
{
	const struct ident *id = &s->idents[ident];

	if (query__code(s->query) == GROUP_SYMBOL || ident == IDENT_NO_STACK)
		return bucket_key(task, GROUP_SYMBOL, id->key);
	return bucket_key(task, GROUP_OBJECT, selection__object_key(s, id->object));
}

static struct ident_bucket *known_bucket(struct buckets *b, const struct selection *s, u32 ident)
{
	if (ident >= b->of_ident_n) {
		u32 n = MAX(s->idents_cap, ident + 1);

		b->of_ident = xrealloc(b->of_ident, n * sizeof(*b->of_ident));
		memset(b->of_ident + b->of_ident_n, 0, (n - b->of_ident_n) * sizeof(*b->of_ident));
		b->of_ident_n = n;
	}
	return &b->of_ident[ident];
}

/* The row of a task's frame; HIDX_NONE when there is none and may not be a new one. */
static u32 bucket_of(struct buckets *b, struct selection *s, u32 task, u32 ident, bool create)
{
	struct ident_bucket *known = known_bucket(b, s, ident);
	u64 key;
	u32 at;

	if (known->bucket && known->task == task)
		return known->bucket - 1;
	key = ident_key(s, b->tasks.items[task].key, ident);
	at = find_bucket(b, key);
	if (at == HIDX_NONE && !create)
		return at;
	if (at == HIDX_NONE)
		at = add_bucket(b, s->query, key);
	b->items[at].task = task;
	if (!b->items[at].ident)
		b->items[at].ident = ident;
	*known = (struct ident_bucket){task, at + 1};
	return at;
}

static void add_trend(float *to, const float *from)
{
	for (u32 i = 0; i < TREND_LEN; i++)
		to[i] += from[i];
}

static void add_chain(struct buckets *b, const struct bucket *row, struct chain_item item)
{
	struct chain_items *c;

	if (!row->unfolded)
		return;
	c = &b->chains[row->unfolded - 1];
	c->items = xgrow(c->items, c->n, &c->cap, sizeof(*c->items));
	c->items[c->n++] = item;
}

/* --- by symbol and object: every frame of a stack has a row --- */

static bool has_room(struct buckets *b, const struct selection *s)
{
	return !(s->query->groups & GROUPS_TASK) || b->n < PROFILE_MAX_PAIRS;
}

/* stamp: another one for each share. */
static void count_share(struct buckets *b, struct selection *s, const struct share *share,
			u32 stamp)
{
	u32 n = selection__expand(s, &s->filtered[share->filtered], s->query->inlined);
	u32 leaf = bucket_of(b, s, share->task, frame__ident(s->frames[0]), true);

	b->items[leaf].self += share->weight;
	b->items[leaf].nself += share->count;
	for (u32 i = 0; i < n; i++) {
		u32 at = bucket_of(b, s, share->task, frame__ident(s->frames[i]), has_room(b, s));
		struct bucket *row;

		if (at == HIDX_NONE) {
			b->full = true;
			continue;
		}
		row = &b->items[at];
		if (row->stamp == stamp)
			continue;
		row->stamp = stamp;
		row->total += share->weight;
		row->ntotal += share->count;
		add_chain(b, row,
			  (struct chain_item){share->filtered, share->weight, share->count});
	}
}

static void add_share(struct shares *l, u32 task, u32 filtered, double weight, u64 count)
{
	u64 hash = mix64_pair(task, filtered);
	u32 at;

	HIDX_FIND(at, &l->index, hash, pos,
		  l->items[pos].task == task && l->items[pos].filtered == filtered);
	if (at == HIDX_NONE) {
		at = l->n;
		l->items = xgrow(l->items, l->n, &l->cap, sizeof(*l->items));
		l->items[l->n++] = (struct share){.task = task, .filtered = filtered};
		hidx__add(&l->index, hash, at);
	}
	l->items[at].weight += weight;
	l->items[at].count += count;
}

/* One task's after another: what is looked up for one serves all its stacks. */
static u32 *shares_by_task(const struct buckets *b)
{
	u32 *order = xmalloc(b->shares.n * sizeof(*order));
	u32 *next = xcalloc(b->tasks.n + 1, sizeof(*next));

	for (u32 i = 0; i < b->shares.n; i++)
		next[b->shares.items[i].task + 1]++;
	for (u32 i = 0; i < b->tasks.n; i++)
		next[i + 1] += next[i];
	for (u32 i = 0; i < b->shares.n; i++)
		order[next[b->shares.items[i].task]++] = i;
	free(next);
	return order;
}

static void count_shares(struct buckets *b, struct selection *s)
{
	u32 *order = shares_by_task(b);

	for (u32 i = 0; i < b->shares.n; i++)
		count_share(b, s, &b->shares.items[order[i]], i);
	free(order);
}

/* With one task for all, the hits are the shares. */
static void count_hits(struct buckets *b, struct selection *s)
{
	for (u32 i = 0; i < s->nfiltered; i++) {
		struct share all = {0, i, s->filtered[i].weight, s->filtered[i].count};

		if (all.count || all.weight > 0)
			count_share(b, s, &all, i);
	}
}

static void fill_by_frame(struct buckets *b, struct selection *s)
{
	enum time_window w = s->query->window;
	bool pairs = s->query->groups & GROUPS_TASK;

	for (u32 i = 0; i < s->snap->nentries; i++) {
		const struct profile_entry *e = &s->snap->entries[i];
		u32 filtered = selection__matters(s, e) ? selection__filter(s, e) : HIDX_NONE;
		u32 task, leaf;

		if (filtered == HIDX_NONE)
			continue;
		task = tasks__find(&b->tasks, s, e);
		leaf = bucket_of(b, s, task, s->filtered[filtered].leaf, true);
		add_trend(b->trends[leaf], e->trend);
		if (!selection__add(s, filtered, e))
			continue;
		if (pairs)
			add_share(&b->shares, task, filtered, e->weight[w], e->count[w]);
		owners__add(&b->owners, &b->items[leaf], leaf, e, e->weight[w]);
	}
	if (pairs)
		count_shares(b, s);
	else
		count_hits(b, s);
}

/* --- by task: an entry has one row --- */

static u32 leaf_kind(const struct filtered_stack *h)
{
	if (!h->stack)
		return LEAF_UNKNOWN;
	return h->stack->nkernel ? LEAF_KERNEL : LEAF_USER;
}

static void count_entry(struct buckets *b, struct selection *s, const struct profile_entry *e,
			u32 filtered)
{
	enum time_window w = s->query->window;
	u32 task = tasks__find(&b->tasks, s, e);
	struct bucket *row;

	/* Both are added to at the same time. */
	if (task == b->n) {
		add_bucket(b, s->query, bucket_key(b->tasks.items[task].key, GROUPS, 0));
		b->items[task].task = task;
	}
	row = &b->items[task];
	add_trend(b->trends[task], e->trend);
	if (!selection__add(s, filtered, e))
		return;
	row->self += e->weight[w];
	row->nself += e->count[w];
	row->total = row->self;
	row->ntotal = row->nself;
	row->kinds |= leaf_kind(&s->filtered[filtered]);
	add_chain(b, row, (struct chain_item){filtered, e->weight[w], e->count[w]});
}

static void fill_by_task(struct buckets *b, struct selection *s)
{
	for (u32 i = 0; i < s->snap->nentries; i++) {
		const struct profile_entry *e = &s->snap->entries[i];
		u32 filtered = selection__matters(s, e) ? selection__filter(s, e) : HIDX_NONE;

		if (filtered != HIDX_NONE)
			count_entry(b, s, e, filtered);
	}
}

/* Forgets everything but the memory. */
static void buckets__reset(struct buckets *b)
{
	b->n = b->tasks.n = b->shares.n = b->owners.n = 0;
	b->full = false;
	hidx__clear(&b->index);
	hidx__clear(&b->tasks.index);
	hidx__clear(&b->shares.index);
	hidx__clear(&b->owners.index);
	if (b->of_ident_n)
		memset(b->of_ident, 0, b->of_ident_n * sizeof(*b->of_ident));
}

size_t buckets__bytes(const struct buckets *b)
{
	return hidx__bytes(&b->index) + hidx__bytes(&b->tasks.index) +
	       hidx__bytes(&b->shares.index) + b->cap * (sizeof(*b->items) + sizeof(*b->trends)) +
	       b->of_ident_n * sizeof(*b->of_ident) + b->tasks.cap * sizeof(*b->tasks.items) +
	       b->shares.cap * sizeof(*b->shares.items) + hidx__bytes(&b->owners.index) +
	       b->owners.cap * sizeof(*b->owners.items);
}

void buckets__fill(struct buckets *b, struct selection *s)
{
	buckets__reset(b);
	b->chains = xcalloc(s->query->nunfolded, sizeof(*b->chains));
	tasks__find_storms(&b->tasks, s);
	if (s->query->groups & GROUPS_CODE)
		fill_by_frame(b, s);
	else
		fill_by_task(b, s);
	tasks__name(&b->tasks, s);
}

void buckets__end(struct buckets *b, const struct profile_query *q)
{
	for (u32 i = 0; i < q->nunfolded; i++)
		free(b->chains[i].items);
	free(b->chains);
	b->chains = NULL;
}

void buckets__fini(struct buckets *b)
{
	free(b->items);
	free(b->trends);
	free(b->of_ident);
	tasks__fini(&b->tasks);
	free(b->shares.items);
	hidx__fini(&b->shares.index);
	owners__fini(&b->owners);
	hidx__fini(&b->index);
}

/* --- from buckets to rows --- */

static bool is_hidden(const struct selection *s, const struct bucket *b)
{
	enum profile_group code = query__code(s->query);
	const struct ident *id = &s->idents[b->ident];

	if (!b->ntotal && b->total <= 0)
		return true;
	if (code == GROUP_SYMBOL)
		return id->hide_symbol;
	return code == GROUP_OBJECT && id->hide_object;
}

static const char *task_kind(u32 kinds)
{
	u32 known = kinds & (LEAF_USER | LEAF_KERNEL);

	if (known == (LEAF_USER | LEAF_KERNEL))
		return "mixed";
	if (known)
		return known == LEAF_KERNEL ? "kernel" : "user";
	return "unknown";
}

static const char *row_kind(const struct selection *s, const struct bucket *b)
{
	enum profile_group code = query__code(s->query);
	const struct ident *id = &s->idents[b->ident];

	if (code == GROUP_OBJECT)
		return code__kind_name(id->object_kind);
	if (code != GROUP_SYMBOL)
		return task_kind(b->kinds);
	if (b->ident >= IDENT_RESERVED && !id->alone)
		return "inlined";
	return code__kind_name(id->kind);
}

/* What rows are sorted by; the rows themselves are large. */
struct ranked {
	double self;
	u64 key;
	const char *name;
	u32 bucket;
};

/* By self descending, ties by name. */
static int compare_ranked(const void *pa, const void *pb)
{
	const struct ranked *a = pa, *b = pb;
	int c;

	if (a->self != b->self)
		return a->self < b->self ? 1 : -1;
	c = strcmp(a->name, b->name);
	if (c)
		return c;
	return a->key < b->key ? -1 : a->key > b->key;
}

static u32 rank_buckets(const struct buckets *b, struct selection *s, struct ranked *ranked)
{
	u32 n = 0;

	for (u32 i = 0; i < b->n; i++) {
		const struct bucket *from = &b->items[i];

		if (is_hidden(s, from))
			continue;
		ranked[n++] =
			(struct ranked){.self = from->self,
					.key = from->key,
					.name = bucket__name(from, &b->tasks.items[from->task], s),
					.bucket = i};
	}
	qsort(ranked, n, sizeof(*ranked), compare_ranked);
	return n;
}

static void fill_row(struct profile_row *row, const struct ranked *r, const struct buckets *b,
		     const struct selection *s, double weight)
{
	const struct bucket *from = &b->items[r->bucket];
	double pct = weight > 0 ? 100 / weight : 0;

	row->key = from->key;
	row->kind = row_kind(s, from);
	row->self_count = from->nself;
	row->total_count = from->ntotal;
	row->self_pct = from->self * pct;
	row->total_pct = from->total * pct;
	memcpy(row->trend, b->trends[r->bucket], sizeof(row->trend));
	profile_row__describe(row, from, &b->tasks.items[from->task], s);
	profile_row__most(row, from, &b->owners, s);
}

void buckets__rows(const struct buckets *b, struct selection *s, struct profile_rows *rows,
		   u32 **sources)
{
	struct ranked *ranked = xmalloc(b->n * sizeof(*ranked));
	u32 n = rank_buckets(b, s, ranked);
	struct profile_row *out = arena__array(s->arena, struct profile_row, n);

	*sources = xmalloc(n * sizeof(**sources));
	for (u32 i = 0; i < n; i++) {
		fill_row(&out[i], &ranked[i], b, s, rows->weight);
		(*sources)[i] = ranked[i].bucket;
	}
	free(ranked);
	rows->rows = out;
	rows->nrows = n;
}
