// SPDX-License-Identifier: GPL-2.0-only
/* Sums and histograms of durations: adding up and quantiles. */
#include "core/arena.h"
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
	u64 lo, hi = 0;

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
	return MIN(hi, max_ns);
}

/* --- as a value --- */

static void bucket_member(const void *of, u32 i, struct value_part *out)
{
	const struct sched_bucket *b = of;
	const struct value_part parts[] = {
		{"lo_ns", {.type = VALUE_NS, .u = b->lo_ns}},
		{"hi_ns", {.type = VALUE_NS, .u = b->hi_ns}},
		{"count", {.type = VALUE_COUNT, .u = b->count}},
	};

	*out = parts[i];
}

static void bucket_item(const void *of, u32 i, struct value_part *out)
{
	const struct sched_bucket *b = of;

	out->value = (struct value){.type = VALUE_OBJECT, .n = 3};
	out->value.of = &b[i];
	out->value.part = bucket_member;
}

struct value sched_hist__value(const struct sched_hist *h, struct arena *a)
{
	struct value v = {.type = VALUE_LIST};
	struct sched_bucket *b;
	u32 first = 0, end = HIST_BUCKETS;

	while (first < end && !(h->n[first] > 0))
		first++;
	while (end > first && !(h->n[end - 1] > 0))
		end--;
	b = arena__array(a, struct sched_bucket, end - first);
	for (u32 i = first; i < end; i++)
		b[i - first] =
			(struct sched_bucket){hist__lo(i), hist__lo(i + 1), (u64)(h->n[i] + 0.5)};
	v.n = end - first;
	v.of = b;
	v.part = bucket_item;
	return v;
}
