/* SPDX-License-Identifier: GPL-2.0-only */
#include "base/arena.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

#define CHUNK_MIN 4096
#define CHUNK_MAX (256 * 1024)
#define ALIGNMENT 16
#define GROW_FAST 512 /* items up to which arrays double */

struct arena_chunk {
	struct arena_chunk *next;
	size_t used, size;
	u32 passed; /* as a spare: how often it did not fit */
	_Alignas(ALIGNMENT) char data[];
};

static void (*die_handler)(void);

void die__on(void (*handler)(void))
{
	die_handler = handler;
}

void die(const char *fmt, ...)
{
	va_list ap;

	if (die_handler)
		die_handler();
	fputs("proftop: ", stderr);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	_exit(1);
}

static void *checked(void *p, size_t size)
{
	if (!p && size)
		die("out of memory (%zu bytes): narrow the scope with -p or -G, or sample less", size);
	return p;
}

void *xmalloc(size_t size)
{
	return checked(malloc(size ? size : 1), size);
}

void *xcalloc(size_t n, size_t size)
{
	return checked(calloc(n ? n : 1, size ? size : 1), n * size);
}

void *xrealloc(void *p, size_t size)
{
	return checked(realloc(p, size ? size : 1), size);
}

void *xgrow(void *items, u32 n, u32 *cap, size_t size)
{
	if (n < *cap)
		return items;
	if (*cap < GROW_FAST)
		*cap = *cap ? *cap * 2 : 8; /* many arrays stay small: one in each entry of a model */
	else
		*cap += *cap / 2; /* and what large ones do not need adds up */
	return xrealloc(items, *cap * size);
}

char *xstrdup(const char *s)
{
	return checked(strdup(s), strlen(s) + 1);
}

char *xasprintf(const char *fmt, ...)
{
	va_list ap;
	char *s = NULL;
	int n;

	va_start(ap, fmt);
	n = vasprintf(&s, fmt, ap);
	va_end(ap);
	return checked(n < 0 ? NULL : s, 1);
}

void arena__init(struct arena *a)
{
	*a = (struct arena){0};
}

/*
 * Snapshots and answers of thousands of rows are made anew at each interval, of about the same size.
 * Memory that goes back to the kernel each time is cleared and faulted in again page by page, which
 * costs more than what is written there: so a few large chunks wait for the next one. What grew is
 * not of its former size again, and one that others passed over a few times has a size that nothing
 * has any more.
 */
#define SPARES	     12
#define SPARE_MIN    (1u << 20)
#define SPARES_BYTES (24u << 20)
#define SPARE_PASSED 16

static _Atomic(struct arena_chunk *) spares[SPARES];

static atomic_bool keeps_spares;

void arena__keep_spares(void)
{
	atomic_store(&keeps_spares, true);
}

/* The newest stands first; the oldest make room. */
static void put_spare(struct arena_chunk *c)
{
	size_t kept = 0;

	for (u32 i = 0; i < SPARES; i++) {
		if (c && c->size > SPARES_BYTES - kept) {
			free(c);
			c = NULL;
		}
		kept += c ? c->size : 0;
		c = atomic_exchange(&spares[i], c);
	}
	free(c);
}

static bool fits(const struct arena_chunk *c, size_t size)
{
	return c->size >= size && c->size - size <= size / 4;
}

static bool outgrown(const struct arena_chunk *c, size_t size)
{
	return c->size < size && c->size >= size / 2;
}

static struct arena_chunk *take_spare(size_t size)
{
	struct arena_chunk *found = NULL, *passed[SPARES];
	u32 n = 0;

	for (u32 i = 0; size >= SPARE_MIN && !found && i < SPARES; i++) {
		struct arena_chunk *c = atomic_exchange(&spares[i], NULL);

		if (c && fits(c, size))
			found = c;
		else if (c && !outgrown(c, size) && c->passed++ < SPARE_PASSED)
			passed[n++] = c;
		else
			free(c);
	}
	while (n)
		put_spare(passed[--n]);
	return found;
}

static void chunk__free(struct arena_chunk *c)
{
	c->passed = 0;
	if (c->size >= SPARE_MIN && c->size <= SPARES_BYTES && atomic_load(&keeps_spares))
		put_spare(c);
	else
		free(c);
}

void arena__fini(struct arena *a)
{
	for (struct arena_chunk *c = a->head, *next; c; c = next) {
		next = c->next;
		chunk__free(c);
	}
	*a = (struct arena){0};
}

/* Chunks double, so that small arenas stay small and large ones need few chunks. */
static struct arena_chunk *arena__grow(struct arena *a, size_t need)
{
	size_t size = a->head ? MIN(a->head->size * 2, (size_t)CHUNK_MAX) : CHUNK_MIN;
	struct arena_chunk *c;

	size = MAX(size, need);
	if (size >= SPARE_MIN)
		size += SPARE_MIN - size % SPARE_MIN;
	c = take_spare(size);
	if (!c) {
		c = xmalloc(sizeof(*c) + size);
		c->size = size;
	}
	c->used = 0;
	c->next = a->head;
	a->head = c;
	return c;
}

/* What is there is anything. */
void *arena__take(struct arena *a, size_t size)
{
	struct arena_chunk *c = a->head;
	size_t need = (size + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
	void *p;

	if (need < size)
		die("out of memory (%zu bytes)", size);
	if (!c || c->size - c->used < need)
		c = arena__grow(a, need);
	p = c->data + c->used;
	c->used += need;
	a->bytes += need;
	return p;
}

void *arena__alloc(struct arena *a, size_t size)
{
	return memset(arena__take(a, size), 0, size);
}

void *arena__dup(struct arena *a, const void *data, size_t size)
{
	void *copy = arena__take(a, size);

	return size ? memcpy(copy, data, size) : copy;
}

char *arena__strdup(struct arena *a, const char *s)
{
	return arena__dup(a, s, strlen(s) + 1);
}
