// SPDX-License-Identifier: GPL-2.0-only
#include "symbols/unwind_pages.h"

#include "base/arena.h"

#define PAGE_BYTES sizeof(struct unwind_page)
#define NO_PAGE	   UINT32_MAX

/* A slot's pages, in the order in which they were taken. */
struct tree {
	u32 *pages;
	u32 n;
};

struct unwind_pages {
	const struct unwind_sink *sink;
	u32 max, used, fresh; /* pages: within the budget; in use; taken at least once */
	u32 *free;	      /* numbers that were given back */
	u32 nfree;
	struct tree trees[UNWIND_OBJECTS];
	void (*evicted)(void *ctx, u32 slot);
	void *evicted_ctx;
};

struct unwind_pages *unwind_pages__new(const struct unwind_sink *sink, size_t budget)
{
	struct unwind_pages *p = xcalloc(1, sizeof(*p));

	p->sink = sink;
	p->max = (u32)MIN(budget / PAGE_BYTES, (size_t)UNWIND_BLOCKS * UNWIND_BLOCK_PAGES);
	p->free = xcalloc(MAX(p->max, 1u), sizeof(*p->free));
	return p;
}

void unwind_pages__free(struct unwind_pages *p)
{
	if (!p)
		return;
	for (u32 i = 0; i < UNWIND_OBJECTS; i++)
		free(p->trees[i].pages);
	free(p->free);
	free(p);
}

void unwind_pages__on_evict(struct unwind_pages *p, void (*evicted)(void *ctx, u32 slot), void *ctx)
{
	p->evicted = evicted;
	p->evicted_ctx = ctx;
}

size_t unwind_pages__bytes(const struct unwind_pages *p)
{
	return (size_t)p->used * PAGE_BYTES;
}

/* --- making room --- */

static void give_back(struct unwind_pages *p, u32 slot)
{
	struct tree *t = &p->trees[slot];

	for (u32 i = 0; i < t->n; i++)
		p->free[p->nfree++] = t->pages[i];
	p->used -= t->n;
	free(t->pages);
	*t = (struct tree){0};
}

static void evict(struct unwind_pages *p, u32 slot)
{
	p->sink->object(slot)->how = UNWIND_BY_NOTHING;
	if (p->evicted)
		p->evicted(p->evicted_ctx, slot);
	p->sink->barrier();
	give_back(p, slot);
}

static u32 least_used(const struct unwind_pages *p, u32 but)
{
	u64 oldest = UINT64_MAX;
	u32 found = NO_PAGE;

	for (u32 i = 0; i < UNWIND_OBJECTS; i++) {
		if (!p->trees[i].n || i == but)
			continue;
		if (p->sink->object(i)->used_ns < oldest) {
			oldest = p->sink->object(i)->used_ns;
			found = i;
		}
	}
	return found;
}

static bool make_room(struct unwind_pages *p, u32 slot, u32 n)
{
	if (n > p->max)
		return false;
	while (p->max - p->used < n) {
		u32 victim = least_used(p, slot);

		if (victim == NO_PAGE)
			return false;
		evict(p, victim);
	}
	return true;
}

/* --- pages --- */

static struct unwind_page *take(struct unwind_pages *p, struct tree *t, u32 *number)
{
	struct unwind_page *page;

	*number = p->nfree ? p->free[p->nfree - 1] : p->fresh;
	page = p->sink->page(*number);
	if (!page)
		return NULL;
	if (p->nfree)
		p->nfree--;
	else
		p->fresh++;
	p->used++;
	t->pages[t->n++] = *number;
	return page;
}

static void fill(struct unwind_page *page, const void *entries, u32 n)
{
	const struct unwind_child none = {.pc = UNWIND_PC_NONE};

	memcpy(page->entry, entries, n * sizeof(page->entry[0]));
	for (u32 i = n; i < UNWIND_PAGE_ENTRIES; i++)
		memcpy(&page->entry[i], &none, sizeof(none));
}

/* One level: its pages' numbers and first pcs become the entries of the next one. */
static u32 put_level(struct unwind_pages *p, struct tree *t, const void *entries, u32 n,
		     struct unwind_child *up)
{
	const struct unwind_child *first = entries; /* rows begin with their pc too */
	u32 pages = 0;

	for (u32 at = 0; at < n; at += UNWIND_PAGE_ENTRIES) {
		struct unwind_page *page = take(p, t, &up[pages].page);

		if (!page)
			return 0;
		up[pages].pc = first[at].pc;
		fill(page, first + at, MIN(n - at, (u32)UNWIND_PAGE_ENTRIES));
		pages++;
	}
	return pages;
}

_Static_assert(sizeof(struct unwind_row) == sizeof(struct unwind_child) &&
		       offsetof(struct unwind_row, pc) == offsetof(struct unwind_child, pc),
	       "rows and children are searched alike");

static u32 pages_for(u32 n)
{
	u32 pages = 0;

	do {
		n = (n + UNWIND_PAGE_ENTRIES - 1) / UNWIND_PAGE_ENTRIES;
		pages += n;
	} while (n > 1);
	return pages;
}

static int put_tree(struct unwind_pages *p, struct tree *t, const void *entries, u32 n, u32 *root,
		    u32 *depth)
{
	struct unwind_child *level = NULL, *up;
	int err = 0;

	*depth = 0;
	do {
		up = xcalloc(n / UNWIND_PAGE_ENTRIES + 1, sizeof(*up));
		n = put_level(p, t, level ? level : entries, n, up);
		free(level);
		level = up;
		if (!n)
			err = -ENOMEM;
		else if (++*depth > UNWIND_DEPTH)
			err = -E2BIG;
	} while (!err && n > 1);
	*root = level[0].page;
	free(level);
	return err;
}

int unwind_pages__put(struct unwind_pages *p, u32 slot, const struct unwind_row *rows, u32 nrows,
		      u32 *root, u32 *depth)
{
	u32 n = nrows ? pages_for(nrows) : 0;
	struct tree *t = &p->trees[slot];
	int err;

	if (!n || t->n || !make_room(p, slot, n))
		return -ENOMEM;
	t->pages = xcalloc(n, sizeof(*t->pages));
	err = put_tree(p, t, rows, nrows, root, depth);
	if (err)
		give_back(p, slot);
	return err;
}
