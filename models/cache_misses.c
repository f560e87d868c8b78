// SPDX-License-Identifier: GPL-2.0-only
/* Where misses come from, within a bound: the coldest lose stack, then file, then process. */
#include "models/cache_model.h"

/* What an entry loses; each includes those before it. */
enum fold { FOLD_STACK, FOLD_FILE, FOLD_PROCESS, FOLDS };

static u64 hash_of(const void *key)
{
	const struct cache_live_miss *m = key;
	u64 h = mix64_pair(((u64)m->tgid << 32) | m->stack, m->inode);

	return mix64_pair(mix64_pair(h, m->dev), m->cgroup);
}

static bool is_same(const void *x, const void *y)
{
	const struct cache_live_miss *a = x, *b = y;

	return a->tgid == b->tgid && a->past == b->past && a->dev == b->dev && a->inode == b->inode &&
	       a->stack == b->stack && a->cgroup == b->cgroup;
}

static void fold(void *live_miss, u32 how)
{
	struct cache_live_miss *m = live_miss;

	m->stack = NO_STACK;
	if (how >= FOLD_FILE) {
		m->dev = 0;
		m->inode = 0;
	}
	if (how >= FOLD_PROCESS) {
		m->tgid = CACHE_MERGED;
		m->past = 0;
		m->cgroup = 0;
	}
}

const struct entries_kind cache_miss_kind = {
	.size = sizeof(struct cache_live_miss),
	.key_size = offsetof(struct cache_live_miss, now),
	.ncounts = 1,
	.counts_at = offsetof(struct cache_live_miss, now),
	.steps = FOLDS,
	.hash = hash_of,
	.same = is_same,
	.fold = fold,
};

void cache_misses__add(struct entries *c, const struct cache_miss_sample *s, u32 stack)
{
	const struct cache_live_miss key = {.tgid = s->tgid,
					    .cgroup = s->cgroup,
					    .dev = s->dev,
					    .inode = s->dev ? s->inode : 0,
					    .stack = stack};

	((struct cache_live_miss *)entries__get(c, &key))->now[0] += s->misses;
}

void cache_misses__move(struct entries *c, struct stacks *to, const struct stacks *from)
{
	for (u32 i = 0; i < c->n; i++) {
		struct cache_live_miss *m = entries__at(c, i);

		m->stack = stacks__move(to, from, m->stack);
	}
	entries__rekey(c);
}

void cache_misses__snap(struct entries *c, double keep, const struct stacks *stacks,
			struct cache_snap *snap, struct arena *a)
{
	struct cache_miss *out = arena__array(a, struct cache_miss, c->n);

	for (u32 i = 0; i < c->n; i++) {
		const struct cache_live_miss *m = entries__at(c, i);

		out[i] = (struct cache_miss){.tgid = m->tgid,
					     .past = m->past,
					     .cgroup = m->cgroup,
					     .dev = m->dev,
					     .inode = m->inode,
					     .stack = stacks__at(stacks, m->stack)};
		entries__advance(c, i, keep, out[i].misses);
	}
	snap->misses = out;
	snap->nmisses = c->n;
}
