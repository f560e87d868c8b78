/* SPDX-License-Identifier: GPL-2.0-only */
/* What the two halves of the resolver share: symbols/load.c reads, symbols/resolve.c looks up.
 * Symbols worker only. */
#ifndef SYMBOLS_RESOLVER_H
#define SYMBOLS_RESOLVER_H

#include "symbols/internal.h"

#define PERFMAPS_OPEN 16 /* perf maps whose descriptor is kept: a map may be removed with its process */

struct resolver {
	struct symbols *s;
	struct hidx funcs;     /* by object and start, or object and name: func ids */
	struct hidx build_ids; /* objects with a table of their own */
	struct hidx modules;   /* of the kernel: objects by name */
	u64 bytes, kallsyms_at_ns;
	u32 open_maps[PERFMAPS_OPEN], nopened; /* objects, those of the last so many that were opened */
};

/* From now on the object's perf map is one of those whose descriptors are kept; the one that was
 * opened longest ago is not any more. */
void resolver__keep_open(struct resolver *r, const struct object *o);

#endif
