/* SPDX-License-Identifier: GPL-2.0-only */
/* What listings know of their views' queries: groups, window, what is unfolded. */
#ifndef TUI_VIEWS_LISTING_QUERY_H
#define TUI_VIEWS_LISTING_QUERY_H

#include "tui/views/listing.h"

/* Bits of what rows are grouped by; 0: rows are not grouped. */
u32 listing_query__groups(const struct listing_ops *ops, const void *query);
void listing_query__set_groups(const struct listing_ops *ops, void *query, u32 groups);
/* NULL: it has none. */
enum profile_window *listing_query__window(const struct listing_ops *ops, void *query);
/* keys: ANSWER_MAX_UNFOLDED of them, n of which count, the rest zero. */
void listing_query__set_unfolded(const struct listing_ops *ops, void *query, const u64 *keys, u32 n);

#endif
