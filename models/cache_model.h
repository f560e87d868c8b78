/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Inside of the cache model: its live state, shared by consume and tick (cache.c), who did what
 * (cache_uses.c) and the stacks of misses (cache_misses.c). Collector thread only.
 */
#ifndef MODELS_CACHE_MODEL_H
#define MODELS_CACHE_MODEL_H

#include "base/hidx.h"
#include "models/cache.h"
#include "models/lives.h"
#include "models/model.h"
#include "models/stacks.h"
#include "models/windows.h"

struct cache_track {
	u64 now[CACHE_COUNTS], total[CACHE_COUNTS];
	double decay[CACHE_COUNTS];
};

struct cache_live_use {
	struct cache_use u; /* without sums; path: malloc'ed, NULL not known */
	struct cache_track track;
};

/* Those of one process, file and cgroup, by comm. */
struct cache_uses {
	struct cache_live_use *v;
	u32 n, cap;
	struct hidx index;
	size_t path_bytes;
	struct lives lives;
};

void cache_uses__add(struct cache_uses *c, const struct cache_sample *s);
/* Of SAMPLE_PROC. The pid of the process before the one that begins, and its number; 0: there is none. */
u32 cache_uses__consume(struct cache_uses *c, const struct sample *s, u32 *past);
void cache_uses__snap(struct cache_uses *c, double keep, struct cache_snap *snap, struct arena *a);
void cache_uses__clear(struct cache_uses *c);
void cache_uses__fini(struct cache_uses *c);
size_t cache_uses__bytes(const struct cache_uses *c);

struct cache_live_miss {
	u32 tgid, past;
	u64 cgroup;
	u32 dev;
	u64 inode;
	u32 stack; /* position in stacks */
	u64 now, total;
	double decay;
};

struct cache_misses {
	struct cache_live_miss *v;
	u32 n, cap;
	struct hidx index;
};

void cache_misses__add(struct cache_misses *c, const struct cache_miss_sample *s, u32 stack);
/* Another process has the pid. */
void cache_misses__pass(struct cache_misses *c, u32 tgid, u32 past);
void cache_misses__snap(struct cache_misses *c, double keep, const struct stacks *stacks,
			struct cache_snap *snap, struct arena *a);
void cache_misses__move(struct cache_misses *c, struct stacks *to, const struct stacks *from);
/* Lets go of half of the stacks. */
void cache_misses__shed(struct cache_misses *c);
void cache_misses__clear(struct cache_misses *c);
void cache_misses__fini(struct cache_misses *c);
size_t cache_misses__bytes(const struct cache_misses *c);

#endif
