/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The engine of measures, kernel side: counts by key and spans from begin to end. A program
 * includes this once; maps, filters and upkeep below are then its own, and sources/measure.c
 * finds them by their names.
 *
 * A span of the thread itself (one at a time, such as a system call):
 *
 *	struct measure_task *t = measure__task(task);	NULL: out of scope
 *	t->begin_ns = ...; t->labels[0] = ...;		at its begin
 *	measure__end(ctx, &span, ...);			at its end
 *
 * An event that is counted, in the context of the task that it is of:
 *
 *	measure__count(ctx, task, t, labels, value, failed, st);
 *
 * One cell belongs to one thread and programs on events of the thread itself count in it, so
 * nothing is atomic but taking a free cell.
 */
#ifndef BPF_MEASURE_BPF_H
#define BPF_MEASURE_BPF_H

#include "bpf/measure_cells.bpf.h"

/* --- stacks ---
 *
 * What took long has its own stack. Of the others one stands for all since the last one of its
 * cell: the first ones each, then fewer and fewer. So sums by stack are those of the cells, shares
 * are right, and the cost is bounded. Once there is no room for cells of stacks, the last one stands for
 * all that have none: which one that is, is a matter of chance, the same for each. */
#define STACK_LONG_NS	50000
#define STACK_EVERY_MAX 512
/* Of a cell that has counted n, one in n >> this has a stack: as each stands for that many, shares of a cell's
 * stacks are as good as those of twice 1 << this that are drawn: 4 points off 70 %. */
#ifndef STACK_EVERY_SHIFT
#define STACK_EVERY_SHIFT 6
#endif

/* Of spans whose stacks cost about as much as they last (measure_span.dear): which have their own, and how many of
 * the others: the first 8 of a cell, 16 of 60, 26 of 500 in an interval. */
#define STACK_DEAR_LONG_NS 1000000
#define STACK_DEAR_SHIFT   2

/* One in `every` on average, by chance, so that it falls in step with no loop. n: how many there were since the
 * last one, with this. */
static __always_inline bool stack__is_drawn(u32 n, u32 every)
{
	return every < 2 || (n >= every / 2 && bpf_get_prandom_u32() % every < 2);
}

static __always_inline u32 stack__every(const struct measure_cell *c, u32 least)
{
	u64 every = c->count >> STACK_EVERY_SHIFT;

	if (every < least)
		return least;
	return every < STACK_EVERY_MAX ? every : STACK_EVERY_MAX;
}

static __always_inline bool stack__is_due(const struct measure_cell *c, u32 half, u64 ns)
{
	u32 n = c->unsampled + 1, every = stack__every(c, 0);

	if (ns >= STACK_LONG_NS)
		return true;
	if (cells__are_scarce(half))
		return n >= every && !(bpf_get_prandom_u32() % n);
	return stack__is_drawn(n, every);
}

/* Of what many threads of one name did: as its stacks are many threads', each has a cell of its own. */
#define STACK_EVERY_MANY 16

static __always_inline bool stack__is_due_of_many(const struct measure_cell *c)
{
	return stack__is_drawn(c->unsampled + 1, stack__every(c, STACK_EVERY_MANY));
}

struct measure_span {
	struct task_struct *task;
	struct measure_task *of; /* the task's */
	struct measure_last *last; /* where MEASURE_IN_INTERRUPTS: the cell that such a one was counted in */
	u64 begin_ns, now;
	const u64 *labels;
	s64 result;
	bool error;
	bool dear; /* STACK_DEAR_x holds */
	u32 class;
	u32 stack; /* STACK_USER, STACK_KERNEL: what is sampled; 0: none is */
	bool stack_wanted; /* whether it is due or not */
	bool seldom; /* of what is not wanted and not slow one in 64 has a stack, where there are many one in 512 */
	bool alone; /* what interrupts its program counts in other cells of the thread */
	u8 slot; /* of scratch: 0: STACK_SLOT_TRACE; programs that interrupt each other have their own */
	u64 sums[MEASURE_SPAN_SUMS]; /* what it adds to the declaration's sums */
};

#define SELDOM_MANY 1024 /* of a cell in an interval */

/* How a span is counted, beside the half in bit 0. */
enum {
	SPAN_ALONE = 1 << 1,   /* its stack stands for it only; else for all since the last */
	SPAN_OF_MANY = 1 << 2, /* its cell is of many threads */
	SPAN_DEAR = 1 << 3,
	SPAN_SELDOM = 1 << 4,
	SPAN_CLASS = 1 << 5, /* of slow ones, 1; else 0 */
	SPAN_WANTED = 1 << 6, /* it has a stack */
	SPAN_SLOW = 1 << 7,  /* to be reported */
};

