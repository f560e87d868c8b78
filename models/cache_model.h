/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Inside of the cache model: its live state, shared by consume and tick (cache.c), who did what
 * (cache_uses.c) and the stacks of misses (cache_misses.c). Collector thread only.
 */
#ifndef MODELS_CACHE_MODEL_H
#define MODELS_CACHE_MODEL_H

#include "models/cache.h"
#include "models/entries.h"
#include "models/lives.h"
#include "models/model.h"
#include "models/stacks.h"
#include "models/windows.h"

struct cache_live_use {
	struct cache_use u; /* without sums; path: malloc'ed, NULL not known */
	ENTRY_COUNTS(CACHE_COUNTS);
};

/* Those of one process, file and cgroup, by comm. */
struct cache_uses {
	struct entries all; /* struct cache_live_use */
	struct lives lives;
};

void cache_uses__init(struct cache_uses *c);
void cache_uses__add(struct cache_uses *c, const struct cache_sample *s);
void cache_uses__snap(struct cache_uses *c, double keep, struct cache_snap *snap, struct arena *a);
void cache_uses__clear(struct cache_uses *c);
void cache_uses__fini(struct cache_uses *c);
size_t cache_uses__bytes(const struct cache_uses *c);

/* Of SAMPLE_PROC: another process has the pid of some of them. */
void cache__consume_life(struct cache_uses *uses, struct entries *misses, const struct sample *s);

struct cache_live_miss {
	u32 tgid, past;
	u64 cgroup;
	u64 inode;
	u32 dev;
	u32 stack; /* position in stacks */
	ENTRY_COUNTS(1);
};

/* Of misses, which are struct entries. */
extern const struct entries_kind cache_miss_kind;
void cache_misses__add(struct entries *c, const struct cache_miss_sample *s, u32 stack);
void cache_misses__snap(struct entries *c, double keep, const struct stacks *stacks,
			struct cache_snap *snap, struct arena *a);
void cache_misses__move(struct entries *c, struct stacks *to, const struct stacks *from);

#endif
