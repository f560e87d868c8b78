// SPDX-License-Identifier: GPL-2.0-only
/* Groups a profile by symbol, object or some part of the task. */
#include "models/profile_impl.h"

enum leaf_kind { LEAF_USER = 1, LEAF_KERNEL = 2, LEAF_UNKNOWN = 4 };

static u32 is_unfolded(const struct profile_query *q, u64 key)
{
	for (u32 i = 0; i < q->nunfolded && i < PROFILE_MAX_UNFOLDED; i++)
		if (q->unfolded[i] == key)
			return i + 1;
	return 0;
}

static u32 add_bucket(struct buckets *b, const struct profile_query *q, u64 key)
{
	u32 cap = b->cap;

	b->items = selection__room(b->items, b->n, &b->cap, sizeof(*b->items));
	if (b->cap != cap)
		b->trends = xrealloc(b->trends, b->cap * sizeof(*b->trends));
	memset(&b->trends[b->n], 0, sizeof(*b->trends));
	b->items[b->n] = (struct bucket){.key = key, .stamp = HIDX_NONE};
	if (q->nunfolded)
		b->items[b->n].unfolded = is_unfolded(q, key);
	hidx__add(&b->index, key, b->n);
	return b->n++;
}

static u32 find_bucket(struct buckets *b, const struct profile_query *q, u64 key)
{
	u32 at;

	HIDX_FIND(at, &b->index, key, pos, b->items[pos].key == key);
	return at == HIDX_NONE ? add_bucket(b, q, key) : at;
}

/* Never 0, which stands for no row. */
static u64 bucket_key(enum profile_group group, u64 id)
{
	u64 key = mix64_pair(group + 16, id);

	return key ? key : 1;
}

static u64 ident_key(const struct selection *s, u32 ident)
{
	const struct ident *id = &s->idents[ident];

	if (s->query->group == GROUP_SYMBOL || ident == IDENT_NO_STACK)
		return bucket_key(GROUP_SYMBOL, id->key);
	return bucket_key(GROUP_OBJECT, id->object);
}

static u32 bucket_of_ident(struct buckets *b, struct selection *s, u32 ident)
{
	u32 at;

	if (ident >= b->of_ident_n) {
		u32 n = MAX(s->idents_cap, ident + 1);

		b->of_ident = xrealloc(b->of_ident, n * sizeof(*b->of_ident));
		memset(b->of_ident + b->of_ident_n, 0, (n - b->of_ident_n) * sizeof(*b->of_ident));
		b->of_ident_n = n;
	}
	if (b->of_ident[ident])
		return b->of_ident[ident] - 1;
	at = find_bucket(b, s->query, ident_key(s, ident));
	if (!b->items[at].ident)
		b->items[at].ident = ident;
	b->of_ident[ident] = at + 1;
	return at;
}

static void add_trend(float *to, const float *from)
{
	for (u32 i = 0; i < PROFILE_TREND; i++)
		to[i] += from[i];
}

static void add_chain(struct buckets *b, const struct bucket *row, struct chain_item item)
{
	struct chain_items *c;

	if (!row->unfolded)
		return;
	c = &b->chains[row->unfolded - 1];
	c->items = selection__room(c->items, c->n, &c->cap, sizeof(*c->items));
	c->items[c->n++] = item;
}

/* --- by symbol and object: every frame of a stack has a row --- */

static void count_hit(struct buckets *b, struct selection *s, u32 hit)
{
	const struct hit *h = &s->hits[hit];
	u32 n = selection__expand(s, h, s->query->inlined);
	u32 leaf = bucket_of_ident(b, s, frame__ident(s->frames[0]));

	b->items[leaf].self += h->weight;
	b->items[leaf].nself += h->count;
	for (u32 i = 0; i < n; i++) {
		u32 at = bucket_of_ident(b, s, frame__ident(s->frames[i]));
		struct bucket *row = &b->items[at];

		if (row->stamp == hit)
			continue;
		row->stamp = hit;
		row->total += h->weight;
		row->ntotal += h->count;
		add_chain(b, row, (struct chain_item){hit, h->weight, h->count});
	}
}

static void fill_by_frame(struct buckets *b, struct selection *s)
{
	for (u32 i = 0; i < s->snap->nentries; i++) {
		const struct profile_entry *e = &s->snap->entries[i];
		u32 hit = selection__hit(s, e), leaf;

		if (hit == HIDX_NONE)
			continue;
		selection__add(s, hit, e);
		leaf = bucket_of_ident(b, s, s->hits[hit].leaf);
		add_trend(b->trends[leaf], e->trend);
	}
	for (u32 i = 0; i < s->nhits; i++)
		if (s->hits[i].count || s->hits[i].weight > 0)
			count_hit(b, s, i);
}

/* --- by task: an entry has one row --- */

