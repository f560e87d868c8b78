/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Hash index: 64-bit hash -> position in an array the caller owns. Open addressing,
 * linear probing; stores half of the hash, so keys are compared only where that is equal: it does
 * not stand for the key.
 */
#ifndef BASE_HIDX_H
#define BASE_HIDX_H

#include "base/arena.h"

#define HIDX_NONE UINT32_MAX

struct hidx_slot {
	u32 hash; /* its lower half, by which slots are found, too */
	u32 pos;  /* position + 1; 0 is free */
};

struct hidx {
	struct hidx_slot *slots;
	u32 mask; /* capacity - 1, capacity a power of two; 0 while empty */
	u32 used;
};

static inline void hidx__fini(struct hidx *h)
{
	free(h->slots);
	*h = (struct hidx){0};
}

static inline size_t hidx__bytes(const struct hidx *h)
{
	return h->slots ? sizeof(*h->slots) * ((size_t)h->mask + 1) : 0;
}

static inline void hidx__clear(struct hidx *h)
{
	if (h->slots)
		memset(h->slots, 0, sizeof(*h->slots) * ((size_t)h->mask + 1));
	h->used = 0;
}

static inline void hidx__place(struct hidx *h, u32 hash, u32 pos)
{
	u32 i = hash & h->mask;

	while (h->slots[i].pos)
		i = (i + 1) & h->mask;
	h->slots[i] = (struct hidx_slot){hash, pos + 1};
}

/* Adds without looking: the caller has just failed to find the key. */
static inline void hidx__add(struct hidx *h, u64 hash, u32 pos)
{
	if (!h->slots || h->used * 4 >= ((u64)h->mask + 1) * 3) {
		struct hidx old = *h;
		u32 cap = old.slots ? (old.mask + 1) * 2 : 64;

		h->slots = xcalloc(cap, sizeof(*h->slots));
		h->mask = cap - 1;
		for (u64 i = 0; old.slots && i <= old.mask; i++)
			if (old.slots[i].pos)
				hidx__place(h, old.slots[i].hash, old.slots[i].pos - 1);
		free(old.slots);
	}
	hidx__place(h, (u32)hash, pos);
	h->used++;
}

/* Sets `out` to the position whose key matches, or HIDX_NONE. */
#define HIDX_FIND(out, h, key_hash, pos, match)                                                    \
	do {                                                                                       \
		const struct hidx *h_ = (h);                                                       \
		u32 hash_ = (u32)(key_hash);                                                       \
		(out) = HIDX_NONE;                                                                 \
		for (u32 i_ = hash_ & h_->mask; h_->slots && h_->slots[i_].pos;               \
		     i_ = (i_ + 1) & h_->mask) {                                                   \
			u32 pos = h_->slots[i_].pos - 1;                                           \
			if (h_->slots[i_].hash == hash_ && (match)) {                              \
				(out) = pos;                                                       \
				break;                                                             \
			}                                                                          \
		}                                                                                  \
	} while (0)

/* As a set of hashes, without an array: the rest of a hash is in the place of a position. Two that are equal but for
 * the bit that has no room are the same. */
static inline u32 hidx__rest(u64 hash)
{
	return (u32)(hash >> 33);
}

static inline bool hidx__has(const struct hidx *h, u64 hash)
{
	u32 at;

	HIDX_FIND(at, h, hash, pos, pos == hidx__rest(hash));
	return at != HIDX_NONE;
}

/* True when it was not in it yet. */
static inline bool hidx__put(struct hidx *h, u64 hash)
{
	bool is_new = !hidx__has(h, hash);

	if (is_new)
		hidx__add(h, hash, hidx__rest(hash));
	return is_new;
}

#endif
