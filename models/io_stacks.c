// SPDX-License-Identifier: GPL-2.0-only
/* Where requests come from: sampled ones added up by process and stack, within a bound. */
#include <math.h>

#include "models/io_result.h"
#include "models/io_who.h"
#include "models/io_model.h"
#include "models/task_text.h"

static u64 hash_of(const void *key)
{
	const struct io_live_stack *l = key;
	const struct io_who *w = &l->is.who;
	u64 h = mix64_pair(mix64_pair(io_device__id(&w->device), w->tgid),
			   (u64)l->stack << 2 | w->kthread << 1 | w->writeback);

	return mix64_pair(mix64_pair(h, w->cgroup), hash_bytes(w->comm, strlen(w->comm)));
}

static bool is_same(const void *p, const void *q)
{
	const struct io_live_stack *x = p, *y = q;
	const struct io_who *a = &x->is.who, *b = &y->is.who;

	return io_device__id(&a->device) == io_device__id(&b->device) && a->tgid == b->tgid && x->stack == y->stack &&
	       a->kthread == b->kthread && a->writeback == b->writeback && a->cgroup == b->cgroup &&
	       !strcmp(a->comm, b->comm);
}

static void sums__add(struct io_stack_sums *to, const struct io_stack_sums *from)
{
	for (u32 i = 0; i < IO_WEIGHTS; i++) {
		to->n[i] += from->n[i];
		to->spread[i] += from->spread[i];
	}
}

static void merge(void *to, void *from)
{
	struct io_live_stack *a = to, *b = from;

	sums__add(&a->now, &b->now);
	sums__add(&a->decay, &b->decay);
	sums__add(&a->total, &b->total);
}

static double heat_of(const void *live_stack)
{
	const struct io_live_stack *l = live_stack;

	return l->decay.n[IO_WEIGHT_COUNT] + l->now.n[IO_WEIGHT_COUNT];
}

/* What the coldest lose; each includes the one before it. */
enum fold { FOLD_STACK, FOLD_WHO, FOLDS };

static void fold(void *live_stack, u32 how)
{
	struct io_live_stack *l = live_stack;

	l->stack = NO_STACK;
	if (how == FOLD_WHO)
		l->is = (struct io_stack){.who.comm = "[others]", .who.device.host = l->is.who.device.host};
}

const struct entries_kind io_stack_kind = {
	.size = sizeof(struct io_live_stack),
	.key_size = offsetof(struct io_live_stack, now),
	.steps = FOLDS,
	.hash = hash_of,
	.same = is_same,
	.fold = fold,
	.heat = heat_of,
	.merge = merge,
};

/* --- in and out --- */

/* One of w was taken with a probability of 1/w: that adds w * (w - 1) squares to the variance. */
static struct io_stack_sums sums_of(const struct io_stack_sample *x)
{
	const double w = x->weight, each[IO_WEIGHTS] = {1, x->bytes, (double)x->total_ns};
	struct io_stack_sums out;

	for (u32 i = 0; i < IO_WEIGHTS; i++) {
		out.n[i] = w * each[i];
		out.spread[i] = w * (w - 1) * each[i] * each[i];
	}
	return out;
}

void io_stacks__add(struct entries *e, const struct io_stack_sample *x, u32 stack)
{
	const struct io_live_stack key = {.is.who = x->who, .stack = stack};
	const struct io_stack_sums sums = sums_of(x);

	sums__add(&((struct io_live_stack *)entries__get(e, &key))->now, &sums);
}

void io_stacks__move(struct entries *e, struct stacks *to, const struct stacks *from)
{
	for (u32 i = 0; i < e->n; i++) {
		struct io_live_stack *l = entries__at(e, i);

		l->stack = stacks__move(to, from, l->stack);
	}
	entries__rekey(e);
}

static void advance(struct io_live_stack *l, double keep, struct io_stack_sums out[WINDOWS])
{
	for (u32 i = 0; i < IO_WEIGHTS; i++) {
		l->decay.n[i] = window__decay(l->decay.n[i], keep, l->now.n[i]);
		/* What a sum keeps of itself its variance keeps of that. */
		l->decay.spread[i] =
			window__decay(l->decay.spread[i], keep * keep, l->now.spread[i]);
	}
	sums__add(&l->total, &l->now);
	out[WINDOW_LAST] = l->now;
	out[WINDOW_DECAY] = l->decay;
	out[WINDOW_TOTAL] = l->total;
	l->now = (struct io_stack_sums){0};
}

void io_stacks__snap(struct entries *e, double keep, const struct stacks *stacks,
		     struct io_snap *snap, struct arena *a)
{
	struct io_stack *out = arena__array(a, struct io_stack, e->n);

	for (u32 i = 0; i < e->n; i++) {
		struct io_live_stack *l = entries__at(e, i);

		out[i] = l->is;
		out[i].stack = stacks__at(stacks, l->stack);
		advance(l, keep, out[i].sums);
	}
	snap->stacks = out;
	snap->nstacks = e->n;
}

/* --- queries --- */

bool io_stack__passes(const struct io_stack *s, const struct io_query *q, const struct scope *scope)
{
	return (!q->by_dev || io__of_device(&s->who.device, q->dev)) && io_who__passes(&s->who, 0, scope);
}

double io__stacks_error(const struct io_snap *snap, const struct io_query *q,
			const struct scope *scope)
{
	double sum = 0, spread = 0;

	for (u32 i = 0; i < snap->nstacks; i++) {
		const struct io_stack *s = &snap->stacks[i];

		if (!io_stack__passes(s, q, scope))
			continue;
		sum += s->sums[q->window].n[q->weight];
		spread += s->sums[q->window].spread[q->weight];
	}
	/* Of a share of a half, which is the least certain; twice its deviation. */
	return sum > 0 ? MIN(100 * sqrt(spread) / sum, 100) : 0;
}
