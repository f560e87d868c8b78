/* SPDX-License-Identifier: GPL-2.0-only */
/* A line that is put together from left to right; what does not fit is left out whole. */
#ifndef TUI_VIEWS_HEADLINE_H
#define TUI_VIEWS_HEADLINE_H

#include "widgets/cells.h"

struct headline {
	struct canvas *c;
	struct rect r;
	int x; /* where the next piece begins; r.x at first */
};

/* What comes behind a piece that does not fit moves up. */
void headline__add(struct headline *l, enum role role, const char *text);
void headline__addf(struct headline *l, enum role role, const char *fmt, ...) PRINTF_LIKE(3, 4);

#endif
