/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the screens of the cache view share: the table of who uses the page cache (cache.c,
 * cache_text.c) and what is above it (cache_panel.c).
 */
#ifndef TUI_VIEWS_CACHE_H
#define TUI_VIEWS_CACHE_H

#include "models/cache.h"
#include "tui/views/listing.h"

struct cache_screen {
	struct listing list;
	struct cache_query query;
	bool ages; /* the histogram of what was read ahead in the place of the last minutes */
};

static inline struct cache_screen *cache__of(const struct listing *l)
{
	return container_of(l, struct cache_screen, list);
}

static inline const struct cache_result *cache__rows(const struct listing *l)
{
	return l->result ? cache_result__of(l->result) : NULL;
}

static inline const struct cache_snap *cache__snap(const struct cache_result *a)
{
	return cache__snap_of(a->base->snap);
}

/* What the panel is about beside its answer. */
struct cache_panel {
	const struct cache_result *result;
	bool whole; /* the rows are all there are: the last minutes are theirs */
	bool ages;
	const char *tier; /* which source serves */
};

/* Whether a window has so few misses that no share is worth a look. */
bool cache__few_misses(const struct cache_result *a, const u64 *n);

/* How the cache fares, above the table. Returns how many lines were taken. */
int cache_panel__draw(const struct cache_panel *p, struct canvas *c, struct rect r);

/* Of the table, as in listing_ops. */
void cache__headline(struct listing *l, struct headline *line);
int cache__above(struct listing *l, struct canvas *c, struct rect area);
void cache__empty(const struct listing *l, char *buf, size_t size);
enum role cache__role(const struct listing *l, u32 row, u32 column);
void cache__selection(const struct listing *l, struct listing_place at, char *buf, size_t size);
void cache__report(const struct query_result *a, const struct frame *f, struct report *r);

#endif
