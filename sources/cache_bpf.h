/* SPDX-License-Identifier: GPL-2.0-only */
/* Tests open the page cache's source with maps that are too small on purpose. */
#ifndef SOURCES_CACHE_BPF_H
#define SOURCES_CACHE_BPF_H

#include "sources/source.h"

struct cache_bpf_sizes {
	u32 sums;   /* rows of processes and files in one interval */
	u32 misses; /* rows of misses by stack in one interval */
	u32 files;  /* paths that are kept */
	u32 ahead;  /* blocks of 64 pages that were read ahead and not used yet */
	u32 stacks; /* stacks remembered as sent */
	u32 ring_bytes;
};

extern const struct source_ops source_cache_bpf;

struct source *cache_bpf__open_sized(const struct sampling *how, const struct scope *scope,
				     const struct cache_bpf_sizes *sizes, struct status *st);

#endif
