/* SPDX-License-Identifier: GPL-2.0-only */
/* What the page cache's programs counted, as samples. Collector thread only. */
#ifndef SOURCES_CACHE_PUT_H
#define SOURCES_CACHE_PUT_H

#include "bpf/cache.h"
#include "samples/cache.h"
#include "sources/bpf_scope.h"

#define CACHE_DEBTS 256

/* Hits that were handed out too many: of a read that went on when its interval ended, and had
 * misses then. Taken off the next ones of the same process and file. */
struct cache_debt {
	struct cache_key key;
	u64 n[CACHE_COUNTS];
};

struct cache_put {
	int files_fd; /* the map of paths; borrowed */
	struct bpf_scope *scope;
	const struct sample_sink *sink;
	struct cache_debt debts[CACHE_DEBTS];
	u32 ndebts;
	u64 samples; /* accesses handed out */
};

/* Entries of the maps of bpf/cache.h; those out of scope are left out. */
void cache_put__sum(struct cache_put *p, const struct cache_key *k, const struct cache_sum *sum);
void cache_put__miss(struct cache_put *p, const struct cache_miss_key *k,
		     const struct cache_miss_sum *sum);

#endif
