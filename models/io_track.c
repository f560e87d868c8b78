// SPDX-License-Identifier: GPL-2.0-only
/* Numbers of an interval become those of the last one, the decaying window and since start. */
#include "models/io_model.h"

/* A time of so many requests that fade, such that its mean is theirs although their number is
 * told as a whole one. */
static u64 faded(double ns, double known, u64 told)
{
	return known > 0 ? (u64)(ns / known * (double)told + 0.5) : 0;
}

#define AT(TYPE, MEMBER) (offsetof(TYPE, MEMBER) / sizeof(u64))

void io_track__advance(struct io_track *t, const struct window_pace *p, struct io_sums *out)
{
	const struct window_track all = {IO_SUMS,  IO_MAXIMA, (u64 *)&t->now, (u64 *)&t->total,
					 t->decay, t->recent, t->before};
	u64 *const windows[WINDOWS] = {(u64 *)&out[0], (u64 *)&out[1], (u64 *)&out[2]};

	window_track__advance(&all, p, windows);
	for (u32 i = 0; i < IO_STAGES; i++)
		out[WINDOW_DECAY].ns[i] =
			faded(t->decay[AT(struct io_sums, ns) + i],
			      t->decay[AT(struct io_sums, known) + i], out[WINDOW_DECAY].known[i]);
}

static struct window_track all_of_proc(struct io_proc_track *t)
{
	return (struct window_track){IO_PROC_SUMS, IO_PROC_MAXIMA, (u64 *)&t->now, (u64 *)&t->total,
				     t->decay,	   t->recent,	   t->before};
}

void io_proc_track__advance(struct io_proc_track *t, const struct window_pace *p,
			    struct io_proc_sums *out)
{
	const struct window_track all = all_of_proc(t);
	u64 *const windows[WINDOWS] = {(u64 *)&out[0], (u64 *)&out[1], (u64 *)&out[2]};

	window_track__advance(&all, p, windows);
	out[WINDOW_DECAY].ns =
		faded(t->decay[AT(struct io_proc_sums, ns)],
		      t->decay[AT(struct io_proc_sums, known)], out[WINDOW_DECAY].known);
}

void io_proc_track__merge(struct io_proc_track *to, const struct io_proc_track *from)
{
	const struct window_track a = all_of_proc(to),
				  b = all_of_proc((struct io_proc_track *)from);

	window_track__merge(&a, &b);
}

/* --- sparse histograms --- */

static struct io_cell *insert_cell(struct io_live_cells *c, u32 at, u32 bucket, u32 *held)
{
	c->v = xgrow(c->v, c->n, &c->cap, sizeof(*c->v));
	memmove(c->v + at + 1, c->v + at, (c->n - at) * sizeof(*c->v));
	c->v[at] = (struct io_cell){.bucket = bucket};
	c->n++;
	++*held;
	return &c->v[at];
}

static struct io_cell *find_cell(struct io_live_cells *c, u32 bucket, u32 *held)
{
	u32 lo = 0, hi = c->n;

	while (lo < hi) {
		u32 mid = lo + (hi - lo) / 2;

		if (c->v[mid].bucket < bucket)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (lo < c->n && c->v[lo].bucket == bucket)
		return &c->v[lo];
	if (!c->n || *held < IO_MAX_CELLS)
		return insert_cell(c, lo, bucket, held);
	if (lo == c->n || (lo && bucket - c->v[lo - 1].bucket < c->v[lo].bucket - bucket))
		lo--;
	return &c->v[lo];
}

void io_cells__add(struct io_live_cells *c, u32 bucket, u64 count, u32 *held)
{
	struct io_cell *cell = find_cell(c, bucket, held);

	cell->last = (u32)MIN(cell->last + count, UINT32_MAX);
}

struct io_cells io_cells__advance(struct io_live_cells *c, const struct window_pace *p,
				  struct arena *a)
{
	struct io_cell *out = c->n ? arena__array(a, struct io_cell, c->n) : NULL;

	for (u32 i = 0; i < c->n; i++) {
		struct io_cell *cell = &c->v[i];

		cell->decay = (float)window__decay((double)cell->decay, p->keep, cell->last);
		cell->total += cell->last;
		out[i] = *cell;
		cell->last = 0;
	}
	return (struct io_cells){out, c->n};
}
