// SPDX-License-Identifier: GPL-2.0-only
/* Where misses come from, within a bound: the coldest lose stack, then file, then process. */
#include "models/cache_model.h"

/* What an entry loses; each includes those before it. */
enum fold { FOLD_STACK, FOLD_FILE, FOLD_PROCESS, FOLDS };

static struct window_sums sums_of(struct cache_live_miss *m)
{
	return (struct window_sums){1, &m->now, &m->total, &m->decay};
}

static struct cache_live_miss *miss_of(struct cache_misses *c, const struct cache_live_miss *key)
{
	u64 h = mix64_pair(((u64)key->tgid << 32) | key->stack, key->inode);
	u32 at;

	h = mix64_pair(mix64_pair(h, key->dev), key->cgroup);
	HIDX_FIND(at, &c->index, h, pos,
		  c->v[pos].tgid == key->tgid && c->v[pos].past == key->past && c->v[pos].dev == key->dev &&
			  c->v[pos].inode == key->inode && c->v[pos].stack == key->stack &&
			  c->v[pos].cgroup == key->cgroup);
	if (at != HIDX_NONE)
		return &c->v[at];
	c->v = xgrow(c->v, c->n, &c->cap, sizeof(*c->v));
	c->v[c->n] = (struct cache_live_miss){.tgid = key->tgid,
					      .past = key->past,
					      .cgroup = key->cgroup,
					      .dev = key->dev,
					      .inode = key->inode,
					      .stack = key->stack};
	hidx__add(&c->index, h, c->n);
	return &c->v[c->n++];
}

/* --- bounds --- */

static void fold_miss(struct cache_live_miss *m, enum fold how)
{
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

/* Takes all out; they are put back one by one. */
static struct cache_live_miss *take(struct cache_misses *c, u32 *n)
{
	struct cache_live_miss *old = c->v;

	*n = c->n;
	c->v = NULL;
	c->n = c->cap = 0;
	hidx__clear(&c->index);
	return old;
}

static void put_back(struct cache_misses *c, struct cache_live_miss *old)
{
	struct window_sums to = sums_of(miss_of(c, old)), from = sums_of(old);

	window_sums__merge(&to, &from);
}

static double heat_of(void *live_miss)
{
	const struct cache_live_miss *m = live_miss;

	return m->decay + (double)m->now;
}

static void fold_coldest(struct cache_misses *c, enum fold how)
{
	u32 n = 0;
	struct cache_live_miss *old = take(c, &n);
	bool *cold = heat__coldest_half(old, n, sizeof(*old), heat_of);

	for (u32 i = 0; i < n; i++) {
		if (cold[i])
			fold_miss(&old[i], how);
		put_back(c, &old[i]);
	}
	free(old);
	free(cold);
}

void cache_misses__shed(struct cache_misses *c)
{
	fold_coldest(c, FOLD_STACK);
}

static void make_room(struct cache_misses *c)
{
	for (enum fold how = FOLD_STACK; how < FOLDS && c->n > CACHE_MAX_MISSES / 4 * 3; how++)
		fold_coldest(c, how);
}

/* --- in and out --- */

void cache_misses__add(struct cache_misses *c, const struct cache_miss_sample *s, u32 stack)
{
	const struct cache_live_miss key = {.tgid = s->tgid,
					    .cgroup = s->cgroup,
					    .dev = s->dev,
					    .inode = s->dev ? s->inode : 0,
					    .stack = stack};

	if (c->n >= CACHE_MAX_MISSES)
		make_room(c);
	miss_of(c, &key)->now += s->misses;
}

void cache_misses__pass(struct cache_misses *c, u32 tgid, u32 past)
{
	for (u32 i = 0; i < c->n; i++)
		if (c->v[i].tgid == tgid && !c->v[i].past)
			c->v[i].past = past;
}

void cache_misses__move(struct cache_misses *c, struct stacks *to, const struct stacks *from)
{
	u32 n = 0;
	struct cache_live_miss *old = take(c, &n);

	for (u32 i = 0; i < n; i++) {
		old[i].stack = stacks__move(to, from, old[i].stack);
		put_back(c, &old[i]);
	}
	free(old);
}

void cache_misses__snap(struct cache_misses *c, double keep, const struct stacks *stacks,
			struct cache_snap *snap, struct arena *a)
{
	struct cache_miss *out = arena__array(a, struct cache_miss, c->n);

	for (u32 i = 0; i < c->n; i++) {
		struct cache_live_miss *m = &c->v[i];
		u64 *const windows[WINDOWS] = {&out[i].misses[WINDOW_LAST],
					       &out[i].misses[WINDOW_DECAY],
					       &out[i].misses[WINDOW_TOTAL]};
		struct window_sums sums = sums_of(m);

		out[i] = (struct cache_miss){.tgid = m->tgid,
					     .past = m->past,
					     .cgroup = m->cgroup,
					     .dev = m->dev,
					     .inode = m->inode,
					     .stack = stacks__at(stacks, m->stack)};
		window_sums__advance(&sums, keep, windows);
	}
	snap->misses = out;
	snap->nmisses = c->n;
}

void cache_misses__clear(struct cache_misses *c)
{
	c->n = 0;
	hidx__clear(&c->index);
}

void cache_misses__fini(struct cache_misses *c)
{
	free(c->v);
	hidx__fini(&c->index);
}

size_t cache_misses__bytes(const struct cache_misses *c)
{
	return c->cap * sizeof(*c->v) + hidx__bytes(&c->index);
}
