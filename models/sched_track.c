// SPDX-License-Identifier: GPL-2.0-only
/* Numbers of an interval become those of the last one, the decaying window and since start. */
#include <math.h>

#include "models/sched_model.h"

/* Less than this of anything has decayed: it would only cost time on the way to 0. */
#define DECAYED 1e-3

/* All its members are u64. */
static u64 *fields(struct sched_sums *s)
{
	return (u64 *)s;
}

static const u64 *const_fields(const struct sched_sums *s)
{
	return (const u64 *)s;
}

static double decay(double v, double keep, double now)
{
	v = v * keep + now;
	return v < DECAYED ? 0 : v;
}

/* The parts are rounded, and still sum to the whole. */
static void sum_span(struct sched_sums *s)
{
	s->span_ns = 0;
	for (u32 i = 0; i < TASK_STATES; i++)
		s->span_ns += s->state_ns[i];
}

static void fade(u64 *recent, u64 *before, u32 rotations)
{
	if (!rotations)
		return;
	*before = rotations == 1 ? *recent : 0;
	*recent = 0;
}

void track__advance(struct track *t, const struct sched_pace *p, struct sched_sums *out)
{
	const u64 *now = const_fields(&t->now);
	u64 *decayed = fields(&out[WINDOW_DECAY]);

	for (u32 i = 0; i < SUMS; i++) {
		t->decay[i] = decay(t->decay[i], p->keep, (double)now[i]);
		decayed[i] = (u64)(t->decay[i] + 0.5);
	}
	for (u32 i = 0; i < MAXIMA; i++) {
		fade(&t->recent[i], &t->before[i], p->rotations);
		t->recent[i] = MAX(t->recent[i], now[SUMS + i]);
		decayed[SUMS + i] = MAX(t->recent[i], t->before[i]);
	}
	sched_sums__add(&t->total, &t->now);
	sum_span(&out[WINDOW_DECAY]);
	out[WINDOW_LAST] = t->now;
	out[WINDOW_TOTAL] = t->total;
	t->now = (struct sched_sums){0};
}

void track__merge(struct track *to, const struct track *from)
{
	sched_sums__add(&to->now, &from->now);
	sched_sums__add(&to->total, &from->total);
	for (u32 i = 0; i < SUMS; i++)
		to->decay[i] += from->decay[i];
	for (u32 i = 0; i < MAXIMA; i++) {
		to->recent[i] = MAX(to->recent[i], from->recent[i]);
		to->before[i] = MAX(to->before[i], from->before[i]);
	}
}

void hist_track__advance(struct hist_track *t, const struct sched_pace *p,
			 struct sched_hist out[WINDOWS][SCHED_HISTS], enum sched_hist_kind kind)
{
	for (u32 i = 0; i < HIST_BUCKETS; i++) {
		t->decay.n[i] = decay(t->decay.n[i], p->keep, t->now.n[i]);
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

struct sched_cells cells__advance(struct cells *c, const struct sched_pace *p, struct arena *a)
{
	struct sched_cell *out = c->n ? arena__array(a, struct sched_cell, c->n) : NULL;

	for (u32 i = 0; i < c->n; i++) {
		struct sched_cell *cell = &c->v[i];

		cell->decay = (float)decay((double)cell->decay, p->keep, cell->last);
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
