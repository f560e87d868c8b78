/* SPDX-License-Identifier: GPL-2.0-only */
/* What the kernel runs between a system call's instruction and its function: the same in all
 * chains of calls, so it is one row. Pure. */
#ifndef TUI_VIEWS_PLUMBING_H
#define TUI_VIEWS_PLUMBING_H

#include "models/query_result.h"

/* Whether a node goes on in another one that stands for both. */
bool plumbing__is_hidden(const struct query_result *a, u32 node);
/* The first of the nodes that a shown one stands for; itself where it is the only one. */
u32 plumbing__first(const struct query_result *a, u32 node);
/* What a node that stands for others is called: "system call read"; its name otherwise. */
const char *plumbing__text(const struct query_result *a, u32 node, char *buf, size_t size);

#endif
