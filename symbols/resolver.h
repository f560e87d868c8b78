/* SPDX-License-Identifier: GPL-2.0-only */
/* What the two halves of the resolver share: symbols/load.c reads, symbols/resolve.c looks up.
 * Symbols worker only. */
#ifndef SYMBOLS_RESOLVER_H
#define SYMBOLS_RESOLVER_H

#include "symbols/internal.h"

struct resolver {
	struct symbols *s;
	struct hidx funcs;     /* by object and start, or object and name: func ids */
	struct hidx build_ids; /* objects with a table of their own */
	struct hidx modules;   /* of the kernel: objects by name */
	u64 bytes, kallsyms_at_ns;
	u32 nperfmaps;
};

#endif