static __always_inline u32 span__how(const struct measure_span *s, u32 half, bool many)
{
	return half | (many ? SPAN_OF_MANY : 0) | (s->dear ? SPAN_DEAR : 0) | (s->seldom ? SPAN_SELDOM : 0) |
	       (s->class & 1 ? SPAN_CLASS : 0) | (s->stack_wanted ? SPAN_WANTED : 0);
}

static __always_inline bool span__is_due(const struct measure_cell *c, u32 how, u64 ns, u64 now)
{
	if (how & SPAN_OF_MANY)
		return stack__is_due_of_many(c);
	if (how & SPAN_DEAR)
		return (how & SPAN_ALONE) || stack__is_drawn(c->unsampled + 1, c->count >> STACK_DEAR_SHIFT);
	/* By the clock: which runs are timed is by their count. */
	if (how & SPAN_SELDOM)
		return !(now >> 6 & (c->count < SELDOM_MANY ? 63 : 511));
	return stack__is_due(c, how & 1, ns);
}

/* What no stack stands for yet. */
static __always_inline void cell__keep(struct measure_cell *c, u64 ns, const u64 *sums)
{
	c->unsampled++;
	c->unsampled_sum += ns;
	for (int i = 0; i < MEASURE_SPAN_SUMS; i++)
		c->unsampled_sums[i] += sums[i];
}

/* A sum of what was counted in a cell by measure__count_ended. */
static __always_inline void cell__add_sum(struct measure_cell *c, u32 i, u64 n)
{
	cell__add_to(&c->sums[i], n);
	c->unsampled_sums[i] += n;
}

/* Without branches: they would be more paths for the verifier. */
static __always_inline void cell__add_sums(struct measure_cell *c, const u64 *sums, bool atomic)
{
	for (int i = 0; i < MEASURE_SPAN_SUMS; i++)
		cell__add_as(atomic, &c->sums[i], sums[i]);
}

/* A function of its own, so that its stack is not beside that of walks. */
static __noinline void cell__add_stack(struct measure_cell *c, const struct measure_span *s, u32 how,
				       u64 stack, u64 ns)
{
	u64 n = 1, sum = ns, sums[MEASURE_SPAN_SUMS];
	u32 bucket = value__bucket(ns), at;
	struct measure_cell *of;

	stack = stack ? stack : MEASURE_NO_STACK;
	for (int i = 0; i < MEASURE_SPAN_SUMS; i++)
		sums[i] = s->sums[i];
	of = cell__find(s->task, how & 1, s->labels, stack,
			how & SPAN_OF_MANY ? room_for_many() : room_for_stacks(), &at);
	c->last_stack = stack;
	c->last_tgid = s->task->tgid;
	if (!of) {
		/* Stands for nothing then: what is unsampled goes to whatever is taken next, if it may stand for others. */
		if (how & SPAN_ALONE)
			c->last_stack = MEASURE_NO_STACK;
		cell__keep(c, ns, sums);
		return;
	}
	if (!(how & SPAN_ALONE)) {
		n += c->unsampled;
		sum += c->unsampled_sum;
		c->unsampled = c->unsampled_sum = 0;
		for (int i = 0; i < MEASURE_SPAN_SUMS; i++) {
			sums[i] += c->unsampled_sums[i];
			c->unsampled_sums[i] = 0;
		}
	}
	for (int i = 0; i < MEASURE_SPAN_SUMS; i++)
		cell__add_to(&of->sums[i], sums[i]);
	if (!of->count || ns < of->min)
		of->min = ns;
	if (ns > of->max)
		of->max = ns;
	cell__add_to(&of->count, n);
	cell__add_to(&of->sum, sum);
	cell__add_to(&of->errors, s->error ? n : 0);
	cell__add_to(&of->hist[bucket & (MEASURE_BUCKETS - 1)], n);
}

/* --- slow ones --- */

PERCPU_MAP(slow_scratch, STACK_SLOTS, struct measure_slow);

volatile u64 slow_ns[MEASURE_CLASSES];
volatile u32 nslow[MEASURE_CLASSES];

static __always_inline bool span__is_slow(u32 class, u64 ns)
{
	class &= 1;
	return slow__is_due(&slow_ns[class], &nslow[class], MEASURE_SLOW_MAX, ns);
}

/* Once counted: what of SPAN_ALONE, _WANTED and _SLOW it is. Global, so that whatever is decided here leads on by
 * one path and not by one for each. */
__noinline u32 span__judged(const struct measure_cell *c, u32 how, u64 ns, u64 now)
{
	if (!c)
		return how;
	if (ns >= (how & SPAN_DEAR ? STACK_DEAR_LONG_NS : STACK_LONG_NS))
		how |= SPAN_ALONE;
	if (span__is_slow(!!(how & SPAN_CLASS), ns))
		how |= SPAN_SLOW | SPAN_WANTED;
	if (span__is_due(c, how, ns, now))
		how |= SPAN_WANTED;
	return c->id ? how : how & ~SPAN_WANTED;
}

