// SPDX-License-Identifier: GPL-2.0-only
#include "sources/cache_sweep.h"

#include <bpf/bpf.h>

#include "base/clock.h"

#define MUCH_PCT 75
#define TICKS	 8 /* one in so many looks, as that takes time */

/* Calls each() for every block, its key as it was: it may be deleted. Returns their number. */
static u32 each_block(struct cache_sweep *s,
		      void (*each)(struct cache_sweep *s, const struct cache_block_key *key,
				   const struct cache_block *b, u64 *when),
		      u64 *when)
{
	struct cache_block_key key, next;
	struct cache_block b;
	u32 n = 0;
	bool more = !bpf_map_get_next_key(s->fd, NULL, &next);

	while (more && n < s->size) {
		key = next;
		more = !bpf_map_get_next_key(s->fd, &key, &next);
		if (!bpf_map_lookup_elem(s->fd, &key, &b))
			each(s, &key, &b, when);
		n++;
	}
	return n;
}

static void find_oldest(struct cache_sweep *s, const struct cache_block_key *key,
			const struct cache_block *b, u64 *when)
{
	*when = MIN(*when, b->t_ns);
}

static void forget_older(struct cache_sweep *s, const struct cache_block_key *key,
			 const struct cache_block *b, u64 *when)
{
	u32 slot = ((u32)key->number * 0x9e3779b1u) >> (32 - CACHE_AHEAD_SLOTS_LOG);
	u32 n = (u32)__builtin_popcountll(b->pages);

	if (b->t_ns > *when || bpf_map_delete_elem(s->fd, key))
		return;
	__atomic_fetch_sub(&s->pages[slot], n, __ATOMIC_RELAXED);
	s->forgotten += n;
}

double cache_sweep__tick(struct cache_sweep *s)
{
	u64 now = clock__monotonic_ns(), when = now;

	if (s->ticks++ % TICKS)
		return s->fill;
	s->fill = 100.0 * each_block(s, find_oldest, &when) / s->size;
	if (s->fill < MUCH_PCT)
		return s->fill;
	when += (now - when) / 2;
	each_block(s, forget_older, &when);
	return s->fill;
}
