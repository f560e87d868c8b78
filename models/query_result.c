// SPDX-License-Identifier: GPL-2.0-only
#include "models/query_result.h"

#include "symbols/symbols.h"

void query_result__fini(struct query_result *a)
{
	snap__put(a->snap);
	arena__fini(&a->arena);
	free(a);
}

void *query_result__new(size_t size, const struct snap *snap, const struct symbols *symbols,
			u64 since_ns)
{
	struct query_result *a = xcalloc(1, size);

	arena__init(&a->arena);
	a->snap = snap__get(snap);
	a->since_ns = since_ns;
	a->symbols_generation = symbols ? symbols__generation(symbols) : 0;
	a->free = query_result__fini;
	return a;
}
