/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Hash index: 64-bit hash -> position in an array the caller owns. Open addressing,
 * linear probing; stores the hash, so the caller compares keys only on equal hashes.
 */
#ifndef BASE_HIDX_H
#define BASE_HIDX_H

#include "base/arena.h"

#define HIDX_NONE UINT32_MAX

/* Without padding: the largest have a million. */
struct hidx_slot {
	u64 hash;
	u32 pos; /* position + 1; 0 is free */
} __attribute__((packed, aligned(4)));

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

static inline void hidx__place(struct hidx *h, u64 hash, u32 pos)
{
	u32 i = (u32)hash & h->mask;

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
	hidx__place(h, hash, pos);
	h->used++;
}

/* Sets `out` to the position whose key matches, or HIDX_NONE. */
#define HIDX_FIND(out, h, key_hash, pos, match)                                                    \
	do {                                                                                       \
		const struct hidx *h_ = (h);                                                       \
		u64 hash_ = (key_hash);                                                            \
		(out) = HIDX_NONE;                                                                 \
		for (u32 i_ = (u32)hash_ & h_->mask; h_->slots && h_->slots[i_].pos;               \
		     i_ = (i_ + 1) & h_->mask) {                                                   \
			u32 pos = h_->slots[i_].pos - 1;                                           \
			if (h_->slots[i_].hash == hash_ && (match)) {                              \
				(out) = pos;                                                       \
				break;                                                             \
			}                                                                          \
		}                                                                                  \
	} while (0)

/* As a set of hashes, without anything at their positions: two that are equal are the same. */
static inline bool hidx__has(const struct hidx *h, u64 hash)
{
	u32 at;

	HIDX_FIND(at, h, hash, pos, !pos);
	return at != HIDX_NONE;
}

/* True when it was not in it yet. */
static inline bool hidx__put(struct hidx *h, u64 hash)
{
	bool is_new = !hidx__has(h, hash);

	if (is_new)
		hidx__add(h, hash, 0);
	return is_new;
}

#endif
