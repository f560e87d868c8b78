// SPDX-License-Identifier: GPL-2.0-only
#include "models/cells.h"

#include "base/bisect.h"

/* Few more than there are: most have one or two. */
static struct hist_cell *insert_cell(struct cells *c, u32 at, u32 bucket, u32 *held)
{
	if (c->n == c->cap) {
		c->cap = c->cap ? c->cap * 2 : 4;
		c->v = xrealloc(c->v, c->cap * sizeof(*c->v));
	}
	memmove(c->v + at + 1, c->v + at, (c->n - at) * sizeof(*c->v));
	c->v[at] = (struct hist_cell){.bucket = bucket};
	c->n++;
	++*held;
	return &c->v[at];
}

static struct hist_cell *find_cell(struct cells *c, u32 bucket, u32 *held)
{
	u32 at;

	BISECT(at, 0, c->n, i, c->v[i].bucket < bucket);
	if (at < c->n && c->v[at].bucket == bucket)
		return &c->v[at];
	if (!c->n || *held < CELLS_MAX)
		return insert_cell(c, at, bucket, held);
	if (at == c->n || (at && bucket - c->v[at - 1].bucket < c->v[at].bucket - bucket))
		at--;
	return &c->v[at];
}

void cells__add(struct cells *c, u32 bucket, u64 count, u32 *held)
{
	struct hist_cell *cell = find_cell(c, bucket, held);

	cell->last = (u32)MIN(cell->last + count, UINT32_MAX);
}

struct hist_cells cells__advance(struct cells *c, double keep, struct arena *a)
{
	struct hist_cell *out = c->n ? arena__array(a, struct hist_cell, c->n) : NULL;

	for (u32 i = 0; i < c->n; i++) {
		struct hist_cell *cell = &c->v[i];

		cell->decay = (float)window__decay((double)cell->decay, keep, cell->last);
		cell->total += cell->last;
		out[i] = *cell;
		cell->last = 0;
	}
	return (struct hist_cells){out, c->n};
}

void cells__merge(struct cells *to, const struct cells *from, u32 *held)
{
	for (u32 i = 0; i < from->n; i++) {
		const struct hist_cell *add = &from->v[i];
		struct hist_cell *cell = find_cell(to, add->bucket, held);

		cell->last = (u32)MIN((u64)cell->last + add->last, UINT32_MAX);
		cell->decay += add->decay;
		cell->total += add->total;
	}
}

void cells__fini(struct cells *c, u32 *held)
{
	*held -= c->n;
	free(c->v);
	*c = (struct cells){0};
}

static double cell__count(const struct hist_cell *c, enum time_window w)
{
	if (w == WINDOW_LAST)
		return c->last;
	return w == WINDOW_DECAY ? (double)c->decay : (double)c->total;
}

void hist_cells__add(double *n, const struct hist_cells *c, enum time_window w)
{
	for (u32 i = 0; i < c->n; i++)
		n[c->v[i].bucket] += cell__count(&c->v[i], w);
}

u64 hist_cells__cover(const struct hist_cells *c, u64 (*lo)(u32 bucket), u64 max, u64 total)
{
	u32 i = c->n;

	while (i && !(c->v[i - 1].decay > 0))
		i--;
	if (!i || max >= lo(c->v[i - 1].bucket))
		return max;
	return MIN(lo(c->v[i - 1].bucket + 1), total);
}
