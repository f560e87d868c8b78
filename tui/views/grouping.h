/* SPDX-License-Identifier: GPL-2.0-only */
/* The keys that rows are grouped by: taken in turn, picked, or added to each other. */
#ifndef TUI_VIEWS_GROUPING_H
#define TUI_VIEWS_GROUPING_H

#include "tui/view.h"

/* What a view groups by: bit i of its groups is names[i]. */
struct group_keys {
	const char *const *names;
	const enum action *actions; /* NULL: each is group-NAME */
	u32 n;
	bool single; /* by one key at a time */
};

/* Embedded in a screen. */
struct grouping {
	const struct group_keys *of;
	bool adding; /* the next key adds to the grouping, or takes from it */
};

/* False when the action is not one of grouping's; else it may have changed *groups, which
 * never becomes empty. */
bool grouping__action(struct grouping *g, struct host *h, enum action a, u32 *groups);

#endif
