/* SPDX-License-Identifier: GPL-2.0-only */
/* Between the screen of one wait (offcpu_chain.c) and what it asks (offcpu_chain_result.c). */
#ifndef TUI_VIEWS_OFFCPU_CHAIN_H
#define TUI_VIEWS_OFFCPU_CHAIN_H

#include "tui/views/offcpu.h"

struct chain_query {
	struct waits_query waits;
	u64 key; /* of the row */
};

/* A row of this screen: a waker, or at the end the wait itself. */
struct chain_part {
	u64 key;
	const char *name;
	double share; /* of the row's time */
	u64 count;
};

struct chain_result {
	struct query_result base;
	struct waits_result *own, *woken; /* the trees of both sorts; names are borrowed */
	const struct waits_row *row;	  /* NULL: no such wait in this window */
	struct chain_part *parts;
	u32 nparts;
	char sentence[256]; /* who ends most of it, who ends most of that one's waits ...; "" nobody */
	struct tree_node *nodes;
	struct row_tree *trees;
};

/* The column that names a part. */
#define CHAIN_PART 2

/* Of query_client_ops. */
struct query_result *chain__run(const struct frame *f, const void *query,
				const struct scope *scope);

#endif
