/* SPDX-License-Identifier: GPL-2.0-only */
/* Events that are counted, and what all others add to cells by. Of bpf/question.bpf.c. */
#ifndef BPF_QUESTION_COUNTS_BPF_H
#define BPF_QUESTION_COUNTS_BPF_H

struct run {
	void *ctx;
	const volatile struct question_slot *slot;
	struct task_struct *task;
	struct measure_task *t; /* NULL: there is no memory; it is counted in the rest then */
	struct measure_stats *st;
	struct question_frame *frame;
	struct question_made *made;
};

/* What is below 0 is counted apart: see MEASURE_ZERO. */
static __always_inline void cell__add_signed(struct measure_cell *c, s64 value, u32 bucket)
{
	u64 from_zero = (u64)value + MEASURE_ZERO;

	if (!c->count || from_zero < c->min)
		c->min = from_zero;
	if (from_zero > c->max)
		c->max = from_zero;
	cell__add_to(&c->count, 1);
	if (value < 0)
		cell__add_to(&c->sums[0], -(u64)value);
	else
		cell__add_to(&c->sum, value);
	cell__add_to(&c->hist[bucket & (MEASURE_BUCKETS - 1)], 1);
}

/* A global function, as value__bucket() is. */
__noinline u32 signed_bucket(s64 value)
{
	u32 half = MEASURE_BUCKETS / 2;

	if (value < 0)
		return half - 1 - loglin__bucket(-(value + 1), MEASURE_SIGNED_SHIFT, half);
	return half + loglin__bucket(value, MEASURE_SIGNED_SHIFT, half);
}

/* Where there is no room for the stack it is of none. */
static __always_inline void cell__keep_signed(struct measure_cell *c, s64 value)
{
	c->last_stack = MEASURE_NO_STACK;
	c->unsampled++;
	if (value < 0)
		c->unsampled_sums[0] -= value;
	else
		c->unsampled_sum += value;
}

static __always_inline void cell__add_signed_stack(const struct run *r, struct measure_cell *c, const u64 *labels,
						   u32 half, u64 stack, u64 value, u32 bucket)
{
	struct measure_cell *of;
	u32 at;

	of = cell__find(r->task, half, labels, stack ? stack : MEASURE_NO_STACK, room_for_stacks(), &at);
	if (of)
		cell__add_signed(of, value, bucket);
	else
		cell__keep_signed(c, value);
}

/* Each has its stack: what is asked for is exact. */
static __always_inline void cell__add_own_stack(const struct run *r, struct measure_cell *c,
					      const u64 *labels, u64 value, u32 bucket)
{
	struct measure_span s = {.task = r->task, .labels = labels};
	u32 half = active & 1;
	u64 stack;

	if (!MEASURE_STACKS)
		return;
	stack = stack__capture(r->ctx, STACK_SLOT_TRACE, r->slot->stack, 0, bpf_ktime_get_ns());
	if (r->slot->is_signed)
		cell__add_signed_stack(r, c, labels, half, stack, value, bucket);
	else
		cell__add_stack(c, &s, half | SPAN_ALONE, stack, value);
}

/* Without a value nothing but the number is of interest. */
static __always_inline void cell__add_value(const struct run *r, struct measure_cell *c, u64 value,
					    u32 bucket)
{
	if (r->slot->is_signed)
		cell__add_signed(c, value, bucket);
	else if (r->slot->nvalues)
		cell__add(c, value, bucket, false);
	else
		cell__add_to(&c->count, 1);
}

static __always_inline void count(const struct run *r, const u64 *labels, u64 value)
{
	u32 half = active & 1, bucket = 0;
	struct measure_cell *c = NULL;

	r->st->count++;
	if (r->slot->is_signed)
		bucket = signed_bucket(value);
	else if (r->slot->nvalues)
		bucket = value__bucket(value);
	if (r->t)
		c = cell__find_again(&r->t->last, r->task, half, labels);
	if (!c) {
		c = cell__elsewhere(labels, half, r->st);
		if (c)
			cell__add_value(r, c, value, bucket);
		return;
	}
	cell__add_value(r, c, value, bucket);
	if (r->slot->alone)
		cell__remember(r->task, half, labels[0], r->t->last.at);
	if (r->slot->stack)
		cell__add_own_stack(r, c, labels, value, bucket);
}

static __always_inline bool evaluate(const struct run *r)
{
	return frame__evaluate(r->ctx, r->frame, r->slot, r->task, r->st);
}

static __always_inline u64 slot__label(void *ctx, const volatile struct question_slot *s)
{
	u64 event = s->cookies ? bpf_get_attach_cookie(ctx) : s->event;

	return s->by_cpu ? event | (u64)bpf_get_smp_processor_id() << QUESTION_EVENT_BITS : event;
}

/* What most events that are only counted come to, so that it is first; false: it has not been counted. */
static __always_inline bool question__count_again(void *ctx, u32 slot)
{
	struct measure_stats *st;
	struct measure_cell *c;
	u64 began;

	if (!slots[slot].alone)
		return false;
	c = cell__again(slot__label(ctx, &slots[slot]));
	st = c ? stats__get() : NULL;
	if (!st)
		return false;
	began = run__begin_rarely(st);
	st->count++;
	c->count++;
	run__end(st, began);
	return true;
}

static __always_inline void run__count(const struct run *r)
{
	u64 *labels = r->made->labels;

	if (!r->slot->plain && !evaluate(r))
		return;
	frame__labels(r->frame, r->slot, r->t ? r->t->last.labels : NULL, event_of(r->ctx, r->frame, r->slot), labels);
	count(r, labels, r->slot->nvalues ? r->frame->values[0] : 0);
}

#endif
