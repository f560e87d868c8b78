/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Pages that were read ahead, until they are asked for or leave the cache. A read of pages that
 * are there has to look for them only where there are any: see ahead__any().
 */
#ifndef BPF_CACHE_AHEAD_BPF_H
#define BPF_CACHE_AHEAD_BPF_H

#include "bpf/cache_state.bpf.h"
#include "bpf/hist.h"

HASH_MAP(ahead, 16384, struct cache_block_key, struct cache_block);

u32 ahead_pages[CACHE_AHEAD_SLOTS] = {}; /* by ahead__slot() of their number */

#define BLOCK_PAGES 64
/* Blocks of one event that are looked at: 16 MiB. */
#define BLOCKS_MAX 64

static __always_inline u32 ahead__slot(u64 number)
{
	return ((u32)number * 0x9e3779b1u) >> (32 - CACHE_AHEAD_SLOTS_LOG);
}

static __always_inline bool ahead__any(u64 number)
{
	return ((volatile u32 *)ahead_pages)[ahead__slot(number)] != 0;
}

static __always_inline u32 bits__count(u64 x)
{
	x -= (x >> 1) & 0x5555555555555555ULL;
	x = (x & 0x3333333333333333ULL) + ((x >> 2) & 0x3333333333333333ULL);
	x = (x + (x >> 4)) & 0x0f0f0f0f0f0f0f0fULL;
	return (x * 0x0101010101010101ULL) >> 56;
}

/* The bits of the pages [first, end) in the block that begins at `base`. */
static __always_inline u64 block__bits(u64 first, u64 end, u64 base)
{
	u64 lo = first > base ? first - base : 0, hi = end - base, bits = ~0ULL;

	if (hi < BLOCK_PAGES)
		bits = (1ULL << (hi & 63)) - 1;
	return bits & (~0ULL << (lo & 63));
}

/*
 * The functions below that are not static are global, so that the verifier looks at each once
 * and not wherever it is called; therefore they take numbers and find things themselves.
 */

/* Scratch: a block as it is when it begins; too large for the programs' stack. */
PERCPU_MAP(ahead_whose, 1, struct cache_block);

static __always_inline struct cache_block *ahead__whose(void)
{
	return map__only(&ahead_whose);
}

/* Remembers pages of one block for whoever is in the scratch. */
__noinline int ahead__add_bits(u64 number, u64 block, u64 first, u64 end)
{
	struct cache_block *whose = ahead__whose();
	u64 bits = block__bits(first, end, block * BLOCK_PAGES);
	struct cache_block_key key = {number, 0, block};
	struct cache_stats *st;
	struct cache_block *b;
	u64 before;

	if (!whose)
		return 0;
	key.dev = whose->whose.dev;
	b = bpf_map_lookup_elem(&ahead, &key);
	if (!b) {
		bpf_map_update_elem(&ahead, &key, whose, BPF_NOEXIST);
		b = bpf_map_lookup_elem(&ahead, &key);
	}
	if (b) {
		before = __sync_fetch_and_or(&b->pages, bits);
		b->t_ns = bpf_ktime_get_ns();
		__sync_fetch_and_add(&ahead_pages[ahead__slot(number)],
				     bits__count(bits & ~before));
		return 0;
	}
	st = stats__get();
	if (st)
		st->ahead_full += bits__count(bits);
	return 0;
}

__noinline int ahead__add(u64 number, u64 first, u64 end)
{
	for (u32 i = 0; i < BLOCKS_MAX; i++) {
		u64 block = first / BLOCK_PAGES + i;

		if (block * BLOCK_PAGES >= end)
			break;
		ahead__add_bits(number, block, first, end);
	}
	return 0;
}

static __always_inline void note_age(u64 begin_ns, u32 n)
{
	struct cache_stats *st = stats__get();
	u64 us = (bpf_ktime_get_ns() - begin_ns) / 1000;
	u32 at = us ? hist__log2(us) + 1 : 0;

	if (at >= CACHE_AGE_BUCKETS)
		at = CACHE_AGE_BUCKETS - 1;
	if (st)
		st->ages[at & (CACHE_AGE_BUCKETS - 1)] += n;
}

#define TAKE_USED (1ULL << 32) /* beside the device */

/* Forgets those of the block that are among the bits, as used or as wasted. */
__noinline int ahead__take_bits(u64 number, u64 dev_used, u64 block, u64 first, u64 end)
{
	u64 bits = block__bits(first, end, block * BLOCK_PAGES);
	struct cache_block_key key = {number, (u32)dev_used, block};
	struct cache_block *b = bpf_map_lookup_elem(&ahead, &key);
	u64 before;
	u32 n;

	if (!b)
		return 0;
	before = __sync_fetch_and_and(&b->pages, ~bits);
	n = bits__count(before & bits);
	if (!n)
		return 0;
	__sync_fetch_and_sub(&ahead_pages[ahead__slot(number)], n);
	if (dev_used & TAKE_USED) {
		note_age(b->t_ns, n);
		count_for(&b->whose, CACHE_N_AHEAD_USED, n, b->tid, b->kthread, b->comm);
	} else {
		count_for(&b->whose, CACHE_N_AHEAD_WASTED, n, b->tid, b->kthread, b->comm);
	}
	if (!(before & ~bits))
		bpf_map_delete_elem(&ahead, &key);
	return 0;
}

__noinline int ahead__take(u64 number, u64 dev_used, u64 first, u64 end)
{
	for (u32 i = 0; i < BLOCKS_MAX; i++) {
		u64 block = first / BLOCK_PAGES + i;

		if (block * BLOCK_PAGES >= end)
			break;
		ahead__take_bits(number, dev_used, block, first, end);
	}
	return 0;
}

/* Pages of a file are asked for, or leave the cache. */
static __always_inline void ahead__leave(struct inode *inode, struct range *r, u64 used)
{
	if (ahead__any(inode->i_ino))
		ahead__take(inode->i_ino, inode__dev(inode) | used, r->first, r->end);
}

#endif