/* NULL: not to be had. The caller fills args, texts and sends it. */
static __always_inline struct measure_slow *slow__begin(const struct measure_span *s, u64 stack)
{
	u32 slot = s->slot;
	struct measure_slow *r = bpf_map_lookup_elem(&slow_scratch, &slot);

	if (!r)
		return NULL;
	r->type = RECORD_MEASURE_SLOW;
	r->cpu = bpf_get_smp_processor_id();
	r->t_ns = s->now;
	r->ns = s->now - s->begin_ns;
	r->result = s->result;
	for (int i = 0; i < MEASURE_LABELS; i++)
		r->labels[i] = s->labels[i];
	r->stack = stack;
	who__fill(&r->who, s->task);
	for (int i = 0; i < MEASURE_TEXTS; i++) {
		r->texts[i].arg = 0xff;
		r->texts[i].text[0] = 0;
	}
	return r;
}

static __always_inline void slow__send(struct measure_slow *r, struct measure_stats *st)
{
	if (bpf_ringbuf_output(&records, r, sizeof(*r), ring_flags(false)))
		st->slow_lost++;
}

/* Of what has nothing but labels and a stack; a function of its own for its stack's sake. */
static __noinline __attribute__((unused)) int slow__report(const struct measure_span *s, u64 stack)
{
	struct measure_slow *r = slow__begin(s, stack);
	struct measure_stats *st = stats__get();

	if (r && st)
		slow__send(r, st);
	return 0;
}

/* Of what stacks are at most: without STACK_USER the verifier has no user stacks to look at. */
#if defined(STACK_NONE)
#define MEASURE_STACKS 0u
#elif !defined(MEASURE_STACKS)
#define MEASURE_STACKS (~0u)
#endif

/* --- counting --- */

volatile u64 min_ns = 0, max_ns = 0; /* which spans count; max 0: no limit */

enum measure_counted {
	MEASURE_COUNTED = 1,
	MEASURE_IS_SLOW = 2, /* and it is to be reported with the stack in *stack */
};

static __always_inline struct measure_cell *rest__get(u32 half)
{
	return bpf_map_lookup_elem(&rest, &half);
}

/* Whether labels are never lost one by one: what asks for them knows of no other. */
#ifndef MEASURE_KEPT_ALL
#define MEASURE_KEPT_ALL 0
#endif

/* Where no cell of the thread is to be had: of many threads, by all labels or the one that is always
 * known; else that of the rest, whose id is 0. */
static __noinline struct measure_cell *cell__elsewhere(const u64 *labels, u32 half, struct measure_stats *st)
{
	u32 room = MEASURE_KEPT_ALL ? cell_mask : room_for_many();
	struct measure_cell *c = cell__of_many(labels, half, room, MEASURE_LABELS_KNOWN);
	u64 kept[MEASURE_LABELS] = {};

	if (!c && !MEASURE_KEPT_ALL) {
		kept[MEASURE_KEPT] = labels[MEASURE_KEPT];
		c = cell__of_many(kept, half, cell_mask, 0);
	}
	if (c) {
		st->folded++;
		return c;
	}
	st->full++;
	return rest__get(half);
}

/* Programs that interrupt each other define MEASURE_IN_INTERRUPTS: they have no thread's storage at hand. */
static __always_inline struct measure_cell *span__cell(const struct measure_span *s, u32 half)
{
#ifdef MEASURE_IN_INTERRUPTS
	return cell__find_again(s->last, s->task, half, s->labels);
#else
	return cell__find_again(&s->of->last, s->task, half, s->labels);
#endif
}

/* Counts a span that ended; returns MEASURE_x. The cell that it went to in *to; what is added to
 * its sums afterwards is in no stack's, as span.sums are. */
static __always_inline u32 measure__end(void *ctx, const struct measure_span *s,
					struct measure_stats *st, u64 *stack,
					struct measure_cell **to)
{
	u32 half = active & 1, bucket, how;
	u64 ns = s->now - s->begin_ns;
	struct measure_cell *c;
	bool many;

