/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Unwind tables in the pages of bpf/unwind.h: trees with 512 entries a page, within a budget.
 * One thread (the worker).
 */
#ifndef SYMBOLS_UNWIND_PAGES_H
#define SYMBOLS_UNWIND_PAGES_H

#include "bpf/unwind.h"
#include "samples/unwind.h"

struct unwind_pages;

struct unwind_pages *unwind_pages__new(const struct unwind_sink *sink, size_t budget);
void unwind_pages__free(struct unwind_pages *p);
/* The tree's root and depth; objects that were not used longest lose their tables when there is
 * no room. 0, -ENOMEM (it does not fit at all), -E2BIG (deeper than UNWIND_DEPTH). slot: whose
 * table it is. */
int unwind_pages__put(struct unwind_pages *p, u32 slot, const struct unwind_row *rows, u32 nrows,
		      u32 *root, u32 *depth);
/* Called for each slot that lost its table, before its pages are used again. */
void unwind_pages__on_evict(struct unwind_pages *p, void (*evicted)(void *ctx, u32 slot),
			    void *ctx);
size_t unwind_pages__bytes(const struct unwind_pages *p); /* in use */

#endif
