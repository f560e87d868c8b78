/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A listing against a baseline: what is shown is both answers joined (models/result_diff.h),
 * while views go on to know rows of their own answers alone. For listing.c; UI thread, but for
 * what is said otherwise.
 */
#ifndef TUI_VIEWS_LISTING_DIFF_H
#define TUI_VIEWS_LISTING_DIFF_H

#include "tui/views/listing.h"

/* Any thread. Both frames asked and joined; now's alone where there is nothing to compare. */
struct query_result *listing__compare(const struct query_client_ops *ops, const struct frame *now,
				      const struct frame *baseline, const void *query,
				      const struct scope *scope);
/* Any thread. NULL: it is not a joined one. */
struct result_diff *listing__diff_of(struct query_result *a);

/* Where a place of what is shown lies in the view's answer, which is in l->answer until
 * listing__leave puts the one back that is returned in *before. */
struct listing_place listing__enter(const struct listing *l, struct listing_place shown,
				    struct query_result **before);
void listing__leave(const struct listing *l, struct query_result *before);

/* With l->diff; the line also with a baseline that has nothing of the view. */
bool listing__is_gone(const struct listing *l, u32 row);
enum role listing__diff_role(const struct listing *l, u32 row, u32 column);
void listing__diff_child(const struct listing *l, u32 node, struct table_child *out);
void listing__diff_line(const struct listing *l, struct headline *line);
/* What a report says of it. Any thread. */
void listing__diff_report(const struct result_diff *d, const struct baseline *b, struct report *r);

#endif
