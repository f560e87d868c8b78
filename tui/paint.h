/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What has to be written so that one screen becomes another: runs of cells of one look, by look and
 * then by place, since to change a look takes more bytes than to move the cursor. Pure.
 */
#ifndef TUI_PAINT_H
#define TUI_PAINT_H

#include "tui/theme.h"

struct painted {
	wchar_t ch[1 + CELL_MAX_COMBINING]; /* as in a cell */
	struct look look;
};

/* Cells [x, x + n) of a row, all to be written in this look: their own, or one that shows the same. */
struct paint_run {
	int x, y, n;
	struct look look;
};

struct paint {
	struct paint_run *v; /* freed by the caller */
	u32 n, cap;
};

/* Both are w x h, row by row; `shown` is `next` afterwards. What can not be distinguished is not
 * written. */
void paint__diff(struct paint *p, struct painted *shown, const struct painted *next, int w, int h);

static inline bool look__same(const struct look *a, const struct look *b)
{
	return a->fg == b->fg && a->bg == b->bg && a->attrs == b->attrs;
}

/* Nothing but its ground is seen. */
static inline bool painted__is_blank(const struct painted *c)
{
	return c->ch[0] == L' ' && !c->ch[1] && !(c->look.attrs & (LOOK_UNDERLINE | LOOK_REVERSE));
}

#endif
