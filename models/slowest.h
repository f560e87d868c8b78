/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The slowest of many events of the last minute or so, one by one. Kept by parts of ten seconds:
 * the slowest of a minute are among the slowest of its parts. Bounded: `max` items a part.
 * Collector thread only.
 */
#ifndef MODELS_SLOWEST_H
#define MODELS_SLOWEST_H

#include "models/stacks.h"

#define SLOWEST_PART_NS	  (10 * NSEC_PER_SEC)
#define SLOWEST_MAX_PARTS 16

/* How items are looked at. */
struct slowest_kind {
	size_t size;   /* of an item */
	u32 max;       /* items of a part, and of the whole */
	u32 seconds;   /* how long they are kept; parts: one more than its tens */
	size_t ns_at;  /* offsets in an item: u64, how long it took */
	size_t end_at; /* u64, when it ended */
	size_t stacks_at[2]; /* u32, positions of stacks (models/stacks.h); 0: none */
	void (*fini)(void *item); /* optional: frees what it has; of one that was never filled, too */
};

struct slowest {
	const struct slowest_kind *kind;
	struct slowest_part {
		u64 epoch;   /* ends / SLOWEST_PART_NS */
		char *items; /* NULL at first */
		u32 n;
	} parts[SLOWEST_MAX_PARTS];
};

void slowest__init(struct slowest *s, const struct slowest_kind *kind);
void slowest__fini(struct slowest *s);
/* Where an event's item goes, to be filled by the caller; NULL: it is not among the slowest. What was there
 * before is still, at first zeroes. */
void *slowest__place(struct slowest *s, u64 ns, u64 end_ns);
/* Calls fn for each item. */
void slowest__each(const struct slowest *s, void (*fn)(void *ctx, void *item), void *ctx);
/* Those that ended within the time kept before now: a new array for free(), slowest first, later
 * ones first of equals. */
void *slowest__list(const struct slowest *s, u64 now_ns, u32 *n);
/* Replaces the positions of stacks as struct stacks_user wants it. */
void slowest__move(const struct slowest *s, struct stacks *to, const struct stacks *from);
void slowest__zero(struct slowest *s);
size_t slowest__bytes(const struct slowest *s);

#endif
