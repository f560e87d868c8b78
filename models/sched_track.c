// SPDX-License-Identifier: GPL-2.0-only
/* Numbers of an interval become those of the last one, the decaying window and since start. */
#include "models/sched_model.h"

/* The parts are rounded, and still sum to the whole. */
static void sum_span(struct sched_sums *s)
{
	s->span_ns = 0;
	for (u32 i = 0; i < TASK_STATES; i++)
		s->span_ns += s->state_ns[i];
}

static struct window_track all_of(struct track *t)
{
	return (struct window_track){SUMS,     MAXIMA,	  (u64 *)&t->now, (u64 *)&t->total,
				     t->decay, t->recent, t->before};
}

void track__advance(struct track *t, const struct window_pace *p, struct sched_sums *out)
{
	const struct window_track all = all_of(t);
	u64 *const windows[WINDOWS] = {(u64 *)&out[0], (u64 *)&out[1], (u64 *)&out[2]};

	window_track__advance(&all, p, windows);
	sum_span(&out[WINDOW_DECAY]);
}

void track__merge(struct track *to, const struct track *from)
{
	const struct window_track a = all_of(to), b = all_of((struct track *)from);

	window_track__merge(&a, &b);
}

void hist_track__advance(struct hist_track *t, const struct window_pace *p,
			 struct sched_hist out[WINDOWS][SCHED_HISTS], enum sched_hist_kind kind)
{
	for (u32 i = 0; i < HIST_BUCKETS; i++) {
		t->decay.n[i] = window__decay(t->decay.n[i], p->keep, t->now.n[i]);
		t->total.n[i] += t->now.n[i];
	}
	out[WINDOW_LAST][kind] = t->now;
	out[WINDOW_DECAY][kind] = t->decay;
	out[WINDOW_TOTAL][kind] = t->total;
	t->now = (struct sched_hist){0};
}

/* --- sparse histograms --- */

static struct sched_cell *insert_cell(struct cells *c, u32 at, u32 bucket, u32 *held)
{
	if (c->n == c->cap) {
		c->cap = MIN(c->cap ? c->cap * 2 : 4, HIST_BUCKETS);
		c->v = xrealloc(c->v, c->cap * sizeof(*c->v));
	}
	memmove(c->v + at + 1, c->v + at, (c->n - at) * sizeof(*c->v));
	c->v[at] = (struct sched_cell){.bucket = bucket};
	c->n++;
	++*held;
	return &c->v[at];
}

static struct sched_cell *find_cell(struct cells *c, u32 bucket, u32 *held)
{
	u32 at = 0;

	while (at < c->n && c->v[at].bucket < bucket)
		at++;
	if (at < c->n && c->v[at].bucket == bucket)
		return &c->v[at];
	if (!c->n || *held < SCHED_MAX_CELLS)
		return insert_cell(c, at, bucket, held);
	if (at == c->n || (at && bucket - c->v[at - 1].bucket < c->v[at].bucket - bucket))
		at--;
	return &c->v[at];
}

void cells__add(struct cells *c, u32 bucket, u64 count, u32 *held)
{
	struct sched_cell *cell = find_cell(c, bucket, held);

	cell->last = (u32)MIN(cell->last + count, UINT32_MAX);
}

struct sched_cells cells__advance(struct cells *c, const struct window_pace *p, struct arena *a)
{
	struct sched_cell *out = c->n ? arena__array(a, struct sched_cell, c->n) : NULL;

	for (u32 i = 0; i < c->n; i++) {
		struct sched_cell *cell = &c->v[i];

		cell->decay = (float)window__decay((double)cell->decay, p->keep, cell->last);
		cell->total += cell->last;
		out[i] = *cell;
		cell->last = 0;
	}
	return (struct sched_cells){out, c->n};
}

void cells__merge(struct cells *to, const struct cells *from, u32 *held)
{
	for (u32 i = 0; i < from->n; i++) {
		const struct sched_cell *add = &from->v[i];
		struct sched_cell *cell = find_cell(to, add->bucket, held);

		cell->last = (u32)MIN((u64)cell->last + add->last, UINT32_MAX);
		cell->decay += add->decay;
		cell->total += add->total;
	}
}

void cells__merge_into(const struct cells *c, struct hist_track *to)
{
	for (u32 i = 0; i < c->n; i++) {
		const struct sched_cell *cell = &c->v[i];

		to->now.n[cell->bucket] += cell->last;
		to->decay.n[cell->bucket] += (double)cell->decay;
		to->total.n[cell->bucket] += (double)cell->total;
	}
}

void cells__fini(struct cells *c, u32 *held)
{
	*held -= c->n;
	free(c->v);
	*c = (struct cells){0};
}
