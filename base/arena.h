/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Bump allocator: many small objects, one lifetime. Not thread-safe while it is
 * written; immutable snapshots built in one may be read by any thread.
 * Allocation failure aborts the program after the terminal is restored (die()).
 */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include "base/base.h"

struct arena_chunk;

struct arena {
	struct arena_chunk *head;
	size_t bytes; /* handed out, for gauges */
};

/* From now on a few large chunks wait for the next arena that needs as much; where memory is little
 * they do not. */
void arena__keep_spares(void);
void arena__init(struct arena *a);
void arena__fini(struct arena *a);
/* Zeroed, 16-byte aligned; lives until arena__fini. */
void *arena__alloc(struct arena *a, size_t size);
/* Likewise, but not zeroed. */
void *arena__take(struct arena *a, size_t size);
void *arena__dup(struct arena *a, const void *data, size_t size);
char *arena__strdup(struct arena *a, const char *s);
#define arena__array(a, type, n) ((type *)arena__alloc((a), sizeof(type) * (n)))

/* malloc family that does not return NULL: out of memory ends in die(). */
void *xmalloc(size_t size);
void *xcalloc(size_t n, size_t size);
void *xrealloc(void *p, size_t size);
/* Room for one more in an array of n items that grows by doubling. */
void *xgrow(void *items, u32 n, u32 *cap, size_t size);
char *xstrdup(const char *s);
char *xasprintf(const char *fmt, ...) PRINTF_LIKE(1, 2);

/* Runs the handler set by die__on (restores the terminal), prints one line, exits 1. */
void die(const char *fmt, ...) PRINTF_LIKE(1, 2) __attribute__((noreturn));
void die__on(void (*handler)(void));

#endif
