// SPDX-License-Identifier: GPL-2.0-only
#include "tui/paint.h"

#include <stdlib.h>

#include "base/arena.h"

/* So many bytes that need not be written cost less than to move the cursor over them. */
#define GAP_MAX 4

static bool shows_ground_of(const struct painted *c, const struct look *look)
{
	return painted__is_blank(c) && c->look.bg == look->bg &&
	       !(look->attrs & (LOOK_UNDERLINE | LOOK_REVERSE));
}

static bool looks_as(const struct painted *c, const struct look *look)
{
	return look__same(&c->look, look) || shows_ground_of(c, look);
}

static bool same(const struct painted *a, const struct painted *b)
{
	return a->ch[0] == b->ch[0] && a->ch[1] == b->ch[1] && a->ch[2] == b->ch[2] &&
	       looks_as(a, &b->look);
}

static void add(struct paint *p, struct paint_run run)
{
	p->v = xgrow(p->v, p->n, &p->cap, sizeof(*p->v));
	p->v[p->n++] = run;
}

/* Where the run that begins at x ends: behind its last cell that has changed. The right half of a wide
 * character comes with its left half. */
static int run_end(const struct painted *shown, const struct painted *next, int x, int w,
		   const struct look *look)
{
	int end = x + 1, gap = 0;

	for (int at = end; at < w && gap <= GAP_MAX; at++) {
		if (next[at].ch[0] && !looks_as(&next[at], look))
			break;
		gap += next[at].ch[0] < 0x80 ? 1 : 3;
		if (next[at].ch[0] && same(&next[at], &shown[at]))
			continue;
		end = at + 1;
		gap = 0;
	}
	return end;
}

/* Blanks at the beginning take the look of what follows. */
static struct look look_at(const struct painted *next, int x, int w)
{
	struct look look = next[x].look;

	for (int at = x; at < w && shows_ground_of(&next[at], &look); at++)
		if (at + 1 < w && next[at + 1].look.bg == look.bg && !painted__is_blank(&next[at + 1]) &&
		    !(next[at + 1].look.attrs & (LOOK_UNDERLINE | LOOK_REVERSE)))
			return next[at + 1].look;
	return look;
}

static void diff_row(struct paint *p, struct painted *shown, const struct painted *next, int y, int w)
{
	for (int x = 0; x < w; x++) {
		struct paint_run run = {.x = x, .y = y};

		if (same(&next[x], &shown[x]))
			continue;
		run.look = look_at(next, x, w);
		run.n = run_end(shown, next, x, w, &run.look) - x;
		add(p, run);
		x += run.n - 1;
	}
	memcpy(shown, next, sizeof(*shown) * (size_t)w);
}

static int by_look(const void *x, const void *y)
{
	const struct paint_run *a = x, *b = y;

	if (a->look.attrs != b->look.attrs)
		return a->look.attrs < b->look.attrs ? -1 : 1;
	if (a->look.bg != b->look.bg)
		return a->look.bg < b->look.bg ? -1 : 1;
	if (a->look.fg != b->look.fg)
		return a->look.fg < b->look.fg ? -1 : 1;
	return a->y != b->y ? a->y - b->y : a->x - b->x;
}

void paint__diff(struct paint *p, struct painted *shown, const struct painted *next, int w, int h)
{
	p->n = 0;
	for (int y = 0; y < h; y++)
		diff_row(p, shown + (size_t)y * (size_t)w, next + (size_t)y * (size_t)w, y, w);
	if (p->n)
		qsort(p->v, p->n, sizeof(*p->v), by_look);
}
