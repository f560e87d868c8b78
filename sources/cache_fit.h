/* SPDX-License-Identifier: GPL-2.0-only */
/* Which of the page cache's events the running kernel has. */
#ifndef SOURCES_CACHE_FIT_H
#define SOURCES_CACHE_FIT_H

#include "base/base.h"

struct bpf_object;
struct btf;

/* What tells of reads and faults. */
enum cache_seen_by { CACHE_SEEN_BY_NOTHING, CACHE_SEEN_BY_TRACEPOINTS, CACHE_SEEN_BY_FUNCTIONS };

struct cache_fit {
	enum cache_seen_by reads;
	bool functions;		  /* some programs are on functions */
	bool writes;		  /* one is on what most file systems write by */
	bool get_pages_has_count; /* else an iov_iter: bpf/cache_functions.bpf.h */
	const char
		*types_seen[24]; /* types of file systems whose writes are told, NULL at the end */
};

/* What there is, but for the file systems' own tracepoints; functions: as below. */
void cache_fit__choose(const struct btf *kernel, bool functions, struct cache_fit *out);
/*
 * Leaves programs out whose tracepoints are not there; the object is open and not loaded.
 * functions: the kernel can have programs on functions; then those are left in that tell what no
 * tracepoint does. They may still not load or not attach: ask again without.
 */
void cache_fit__programs(struct bpf_object *obj, bool functions, struct cache_fit *out);
/* Whether kernels of that release told a read's last page as the one behind it, as a rule. */
bool cache_fit__last_is_end(const char *release);

#endif
