/* SPDX-License-Identifier: GPL-2.0-only */
/* Inside of the view of processes: procs.c, procs_text.c, procs_act.c. UI thread only. */
#ifndef TUI_VIEWS_PROCS_H
#define TUI_VIEWS_PROCS_H

#include "models/procs.h"
#include "tui/views/listing.h"

struct procs_screen {
	struct listing list;
	struct procs_query query;
};

static inline struct procs_screen *procs__of(const struct listing *l)
{
	return container_of(l, struct procs_screen, list);
}

static inline const struct procs_result *procs__rows(const struct listing *l)
{
	return container_of(l->result, struct procs_result, base);
}

/* procs.c: the row as a term of the filter language, and the terms whose place it takes. */
bool procs__row_term(const struct procs_result *a, const struct procs_row *r, char *buf,
		     size_t size);

/* procs_text.c */
void procs__headline(struct listing *l, struct headline *line);
int procs__above(struct listing *l, struct canvas *c, struct rect area);
void procs__empty(const struct listing *l, char *buf, size_t size);
enum role procs__role(const struct listing *l, u32 row, u32 column);
void procs__selection(const struct listing *l, struct listing_place at, char *buf, size_t size);
void procs__report(const struct query_result *base, const struct frame *f, struct report *r);

/* procs_act.c: what is done to the process under the cursor; false: not its action. */
bool procs__act(struct listing *l, enum action a);

#endif
