// SPDX-License-Identifier: GPL-2.0-only
#include "symbols/ids.h"

#define CHUNK_SHIFT 11
#define CHUNK	    (1u << CHUNK_SHIFT)

void stable__init(struct stable *t, u32 elem, u32 max)
{
	*t = (struct stable){.elem = elem, .max = max};
	t->chunks = xcalloc((max + CHUNK - 1) >> CHUNK_SHIFT, sizeof(*t->chunks));
}

void stable__fini(struct stable *t)
{
	u32 nchunks = (t->max + CHUNK - 1) >> CHUNK_SHIFT;

	for (u32 i = 0; i < nchunks; i++)
		free(atomic_load_explicit(&t->chunks[i], memory_order_relaxed));
	free(t->chunks);
}

void *stable__next(struct stable *t, u32 *id)
{
	u32 n = atomic_load_explicit(&t->n, memory_order_relaxed);
	char *chunk;

	if (n >= t->max)
		return NULL;
	chunk = atomic_load_explicit(&t->chunks[n >> CHUNK_SHIFT], memory_order_relaxed);
	if (!chunk) {
		chunk = xcalloc(CHUNK, t->elem);
		t->bytes += (u64)CHUNK * t->elem;
		atomic_store_explicit(&t->chunks[n >> CHUNK_SHIFT], chunk, memory_order_release);
	}
	*id = n;
	return chunk + (size_t)(n & (CHUNK - 1)) * t->elem;
}

void stable__commit(struct stable *t)
{
	atomic_fetch_add_explicit(&t->n, 1, memory_order_release);
}

void *stable__at(const struct stable *t, u32 id)
{
	char *chunk;

	if (id >= stable__count(t))
		return NULL;
	chunk = atomic_load_explicit(&t->chunks[id >> CHUNK_SHIFT], memory_order_acquire);
	return chunk + (size_t)(id & (CHUNK - 1)) * t->elem;
}
