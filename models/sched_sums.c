// SPDX-License-Identifier: GPL-2.0-only
/* Sums and histograms of durations: adding up and quantiles. */
#include "base/arena.h"
#include "models/bucket_list.h"
#include "models/sched.h"

void sched_sums__add(struct sched_sums *to, const struct sched_sums *from)
{
	to->span_ns += from->span_ns;
	for (u32 i = 0; i < TASK_STATES; i++)
		to->state_ns[i] += from->state_ns[i];
	to->runs += from->runs;
	to->voluntary += from->voluntary;
	to->preempted += from->preempted;
	to->migrations += from->migrations;
	to->delays += from->delays;
	to->delay_ns += from->delay_ns;
	to->delay_max_ns = MAX(to->delay_max_ns, from->delay_max_ns);
	to->run_max_ns = MAX(to->run_max_ns, from->run_max_ns);
}

static double cell_count(const struct sched_cell *c, enum profile_window w)
{
	if (w == WINDOW_LAST)
		return c->last;
	return w == WINDOW_DECAY ? (double)c->decay : (double)c->total;
}

void sched_hist__add(struct sched_hist *h, const struct sched_cells *c, enum profile_window w)
{
	for (u32 i = 0; i < c->n; i++)
		h->n[c->v[i].bucket] += cell_count(&c->v[i], w);
}

void sched_hist__merge(struct sched_hist *to, const struct sched_hist *from)
{
	for (u32 i = 0; i < HIST_BUCKETS; i++)
		to->n[i] += from->n[i];
}

double sched_hist__count(const struct sched_hist *h)
{
	double n = 0;

	for (u32 i = 0; i < HIST_BUCKETS; i++)
		n += h->n[i];
	return n;
}

u64 sched_hist__quantile(const struct sched_hist *h, double q, u64 max_ns)
{
	double rank = q * sched_hist__count(h), below = 0;
	u64 lo = 0, hi = 0;

	for (u32 i = 0; i < HIST_BUCKETS; i++) {
		if (!(h->n[i] > 0))
			continue;
		lo = hist__lo(i);
		hi = hist__lo(i + 1);
		if (below + h->n[i] >= rank) {
			hi = lo + (u64)((double)(hi - lo) * (rank - below) / h->n[i]);
			break;
		}
		below += h->n[i];
	}
	return MIN(hi, MAX(max_ns, lo));
}

/* --- as a value --- */

struct value sched_hist__value(const struct sched_hist *h, struct arena *a)
{
	struct bucket_item *b;
	u32 first = 0, end = HIST_BUCKETS;

	while (first < end && !(h->n[first] > 0))
		first++;
	while (end > first && !(h->n[end - 1] > 0))
		end--;
	b = arena__array(a, struct bucket_item, end - first);
	for (u32 i = first; i < end; i++)
		b[i - first] =
			(struct bucket_item){hist__lo(i), hist__lo(i + 1), (u64)(h->n[i] + 0.5)};
	return bucket_list__value(b, end - first);
}