	*stack = 0;
	if ((s64)ns < 0) {
		st->backward++;
		return 0;
	}
	if (ns < min_ns || (max_ns && ns > max_ns))
		return 0;
	if (!measure__moment_passes(ctx))
		return 0;
	if (!labels__pass(s->labels))
		return 0;
	bucket = value__bucket(ns);
	st->count++;
	c = span__cell(s, half);
	many = !c;
	if (many)
		c = cell__elsewhere(s->labels, half, st);
	*to = c;
	if (!c)
		return 0;
	if (MEASURE_ATOMIC && (many || !s->alone)) {
		cell__add_one(c, ns, bucket, s->error, true);
		cell__add_sums(c, s->sums, true);
	} else {
		cell__add_one(c, ns, bucket, s->error, false);
		cell__add_sums(c, s->sums, false);
	}
	how = span__judged(c, span__how(s, half, many), ns, s->now);
	if ((s->stack & MEASURE_STACKS) && (how & SPAN_WANTED)) {
		*stack = stack__capture(ctx, s->slot ? s->slot : STACK_SLOT_TRACE, s->stack & MEASURE_STACKS, 0,
					s->now);
		cell__add_stack(c, s, how, *stack, ns);
	} else if (MEASURE_STACKS) {
		cell__keep(c, ns, s->sums);
	}
	return how & SPAN_SLOW ? MEASURE_COUNTED | MEASURE_IS_SLOW : MEASURE_COUNTED;
}

/* Counts an event of the current task, with a value (0: it has none). Returns what it went to, for
 * sums of the measure's own; NULL: nothing. */
static __always_inline struct measure_cell *measure__count(void *ctx, struct task_struct *task,
						     struct measure_task *t, const u64 *labels,
						     u64 value, bool error,
						     struct measure_stats *st)
{
	struct measure_span s = {.task = task, .of = t, .labels = labels, .error = error};
	u32 half = active & 1, bucket = value__bucket(value), how;
	struct measure_cell *c;
	bool many;

	if (!measure__is_here(ctx))
		return NULL;
	if (!labels__pass(labels))
		return NULL;
	st->count++;
	c = cell__find_again(&t->last, task, half, labels);
	many = !c;
	if (many)
		c = cell__elsewhere(labels, half, st);
	if (!c)
		return NULL;
	cell__add(c, value, bucket, error);
	how = span__judged(c, span__how(&s, half, many), 0, 0);
	if (how & SPAN_WANTED) {
		s.now = bpf_ktime_get_ns();
		cell__add_stack(c, &s, how & (1 | SPAN_OF_MANY),
				stack__capture(ctx, STACK_SLOT_TRACE,
					       STACK_KERNEL | STACK_TRACED | STACK_USER, 0,
					       s.now),
				value);
	} else {
		c->unsampled++;
		c->unsampled_sum += value;
	}
	return c;
}

/* Counts what ended and is not measured by itself: `stack` (0: none) stands for it. Returns what it
 * went to; NULL: nothing. task: see cell__id. */
static __always_inline struct measure_cell *measure__count_ended(struct task_struct *task,
							   const u64 *labels, u64 ns, bool error,
							   u64 stack, struct measure_stats *st)
{
	u32 half = active & 1, at;
	struct measure_cell *c;

	if ((s64)ns < 0 || ns < min_ns || (max_ns && ns > max_ns) || !labels__pass(labels))
		return NULL;
	st->count++;
	c = cell__find(task, half, labels, 0, room_for_threads(), &at);
	if (!c)
		c = cell__elsewhere(labels, half, st);
	if (!c)
		return NULL;
	c->unsampled++;
	c->unsampled_sum += ns;
	if (stack) {
		c->last_stack = stack;
		c->last_tgid = task->tgid;
	}
	cell__add(c, ns, value__bucket(ns), error);
	return c;
}

/* --- upkeep --- */

/* The same of the thread of a visit. */
static __always_inline struct measure_task *visit__task(struct task_struct *task,
							struct measure_stats *st)
{
	struct measure_task *t = task__known(task, st);

	if (t && look_again)
		t->scope = 0;
	return t && task__watched(t, task) ? t : NULL;
}

/* Of the visit of a thread: reports the span that goes on. */
static __always_inline void visit__open(struct bpf_iter__task *ctx, struct task_struct *task,
					struct measure_task *t)
{
	struct measure_open open = {};
	u64 now = bpf_ktime_get_ns();

	if (!t->inside || now - t->begin_ns < min_ns || !labels__pass(t->labels))
		return;
	open.begin_ns = t->begin_ns;
	for (int i = 0; i < MEASURE_LABELS; i++)
		open.labels[i] = t->labels[i];
	who__fill(&open.who, task);
	bpf_seq_write(ctx->meta->seq, &open, sizeof(open));
}

/* The program for visits, of measures that do no more there. */
#define MEASURE_VISIT_OPEN                                                                         \
	SEC("iter/task") int measure_visit(struct bpf_iter__task *ctx)                             \
	{                                                                                          \
		struct task_struct *task = ctx->task;                                              \
		struct measure_task *t;                                                            \
                                                                                                   \
		t = task ? bpf_task_storage_get(&tasks, task, 0, 0) : NULL;                        \
		if (t && task__watched(t, task))                                                   \
			visit__open(ctx, task, t);                                                 \
		return 0;                                                                          \
	}

#endif
