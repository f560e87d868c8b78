// SPDX-License-Identifier: GPL-2.0-only
/* Numbers of an interval become those of the last one, the decaying window and since start. */
#include "models/sched_model.h"
#include "models/quantile.h"

HISTOGRAM_OF(sched_hist, HIST_BUCKETS, true)

/* The parts are rounded, and still sum to the whole. */
static void sum_span(struct sched_sums *s)
{
	s->span_ns = 0;
	for (u32 i = 0; i < TASK_STATES; i++)
		s->span_ns += s->state_ns[i];
}

static struct window_track all_of(struct track *t)
{
	return WINDOW_TRACK_OF(t, struct sched_sums, delay_max_ns);
}

void track__advance(struct track *t, const struct window_pace *p, struct sched_sums *out)
{
	const struct window_track all = all_of(t);

	window_track__advance(&all, p, (u64 *)out);
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

void hist_track__add(struct hist_track *to, const struct cells *c)
{
	for (u32 i = 0; i < c->n; i++) {
		const struct hist_cell *cell = &c->v[i];

		to->now.n[cell->bucket] += cell->last;
		to->decay.n[cell->bucket] += (double)cell->decay;
		to->total.n[cell->bucket] += (double)cell->total;
	}
}
