// SPDX-License-Identifier: GPL-2.0-only
/* Sums and histograms of durations: adding up and quantiles. */
#include "models/quantile.h"
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

void sched_hist__merge(struct sched_hist *to, const struct sched_hist *from)
{
	for (u32 i = 0; i < HIST_BUCKETS; i++)
		to->n[i] += from->n[i];
}

u64 sched_hist__lo(u32 bucket)
{
	return hist__lo(bucket);
}

static struct histogram histogram_of(const struct sched_hist *h)
{
	return (struct histogram){h->n, HIST_BUCKETS, sched_hist__lo, 0, UINT64_MAX, 0};
}

double sched_hist__count(const struct sched_hist *h)
{
	const struct histogram of = histogram_of(h);

	return histogram__count(&of);
}

u64 sched_hist__quantile(const struct sched_hist *h, double q, u64 max_ns)
{
	const struct histogram of = histogram_of(h);
	u64 v = histogram__quantile(&of, q);

	return MIN(v, max_ns);
}

struct value sched_hist__value(const struct sched_hist *h, struct arena *a)
{
	const struct histogram of = histogram_of(h);

	return histogram__value(&of, true, a);
}
