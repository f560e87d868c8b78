// SPDX-License-Identifier: GPL-2.0-only
/* Numbers of an interval become those of the last one, the decaying window and since start. */
#include "models/io_model.h"

/* Sums and maxima of one track, each all u64. */
struct parts {
	u64 *now, *total;
	double *decay;
	u64 *recent, *before;
	u32 sums, maxima;
};

static void advance_maxima(const struct parts *t, const struct io_pace *p, u64 *last, u64 *decayed,
			   u64 *total)
{
	for (u32 i = 0; i < t->maxima; i++) {
		u64 now = t->now[t->sums + i], *all = &t->total[t->sums + i];

		if (p->rotations) {
			t->before[i] = p->rotations == 1 ? t->recent[i] : 0;
			t->recent[i] = 0;
		}
		t->recent[i] = MAX(t->recent[i], now);
		*all = MAX(*all, now);
		last[i] = now;
		decayed[i] = MAX(t->recent[i], t->before[i]);
		total[i] = *all;
	}
}

static void advance(const struct parts *t, const struct io_pace *p, u64 *last, u64 *decayed,
		    u64 *total)
{
	const struct window_sums sums = {t->sums, t->now, t->total, t->decay};
	u64 *const windows[WINDOWS] = {last, decayed, total};

	window_sums__advance(&sums, p->keep, windows);
	advance_maxima(t, p, last + t->sums, decayed + t->sums, total + t->sums);
	memset(t->now + t->sums, 0, t->maxima * sizeof(*t->now));
}

/* A time of so many requests that fade, such that its mean is theirs although their number is
 * told as a whole one. */
static u64 faded(double ns, double known, u64 told)
{
	return known > 0 ? (u64)(ns / known * (double)told + 0.5) : 0;
}

#define AT(TYPE, MEMBER) (offsetof(TYPE, MEMBER) / sizeof(u64))

void io_track__advance(struct io_track *t, const struct io_pace *p, struct io_sums *out)
{
	const struct parts parts = {(u64 *)&t->now, (u64 *)&t->total, t->decay, t->recent,
				    t->before,	    IO_SUMS,	      IO_MAXIMA};

	advance(&parts, p, (u64 *)&out[WINDOW_LAST], (u64 *)&out[WINDOW_DECAY],
		(u64 *)&out[WINDOW_TOTAL]);
	for (u32 i = 0; i < IO_STAGES; i++)
		out[WINDOW_DECAY].ns[i] =
			faded(t->decay[AT(struct io_sums, ns) + i],
			      t->decay[AT(struct io_sums, known) + i], out[WINDOW_DECAY].known[i]);
}

void io_proc_track__advance(struct io_proc_track *t, const struct io_pace *p,
			    struct io_proc_sums *out)
{
	const struct parts parts = {(u64 *)&t->now, (u64 *)&t->total, t->decay,	     t->recent,
				    t->before,	    IO_PROC_SUMS,     IO_PROC_MAXIMA};

	advance(&parts, p, (u64 *)&out[WINDOW_LAST], (u64 *)&out[WINDOW_DECAY],
		(u64 *)&out[WINDOW_TOTAL]);
	out[WINDOW_DECAY].ns =
		faded(t->decay[AT(struct io_proc_sums, ns)],
		      t->decay[AT(struct io_proc_sums, known)], out[WINDOW_DECAY].known);
}

void io_proc_track__merge(struct io_proc_track *to, const struct io_proc_track *from)
{
	io_proc_sums__add(&to->now, &from->now);
	io_proc_sums__add(&to->total, &from->total);
	for (u32 i = 0; i < IO_PROC_SUMS; i++)
		to->decay[i] += from->decay[i];
	for (u32 i = 0; i < IO_PROC_MAXIMA; i++) {
		to->recent[i] = MAX(to->recent[i], from->recent[i]);
		to->before[i] = MAX(to->before[i], from->before[i]);
	}
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

struct io_cells io_cells__advance(struct io_live_cells *c, const struct io_pace *p, struct arena *a)
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
