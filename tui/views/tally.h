/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Screens of subjects that are tallies (models/tally_model.h): what their listings have in common.
 * A pane is a struct tally_pane, and a struct listing_ops with TALLY_LISTING in it.
 */
#ifndef TUI_VIEWS_TALLY_H
#define TUI_VIEWS_TALLY_H

#include "models/tally_model.h"
#include "tui/views/listing.h"

struct tally_pane {
	const struct tally_table *table;
	const char *title; /* "lookups", before "by pid" */
	const char *view;  /* of reports */
	const char *name;  /* in the path of screens */
	u32 at;		   /* in pane_table */
	const struct screen_ops *screen;
	const struct listing_ops *list;
};

struct tally_screen {
	struct listing list;
	struct tally_query query;
	const struct tally_pane *pane;
};

/* A single key at a time: of tally_group, the first n. */
#define TALLY_KEYS(n)                                                                              \
	{                                                                                          \
		tally_group_names, NULL, n, true                                                   \
	}
#define TALLY_LISTING(model_, run_)                                                                \
	.ask = {.size = sizeof(struct tally_query), .model = model_, .run = run_},                 \
	.at.group = LISTING_AT(struct tally_query, group),                                         \
	.at.window = LISTING_AT(struct tally_query, window), .cell_role = tally__role,             \
	.term = tally__term

LISTING_OF(tally__of, struct tally_screen, tally__result, struct tally_result)

/* group: NULL the first. extra: the scope in the place of the host's, NULL none; a reference is taken. */
struct screen *tally__open(struct host *h, const struct tally_pane *pane, const char *group,
			   const struct scope *extra);
/* Shows another pane of the same listing. */
void tally__show(struct tally_screen *s, const struct tally_pane *pane);
/* For struct view_ops whose .of is a struct tally_pane. */
struct screen *tally__open_view(const struct view_ops *v, struct host *h,
				const struct view_args *args);
int tally__batch(const struct view_ops *v, const struct frame *f, const struct view_args *args,
		 const struct scope *scope, struct report *r);
#define TALLY_VIEW_OPS(pane)                                                                       \
	.of = pane, .open = tally__open_view, .report = tally__batch,                              \
	.report_free = listing__report_free

/* "lookups by pid [g] · decaying"; true: there are numbers to add to it. */
bool tally__headline(struct listing *l, struct headline *line);
/* " · misses 3/s" */
void tally__add_rate(struct headline *line, const struct query_result *a, const char *what, u64 n);
void tally__add_pct(struct headline *line, const char *what, double pct);
/* "find pid 77", "CPU 3" */
const char *tally__who(const struct tally_result *a, u32 row, char *buf, size_t size);
enum role tally__role(const struct listing *l, u32 row, u32 column);
bool tally__term(const struct listing *l, u32 row, char *buf, size_t size);
void tally__report(const struct tally_result *a, const struct tally_pane *pane, enum model_id model,
		   const struct frame *f, struct report *r);

#endif
