/* SPDX-License-Identifier: GPL-2.0-only */
/* Which of the page cache's tracepoints the running kernel has. */
#ifndef SOURCES_CACHE_FIT_H
#define SOURCES_CACHE_FIT_H

#include "core/base.h"

struct bpf_object;

struct cache_fit {
	bool reads;	     /* and faults */
	const char *told[8]; /* types of file systems whose writes are told, NULL at the end */
};

/* Leaves programs out whose tracepoints are not there; the object is open and not loaded. */
void cache_fit__programs(struct bpf_object *obj, struct cache_fit *out);
/* Whether kernels of that release told a read's last page as the one behind it, as a rule. */
bool cache_fit__last_is_end(const char *release);

#endif
