/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The three id spaces: append-only tables in chunks that never move, so that a reader needs
 * no lock. An id is handed out after its entry is complete (release on the count, acquire in
 * the getters). One writer at a time per table: objects and locs belong to the collector,
 * funcs to whoever holds the func lock. Sizes are bounded; a full table refuses.
 */
#ifndef SYMBOLS_IDS_H
#define SYMBOLS_IDS_H

#include <stdatomic.h>

#include "base/base.h"
#include "base/hidx.h"
#include "symbols/sym.h"

#define IDS_MAX_OBJECTS (64u << 10)
#define IDS_MAX_LOCS	(1u << 20)
#define IDS_MAX_FUNCS	(512u << 10)

struct stable {
	u32 elem, max;
	_Atomic u32 n;
	_Atomic(void *) *chunks;
	_Atomic u64 bytes;
};

void stable__init(struct stable *t, u32 elem, u32 max);
void stable__fini(struct stable *t);
/* The zeroed next entry, not visible yet, and its id; NULL when the table is full. */
void *stable__next(struct stable *t, u32 *id);
/* Makes the entry of the last stable__next visible. */
void stable__commit(struct stable *t);
/* NULL for an id that was not handed out. Any thread. */
void *stable__at(const struct stable *t, u32 id);

static inline u32 stable__count(const struct stable *t)
{
	return atomic_load_explicit(&((struct stable *)t)->n, memory_order_acquire);
}

/* loc.inlined: states below INLINED_FIRST, else index of a list plus INLINED_FIRST. */
enum { INLINED_UNASKED, INLINED_ASKED, INLINED_NONE, INLINED_FIRST };

struct loc {
	u64 offset;
	u32 asked_object;   /* what it was interned by */
	_Atomic u32 object; /* the worker moves it to a module, or to the equal file */
	_Atomic u32 func;
	_Atomic u32 inlined;
	u32 next;	    /* the worker's: in its object's list */
};

#endif