static u64 task_key(const struct selection *s, const struct profile_entry *e)
{
	enum profile_group group = s->query->group;

	switch (group) {
	case GROUP_COMM:
		return bucket_key(group, hash_bytes(s->snap->comms[e->comm], COMM_LEN));
	case GROUP_PID:
		return bucket_key(group, e->tgid);
	case GROUP_TID:
		return bucket_key(group, e->tgid | (u64)e->tid << 32);
	case GROUP_CGROUP:
		return bucket_key(group, e->cgroup);
	default:
		return bucket_key(group, e->cpu);
	}
}

static u32 leaf_kind(const struct hit *h)
{
	if (!h->stack)
		return LEAF_UNKNOWN;
	return h->stack->nkernel ? LEAF_KERNEL : LEAF_USER;
}

/* A process is named by its main thread, and by what it runs now rather than what it ran. */
static bool names_better(const struct profile_entry *a, const struct profile_entry *b)
{
	bool amain = a->tid == a->tgid, bmain = b->tid == b->tgid;

	if (amain != bmain)
		return amain;
	if (a->weight[WINDOW_DECAY] != b->weight[WINDOW_DECAY])
		return a->weight[WINDOW_DECAY] > b->weight[WINDOW_DECAY];
	return a->weight[WINDOW_TOTAL] > b->weight[WINDOW_TOTAL];
}

static void count_entry(struct buckets *b, struct selection *s, const struct profile_entry *e,
			u32 hit)
{
	enum profile_window w = s->query->window;
	u32 at = find_bucket(b, s->query, task_key(s, e));
	struct bucket *row = &b->items[at];

	add_trend(b->trends[at], e->trend);
	if (!row->entry || names_better(e, row->entry))
		row->entry = e;
	if (!selection__add(s, hit, e))
		return;
	row->self += e->weight[w];
	row->nself += e->count[w];
	row->total = row->self;
	row->ntotal = row->nself;
	row->kinds |= leaf_kind(&s->hits[hit]);
	add_chain(b, row, (struct chain_item){hit, e->weight[w], e->count[w]});
}

void buckets__fill(struct buckets *b, struct selection *s)
{
	enum profile_group group = s->query->group;

	*b = (struct buckets){0};
	b->chains = xcalloc(s->query->nunfolded, sizeof(*b->chains));
	if (group == GROUP_SYMBOL || group == GROUP_OBJECT) {
		fill_by_frame(b, s);
		return;
	}
	for (u32 i = 0; i < s->snap->nentries; i++) {
		u32 hit = selection__hit(s, &s->snap->entries[i]);

		if (hit != HIDX_NONE)
			count_entry(b, s, &s->snap->entries[i], hit);
	}
}

void buckets__fini(struct buckets *b, const struct profile_query *q)
{
	for (u32 i = 0; i < q->nunfolded; i++)
		free(b->chains[i].items);
	free(b->chains);
	free(b->items);
	free(b->trends);
	free(b->of_ident);
	hidx__fini(&b->index);
}

/* --- from buckets to rows --- */

static bool is_hidden(const struct selection *s, const struct bucket *b)
{
	const struct ident *id = &s->idents[b->ident];

	if (!b->ntotal && b->total <= 0)
		return true;
	if (s->query->group == GROUP_SYMBOL)
		return id->hide_symbol;
	return s->query->group == GROUP_OBJECT && id->hide_object;
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

static const char *code_kind_name(enum code_kind kind)
{
	static const char *const names[] = {
		[CODE_UNKNOWN] = "unknown", [CODE_USER] = "user", [CODE_KERNEL] = "kernel",
		[CODE_JIT] = "jit",	    [CODE_VDSO] = "vdso", [CODE_BPF] = "bpf",
	};

	return (u32)kind < ARRAY_SIZE(names) ? names[kind] : "unknown";
}

static const char *row_kind(const struct selection *s, const struct bucket *b)
{
	const struct ident *id = &s->idents[b->ident];

	if (s->query->group == GROUP_OBJECT)
		return code_kind_name(id->object_kind);
	if (s->query->group != GROUP_SYMBOL)
		return task_kind(b->kinds);
	if (b->ident >= IDENT_RESERVED && !id->alone)
		return "inlined";
	return code_kind_name(id->kind);
}

/* What rows are sorted by; the rows themselves are large. */
struct ranked {
	double self;
	u64 key;
	struct row_name name;
	u32 bucket;
};

/* By self descending, ties by name. */
static int compare_ranked(const void *pa, const void *pb)
{
	const struct ranked *a = pa, *b = pb;
	int c;

	if (a->self != b->self)
		return a->self < b->self ? 1 : -1;
	c = strcmp(a->name.name, b->name.name);
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
		ranked[n++] = (struct ranked){from->self, from->key, bucket__name(from, s), i};
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
	profile_row__describe(row, from, s, &r->name);
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
