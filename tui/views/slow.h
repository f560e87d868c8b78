/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The screen of a list of single slow events (models/slow_rows.h), each of which unfolds to its
 * stack: all of the last minute, or those of a heat map's cell. A view adds its words, the roles of
 * cells and its own keys. UI thread only.
 */
#ifndef TUI_VIEWS_SLOW_H
#define TUI_VIEWS_SLOW_H

#include "models/slow_rows.h"
#include "tui/views/heat.h"
#include "tui/views/listing.h"

struct slow_words {
	const char *what;    /* "requests" */
	const char *title;   /* "slowest requests of the last", then so many s */
	const char *counted; /* behind their number */
	const char *hint;
	const char *none; /* "no request in scope was slow in the last", likewise */
	u32 seconds, max; /* how long how many of each 10 s are kept */
	bool (*waiting)(const struct listing *l, char *buf, size_t size);
	/* The whole of a row. */
	void (*describe)(const struct listing *l, u32 row, char *buf, size_t size);
};

struct slow_screen {
	struct listing list;
	const struct slow_words *words;
	struct heat_pick pick; /* with a range, or not at all */
	void *query;	       /* the view's; begins with a struct slow_query */
};

/* For listing_ops; the view's .ask, .cell_role and .report besides. */
#define SLOW_LISTING                                                                               \
	LISTING_UNFOLDED(struct slow_query), .headline = slow__headline, .events = true,           \
	.empty = slow__empty, .selection = slow__selection

/* For Enter: shows what is below, and again: folds it. */
bool slow__drill(struct listing *l, struct listing_place at);
u32 slow__function(const struct listing *l, u32 row);
void slow__headline(struct listing *l, struct headline *line);
void slow__empty(const struct listing *l, char *buf, size_t size);
void slow__selection(const struct listing *l, struct listing_place at, char *buf, size_t size);

/* Copies the query, of ops->ask.size bytes. pick: of a heat map's cell; NULL: all, and `narrowed`
 * says of what, "" everything. */
struct slow_screen *slow_screen__new(struct host *h, const struct screen_ops *screen,
				     const struct listing_ops *ops, const struct slow_words *words,
				     const void *query, const struct heat_pick *pick,
				     const char *narrowed, const struct scope *extra);
void slow_screen__free(struct screen *base);
/* Reports an answer of it; view: as "io-slowest". form: what rows say of events; NULL: they are
 * none. */
void slow__report(struct report *r, const char *view, const char *group, const struct frame *f,
		  enum model_id model, const struct event_form *form);

#endif
