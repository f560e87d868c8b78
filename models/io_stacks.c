// SPDX-License-Identifier: GPL-2.0-only
/* Where requests come from: sampled ones added up by process and stack, within a bound. */
#include <math.h>

#include "models/io_result.h"
#include "models/io_model.h"
#include "models/task_text.h"

static u64 hash_of(const struct io_live_stack *l)
{
	const struct io_stack *is = &l->is;
	u64 h = mix64_pair((u64)is->dev << 32 | is->tgid,
			   (u64)l->stack << 2 | is->kthread << 1 | is->writeback);

	return mix64_pair(mix64_pair(h, is->cgroup), hash_bytes(is->comm, strlen(is->comm)));
}

static bool is_same(const struct io_live_stack *x, const struct io_live_stack *y)
{
	const struct io_stack *a = &x->is, *b = &y->is;

	return a->dev == b->dev && a->tgid == b->tgid && x->stack == y->stack &&
	       a->kthread == b->kthread && a->writeback == b->writeback && a->cgroup == b->cgroup &&
	       !strcmp(a->comm, b->comm);
}

static struct io_live_stack *entry_of(struct io_stacks *s, const struct io_live_stack *key)
{
	u64 h = hash_of(key);
	u32 at;

	HIDX_FIND(at, &s->index, h, pos, is_same(&s->v[pos], key));
	if (at != HIDX_NONE)
		return &s->v[at];
	s->v = xgrow(s->v, s->n, &s->cap, sizeof(*s->v));
	s->v[s->n] = (struct io_live_stack){.is = key->is, .stack = key->stack};
	hidx__add(&s->index, h, s->n);
	return &s->v[s->n++];
}

static void sums__add(struct io_stack_sums *to, const struct io_stack_sums *from)
{
	for (u32 i = 0; i < IO_WEIGHTS; i++) {
		to->n[i] += from->n[i];
		to->spread[i] += from->spread[i];
	}
}

/* --- bounds --- */

/* What the coldest lose; each includes the one before it. */
enum fold { FOLD_STACK, FOLD_WHO, FOLDS };

/* Takes all out; they are put back one by one. */
static struct io_live_stack *take(struct io_stacks *s, u32 *n)
{
	struct io_live_stack *old = s->v;

	*n = s->n;
	*s = (struct io_stacks){.index = s->index};
	hidx__clear(&s->index);
	return old;
}

static void put_back(struct io_stacks *s, const struct io_live_stack *old)
{
	struct io_live_stack *to = entry_of(s, old);

	sums__add(&to->now, &old->now);
	sums__add(&to->decay, &old->decay);
	sums__add(&to->total, &old->total);
}

static double heat_of(void *live_stack)
{
	const struct io_live_stack *l = live_stack;

	return l->decay.n[IO_WEIGHT_COUNT] + l->now.n[IO_WEIGHT_COUNT];
}

static void fold_coldest(struct io_stacks *s, enum fold how)
{
	u32 n;
	struct io_live_stack *old = take(s, &n);
	bool *cold = heat__coldest_half(old, n, sizeof(*old), heat_of);

	for (u32 i = 0; i < n; i++) {
		if (cold[i])
			old[i].stack = NO_STACK;
		if (cold[i] && how == FOLD_WHO)
			old[i].is = (struct io_stack){.comm = "[others]"};
		put_back(s, &old[i]);
	}
	free(old);
	free(cold);
}

void io_stacks__shed(struct io_stacks *s)
{
	fold_coldest(s, FOLD_STACK);
}

static void make_room(struct io_stacks *s)
{
	for (enum fold how = FOLD_STACK; how < FOLDS && s->n > IO_MAX_STACKS / 4 * 3; how++)
		fold_coldest(s, how);
}

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

void io_stacks__add(struct io_stacks *s, const struct io_stack_sample *x, u32 stack)
{
	struct io_live_stack key = {.is = {.dev = x->device.dev,
					   .disk = x->device.disk,
					   .tgid = x->tgid,
					   .kthread = x->kthread,
					   .writeback = x->writeback,
					   .cgroup = x->cgroup},
				    .stack = stack};
	const struct io_stack_sums sums = sums_of(x);

	copy_str(key.is.comm, sizeof(key.is.comm), x->comm);
	if (s->n >= IO_MAX_STACKS)
		make_room(s);
	sums__add(&entry_of(s, &key)->now, &sums);
}

void io_stacks__move(struct io_stacks *s, struct stacks *to, const struct stacks *from)
{
	u32 n;
	struct io_live_stack *old = take(s, &n);

	for (u32 i = 0; i < n; i++) {
		old[i].stack = stacks__move(to, from, old[i].stack);
		put_back(s, &old[i]);
	}
	free(old);
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

void io_stacks__snap(struct io_stacks *s, double keep, const struct stacks *stacks,
		     struct io_snap *snap, struct arena *a)
{
	struct io_stack *out = arena__array(a, struct io_stack, s->n);

	for (u32 i = 0; i < s->n; i++) {
		out[i] = s->v[i].is;
		out[i].stack = stacks__at(stacks, s->v[i].stack);
		advance(&s->v[i], keep, out[i].sums);
	}
	snap->stacks = out;
	snap->nstacks = s->n;
}

void io_stacks__clear(struct io_stacks *s)
{
	s->n = 0;
	hidx__clear(&s->index);
}

void io_stacks__fini(struct io_stacks *s)
{
	free(s->v);
	hidx__fini(&s->index);
}

size_t io_stacks__bytes(const struct io_stacks *s)
{
	return s->cap * sizeof(*s->v) + hidx__bytes(&s->index);
}

/* --- queries --- */

bool io_stack__passes(const struct io_stack *s, const struct io_query *q, const struct scope *scope)
{
	if (q->by_dev && s->dev != q->dev && s->disk != q->dev)
		return false;
	return task__passes(scope, s->tgid, 0, s->cgroup, s->comm);
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
