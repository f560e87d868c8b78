/* SPDX-License-Identifier: GPL-2.0-only */
/* Between the files that make a struct cache_result. One thread, one query at a time. */
#ifndef MODELS_CACHE_ANSWER_H
#define MODELS_CACHE_ANSWER_H

#include "base/arena.h"
#include "base/hidx.h"
#include "models/cache.h"
#include "models/windows.h"

struct cache_place {
	u64 hash; /* these are compared, not what they were made of */
	u32 row;
};

struct cache_builder {
	const struct cache_snap *snap;
	const struct cache_query *query;
	const struct scope *scope;
	struct arena *arena;
	struct cache_result *result;
	struct cache_row *rows;
	u32 n;
	struct hidx index; /* by key */
	/* Position in rows of what a process did with a file, for its misses. */
	struct cache_place *places;
	u32 nplaces, places_cap;
	struct hidx place_index;
	u64 *miss_rows; /* by miss: key of its row, 0 none */
};

/* The table of an answer. */
void cache_result__table(struct cache_result *a);
/* Remembers which row a use is in: its misses belong there. */
void cache_stacks__place(struct cache_builder *m, const struct cache_use *u, u32 row);
/* Looks up the row of each miss; before rows are sorted. */
void cache_stacks__find(struct cache_builder *m);
/* The trees of the rows that are unfolded, once they are sorted. */
void cache_stacks__build(struct cache_builder *m);

#endif
