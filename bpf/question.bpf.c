// SPDX-License-Identifier: GPL-2.0-only
/*
 * Questions that are asked at run time: any event is counted, begins or ends a span, or is sent as
 * a line. Its condition, keys and values are code that user space makes and puts into
 * question__eval() before the programs are loaded (questions/generate.h).
 *
 * bpf/question_count.bpf.c and bpf/question_span.bpf.c are this with only what counts and spans need: half the
 * instructions, which the verifier is the faster for.
 *
 * Events of any kind may interrupt each other on a thread, so cells are added to atomically, and
 * a frame for the code is taken from a few per CPU.
 */
#define MEASURE_ATOMIC
#define MEASURE_KEPT_ALL
#define STACK_OWN_SLOTS 1 /* bpf/question_log.bpf.h */
#include "bpf/measure.bpf.h"
#include "bpf/measure_names.bpf.h"
#include "bpf/question_call.bpf.h"
#include "bpf/question_run.bpf.h"
#include "bpf/question_log.bpf.h"

char LICENSE[] SEC("license") = "GPL";

/* --- counting --- */

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
	__sync_fetch_and_add(&c->count, 1);
	if (value < 0)
		__sync_fetch_and_add(&c->sums[0], -(u64)value);
	else
		__sync_fetch_and_add(&c->sum, value);
	__sync_fetch_and_add(&c->hist[bucket & (MEASURE_BUCKETS - 1)], 1);
}

static __always_inline u32 signed_bucket(s64 value)
{
	u32 half = MEASURE_BUCKETS / 2;

	if (value < 0)
		return half - 1 - loglin__bucket(-(value + 1), MEASURE_SIGNED_SHIFT, half);
	return half + loglin__bucket(value, MEASURE_SIGNED_SHIFT, half);
}

static __always_inline void cell__add_signed_stack(const struct run *r, const u64 *labels, u32 half,
						   u64 stack, u64 value, u32 bucket)
{
	struct measure_cell *c;
	u32 at;

	c = cell__find(r->task, half, labels, stack ? stack : MEASURE_NO_STACK, room_for_stacks(), &at);
	if (c)
		cell__add_signed(c, value, bucket);
}

/* Each has its stack: what is asked for is exact. */
static __always_inline void cell__add_own_stack(const struct run *r, struct measure_cell *c,
					      const u64 *labels, u64 value, u32 bucket)
{
	struct measure_span s = {.task = r->task, .labels = labels};
	u32 half = active != 0;
	u64 stack = stack__capture(r->ctx, STACK_SLOT_TRACE, r->slot->stack, 0, bpf_ktime_get_ns());

	if (r->slot->is_signed)
		cell__add_signed_stack(r, labels, half, stack, value, bucket);
	else
		cell__add_stack(c, &s, half | STACK_ALONE, stack, value);
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
		__sync_fetch_and_add(&c->count, 1);
}

static __always_inline void count(const struct run *r, const u64 *labels, u64 value)
{
	u32 half = active != 0, bucket = 0;
	struct measure_cell *c = NULL;

	r->st->count++;
	if (r->slot->is_signed)
		bucket = signed_bucket(value);
	else if (r->slot->nvalues)
		bucket = value__bucket(value);
	if (r->t)
		c = cell__find_again(r->t, r->task, half, labels);
	if (!c) {
		c = cell__elsewhere(labels, half, r->st);
		if (c)
			cell__add_value(r, c, value, bucket);
		return;
	}
	cell__add_value(r, c, value, bucket);
	if (r->slot->stack)
		cell__add_own_stack(r, c, labels, value, bucket);
}

static __always_inline bool evaluate(const struct run *r)
{
	return frame__evaluate(r->ctx, r->frame, r->slot, r->task, r->st);
}

static __always_inline void run__count(const struct run *r)
{
	u64 *labels = r->made->labels;

	if (!r->slot->plain && !evaluate(r))
		return;
	frame__labels(r->frame, r->slot, r->t ? r->t->last.labels : NULL, event_of(r->ctx, r->frame, r->slot), labels);
	count(r, labels, r->slot->nvalues ? r->frame->values[0] : 0);
}

/* --- spans --- */

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1); /* QUESTION_SPANS where it is needed */
	__type(key, u64);
	__type(value, struct question_span);
} spans SEC(".maps");

static __always_inline u64 span__key(const struct run *r)
{
	u32 key = r->slot->on - 1;
	s32 text;

	if (!r->slot->on || key >= QUESTION_KEYS)
		return thread__key(r->task->pid);
	text = r->slot->key_text[key];
	if (text < 0 || text >= QUESTION_TEXTS)
		return r->frame->keys[key];
	return text__label(&r->frame->texts[text], 0, 0);
}

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct question_span_texts);
} texts_scratch SEC(".maps");

/* Of what entry() asks for of the begin. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 1); /* QUESTION_SPANS where it is needed */
	__type(key, u64);
	__type(value, struct question_span_texts);
} span_texts SEC(".maps");

static __always_inline void keep_texts(const struct run *r, u64 key)
{
	struct question_span_texts *to;
	u32 zero = 0;

	to = bpf_map_lookup_elem(&texts_scratch, &zero);
	if (!to)
		return;
	for (u32 i = 0; i < QUESTION_ENTRY_TEXTS; i++) {
		s32 at = r->slot->value_text[(r->slot->nvalues + r->slot->entries + i) &
					     (QUESTION_VALUES - 1)];

		if (i < r->slot->entry_texts && at >= 0 && at < QUESTION_TEXTS)
			to->texts[i] = r->frame->texts[at];
	}
	bpf_map_update_elem(&span_texts, &key, to, BPF_ANY);
}

static __always_inline void take_texts(const struct run *r, u64 key)
{
	struct question_span_texts *from = bpf_map_lookup_elem(&span_texts, &key);

	for (u32 i = 0; i < QUESTION_ENTRY_TEXTS; i++)
		if (from)
			r->frame->entry_texts[i] = from->texts[i];
		else
			r->frame->entry_texts[i].s[0] = 0;
}

static __always_inline void run__begin_span(const struct run *r)
{
	struct question_span *new = &r->made->span;
	u64 key;

	if (!evaluate(r))
		return;
	key = span__key(r);
	__builtin_memset(new, 0, sizeof(*new));
	new->tgid = r->task->tgid;
	new->tid = r->task->pid;
	comm__copy(new->comm, r->task);
	for (u32 i = 0; i < QUESTION_ENTRIES; i++)
		if (i < r->slot->entries)
			new->entry[i] = r->frame->values[(r->slot->nvalues + i) & (QUESTION_VALUES - 1)];
	new->begin_ns = new->last_ns = bpf_ktime_get_ns();
	if (r->slot->texts_kept)
		keep_texts(r, key);
	log__begin(key, new->begin_ns);
	if (!bpf_map_update_elem(&spans, &key, new, BPF_NOEXIST))
		return;
	/* One that did not end is over, or there is no room. */
	if (bpf_map_update_elem(&spans, &key, new, BPF_EXIST))
		r->st->full++;
	else
		r->st->notes[QUESTION_NOTE_AGAIN]++;
}

/* Where the key takes the code to be known, it is run before the span is: with a latency of 0, which
 * no span has, its condition holds. */
static __always_inline void run__end_span(const struct run *r)
{
	struct measure_span s = {.task = r->task,
				 .of = r->t,
				 .now = bpf_ktime_get_ns(),
				 .stack = r->slot->stack};
	u64 *labels = r->made->labels, *sums = r->made->sums, key, stack;
	struct measure_cell *cell = NULL;
	struct question_span *span;

	r->frame->words[WORD_LATENCY] = 0;
	if (r->slot->on && !evaluate(r))
		return;
	key = span__key(r);
	span = bpf_map_lookup_elem(&spans, &key);
	if (!span || span->step + 1 != r->slot->last_step) {
		r->st->notes[QUESTION_NOTE_UNMATCHED]++;
		return;
	}
	s.begin_ns = span->begin_ns;
	for (u32 i = 0; i < MEASURE_SPAN_SUMS; i++)
		sums[i] = span->sums[i];
	/* The last leg of a chain. */
	if (r->slot->last_step > 1)
		sums[(r->slot->last_step - 1) & (MEASURE_SPAN_SUMS - 1)] = s.now - span->last_ns;
	if (r->slot->texts_kept)
		take_texts(r, key);
	for (u32 i = 0; i < QUESTION_ENTRIES; i++)
		r->frame->entry[i] = span->entry[i];
	if (bpf_map_delete_elem(&spans, &key))
		return; /* another CPU had it */
	log__end(key, s.now);
	r->frame->words[WORD_LATENCY] = s.now > s.begin_ns ? s.now - s.begin_ns : 1;
	if (!evaluate(r) || !r->t)
		return;
	frame__labels(r->frame, r->slot, r->t ? r->t->last.labels : NULL, r->slot->event, labels);
	s.labels = labels;
	if (measure__end(r->ctx, &s, r->st, &stack, &cell) & MEASURE_IS_SLOW) {
		if (log_by)
			log__send(key, s.begin_ns);
		slow__report(&s, stack);
	}
	for (u32 i = 0; i < MEASURE_SPAN_SUMS; i++)
		if (cell && i < r->slot->nsums)
			cell__add_to(&cell->sums[i], sums[i]);
}

/* --- chains, and what happens within a span --- */

/* NULL: the event does not pass, or there is none. */
static __always_inline struct question_span *span__of(const struct run *r, u64 *key)
{
	if (!evaluate(r))
		return NULL;
	*key = span__key(r);
	return bpf_map_lookup_elem(&spans, key);
}

static __always_inline void log__own(const struct run *r, u64 key)
{
	log__event(key, event_of(r->ctx, r->frame, r->slot), r->task->pid, r->slot->nvalues ? r->frame->values[0] : 0);
}

static __always_inline void run__step(const struct run *r)
{
	u64 key, now = bpf_ktime_get_ns();
	struct question_span *span = span__of(r, &key);

	if (!span || span->step + 1 != r->slot->step)
		return;
	log__own(r, key);
	span->sums[r->slot->sum & (MEASURE_SPAN_SUMS - 1)] = now - span->last_ns;
	span->last_ns = now;
	span->step = r->slot->step;
}

static __always_inline void run__between(const struct run *r)
{
	struct question_span *span;
	u64 key;

	span = span__of(r, &key);
	if (!span)
		return;
	__sync_fetch_and_add(&span->sums[r->slot->sum & (MEASURE_SPAN_SUMS - 1)], 1);
	log__own(r, key);
}

/* --- pairs in each other --- */

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1); /* QUESTION_SPANS where it is needed */
	__type(key, u64);
	__type(value, struct question_nest);
} nests SEC(".maps");

static const struct question_nest no_nest;

static __always_inline struct question_nest *nest__of(u64 key, struct measure_stats *st)
{
	struct question_nest *n = bpf_map_lookup_elem(&nests, &key);

	if (n)
		return n;
	bpf_map_update_elem(&nests, &key, &no_nest, BPF_NOEXIST);
	n = bpf_map_lookup_elem(&nests, &key);
	if (!n)
		st->full++;
	return n;
}

/* What is deeper than there is room for is not followed, nor is its end. */
static __always_inline void run__enter(const struct run *r)
{
	struct question_level *l;
	struct question_nest *n;
	u64 outer = 0;
	u32 at;

	if (!evaluate(r))
		return;
	n = nest__of(span__key(r), r->st);
	if (!n)
		return;
	at = n->depth;
	if (at >= QUESTION_DEPTH) {
		r->st->notes[QUESTION_NOTE_AGAIN]++;
		return;
	}
	if (at)
		outer = n->levels[(at - 1) & (QUESTION_DEPTH - 1)].path;
	l = &n->levels[at & (QUESTION_DEPTH - 1)];
	l->path = outer << QUESTION_PATH_BITS | (r->slot->step + 1);
	l->inner_ns = 0;
	l->begin_ns = bpf_ktime_get_ns();
	n->depth = at + 1;
}

/* The innermost of the pair; those within that did not end are over. QUESTION_DEPTH: there is none. */
static __always_inline u32 nest__find(const struct question_nest *n, u32 pair)
{
	u32 found = QUESTION_DEPTH;

	for (u32 i = 0; i < QUESTION_DEPTH; i++)
		if (i < n->depth &&
		    (n->levels[i].path & ((1 << QUESTION_PATH_BITS) - 1)) == pair + 1)
			found = i;
	return found;
}

static __always_inline void run__leave(const struct run *r)
{
	struct measure_span s = {.task = r->task, .of = r->t, .now = bpf_ktime_get_ns()};
	u64 *labels = r->made->labels, stack, ns, inner, key;
	struct measure_cell *cell = NULL;
	struct question_nest *n;
	u32 at;

	if (!evaluate(r))
		return;
	key = span__key(r);
	n = bpf_map_lookup_elem(&nests, &key);
	at = n ? nest__find(n, r->slot->step) : QUESTION_DEPTH;
	if (at >= QUESTION_DEPTH) {
		r->st->notes[QUESTION_NOTE_UNMATCHED]++;
		return;
	}
	s.begin_ns = n->levels[at].begin_ns;
	labels[0] = n->levels[at].path;
	for (u32 i = 1; i < MEASURE_LABELS; i++)
		labels[i] = 0;
	inner = n->levels[at].inner_ns;
	ns = s.now - s.begin_ns;
	n->depth = at;
	if (at)
		n->levels[(at - 1) & (QUESTION_DEPTH - 1)].inner_ns += ns;
	else
		bpf_map_delete_elem(&nests, &key);
	if (!r->t)
		return;
	s.labels = labels;
	measure__end(r->ctx, &s, r->st, &stack, &cell);
	if (cell)
		cell__add_to(&cell->sums[0], ns > inner ? ns - inner : 0);
}

/* What the thread was in ends with it. */
SEC("raw_tp/sched_process_exit")
int question_exit(struct bpf_raw_tracepoint_args *ctx)
{
	struct task_struct *task = (void *)ctx->args[0];
	u64 key = BPF_CORE_READ(task, pid);

	bpf_map_delete_elem(&spans, &key);
	bpf_map_delete_elem(&nests, &key);
	return 0;
}

/* --- lists --- */

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, u64);
} lines_lost SEC(".maps");

static __always_inline u64 *lost_lines(void)
{
	u32 zero = 0;

	return bpf_map_lookup_elem(&lines_lost, &zero);
}

/* Sent with all its texts: a reservation has one size, and nothing is copied twice. */
static __always_inline void run__list(const struct run *r)
{
	u32 ntexts = r->slot->texts < QUESTION_TEXTS ? r->slot->texts : QUESTION_TEXTS;
	struct question_line *line;
	u64 *lost = lost_lines(), stack = 0;

	if (!lost || !evaluate(r))
		return;
	r->st->count++;
	/* Before the line: what names a stack comes first. */
	if (r->slot->stack)
		stack = stack__capture(r->ctx, STACK_SLOT_TRACE, r->slot->stack, 0,
				       bpf_ktime_get_ns());
	line = bpf_ringbuf_reserve(&records,
				   offsetof(struct question_line, texts) +
					   ntexts * sizeof(line->texts[0]), 0);
	if (!line) {
		(*lost)++;
		r->st->slow_lost++;
		return;
	}
	line->type = RECORD_QUESTION_LINE;
	line->event = event_of(r->ctx, r->frame, r->slot);
	line->t_ns = bpf_ktime_get_ns();
	line->lost = *lost;
	*lost = 0;
	line->stack = stack;
	line->cpu = bpf_get_smp_processor_id();
	line->pad = 0;
	who__fill(&line->who, r->task);
	__builtin_memcpy(line->values, r->frame->values, sizeof(line->values));
	for (u32 i = 0; i < QUESTION_TEXTS; i++)
		if (i < ntexts)
			line->texts[i] = r->frame->texts[i];
	bpf_ringbuf_submit(line, ring_flags(false));
}

/* --- bursts --- */

const volatile u64 burst_ns = 1000000;
/* Slots with less are not sent: raised here as there are too many of them, lowered by user space. */
volatile u64 burst_least = 1;
volatile u32 nbursts;

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct question_burst);
} bursts SEC(".maps");

static __always_inline bool burst__is_full(u64 total)
{
	if (total < burst_least)
		return false;
	if (__sync_fetch_and_add(&nbursts, 1) >= QUESTION_BURSTS_MAX) {
		nbursts = 0;
		burst_least = burst_least + (burst_least >> 1) + 1;
	}
	return true;
}

/* As a line that is nobody's, but of who had the CPU when a stack was taken. */
static __always_inline void burst__send(const struct run *r, const struct question_burst *b, u64 begin_ns)
{
	struct question_line *line;
	u64 *lost = lost_lines();

	if (!lost)
		return;
	line = bpf_ringbuf_reserve(&records, offsetof(struct question_line, texts), 0);
	if (!line) {
		(*lost)++;
		r->st->slow_lost++;
		return;
	}
	line->type = RECORD_QUESTION_LINE;
	line->event = r->slot->event;
	line->t_ns = begin_ns;
	line->lost = *lost;
	*lost = 0;
	line->stack = b->stack;
	line->cpu = bpf_get_smp_processor_id();
	line->pad = 0;
	__builtin_memset(&line->who, 0, sizeof(line->who));
	line->who.tgid = MEASURE_MANY;
	if (r->slot->does == QUESTION_TICKS && b->stack)
		who__fill(&line->who, r->task);
	__builtin_memcpy(line->values, b->counts, sizeof(line->values));
	bpf_ringbuf_submit(line, ring_flags(false));
}

static __always_inline void run__fill(const struct run *r)
{
	u64 now = bpf_ktime_get_ns(), at = now / burst_ns;
	struct question_burst *b;
	u32 zero = 0;

	b = bpf_map_lookup_elem(&bursts, &zero);
	if (!b)
		return;
	if (!r->slot->ticked && b->slot != at) {
		if (b->total && burst__is_full(b->total))
			burst__send(r, b, b->slot * burst_ns);
		__builtin_memset(b, 0, sizeof(*b));
		b->slot = at;
	}
	r->frame->words[WORD_COUNT] = b->total + 1;
	if (r->slot->plain) {
		r->frame->values[0] = 0;
	} else if (!evaluate(r)) {
		return;
	}
	r->st->count++;
	b->total++;
	b->counts[event_of(r->ctx, r->frame, r->slot) & (QUESTION_BURST_EVENTS - 1)]++;
	if (r->slot->stack && !b->stack && r->frame->values[0])
		b->stack = stack__capture(r->ctx, STACK_SLOT_TRACE, r->slot->stack, 0, now);
}

/* A slot ends: it is told of where the question's expression holds, else when it is one of the fullest. */
static __always_inline void run__tick(const struct run *r)
{
	u64 now = bpf_ktime_get_ns();
	struct question_burst *b;
	u32 zero = 0;
	bool wanted;

	b = bpf_map_lookup_elem(&bursts, &zero);
	if (!b)
		return;
	for (u32 i = 0; i < QUESTION_ENTRIES; i++)
		r->frame->entry[i] = b->counts[i];
	r->frame->words[WORD_COUNT] = b->total;
	r->frame->values[0] = 0;
	/* Of the first one nobody knows when it began. */
	wanted = (r->slot->plain || evaluate(r)) && b->slot;
	if (r->slot->nvalues) {
		wanted = wanted && r->frame->values[0];
		if (wanted)
			b->stack = stack__capture(r->ctx, STACK_SLOT_PERF, r->slot->stack, 0, now);
	} else {
		wanted = wanted && b->total && burst__is_full(b->total);
	}
	r->st->count += wanted;
	if (wanted)
		burst__send(r, b, b->slot);
	__builtin_memset(b, 0, sizeof(*b));
	b->slot = now;
}

/* --- programs --- */

#define DOES_COUNT 1
#define DOES_SPAN  2
#define DOES_ALL   7
#ifndef QUESTION_DOES
#define QUESTION_DOES DOES_ALL
#endif

static __always_inline void run_span(const struct run *r)
{
	switch (r->slot->does) {
	case QUESTION_BEGINS:
		run__begin_span(r);
		break;
	case QUESTION_STEPS:
		run__step(r);
		break;
	case QUESTION_BETWEENS:
		run__between(r);
		break;
	default:
		run__end_span(r);
	}
}

static __always_inline void run_other(const struct run *r)
{
	switch (r->slot->does) {
	case QUESTION_ENTERS:
		run__enter(r);
		break;
	case QUESTION_LEAVES:
		run__leave(r);
		break;
	case QUESTION_FILLS:
		run__fill(r);
		break;
	case QUESTION_TICKS:
		run__tick(r);
		break;
	default:
		run__list(r);
	}
}

static __always_inline bool does_span(u32 does)
{
	return does == QUESTION_BEGINS || does == QUESTION_ENDS || does == QUESTION_STEPS ||
	       does == QUESTION_BETWEENS;
}

static __always_inline void run_as(const struct run *r)
{
	u32 does = r->slot->does;

	if (QUESTION_DOES == DOES_COUNT || (QUESTION_DOES == DOES_ALL && does == QUESTION_COUNTS))
		run__count(r);
	else if (QUESTION_DOES == DOES_SPAN || (QUESTION_DOES == DOES_ALL && does_span(does)))
		run_span(r);
	else
		run_other(r);
}

/* What is known of the thread that the last event of a CPU was of: most are of the same. */
struct hot_task {
	u64 task, start_ns;
	struct measure_task t;
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct hot_task);
} hot SEC(".maps");

/* Where everybody is looked at, and programs do not interrupt one another, the thread's storage is not needed.
 * NULL: it is. */
static __always_inline struct measure_task *task__hot(struct task_struct *task)
{
	struct hot_task *h;
	u32 zero = 0;

	if (may_nest || (u32)scope_state || thread_kinds)
		return NULL;
	h = bpf_map_lookup_elem(&hot, &zero);
	if (!h)
		return NULL;
	if (h->task != (u64)task || h->start_ns != task->start_time) {
		h->task = (u64)task;
		h->start_ns = task->start_time;
		h->t.last.id = 0;
	}
	return &h->t;
}

/* Whether the current thread is looked at; without memory for it, it is decided each time. */
static __always_inline bool run__in_scope(struct run *r)
{
	r->t = task__hot(r->task);
	if (r->t)
		return true;

	if ((u32)scope_state && !scope__cpu(bpf_get_smp_processor_id()))
		return false;
	/* A timer is the CPU's, whoever has it. */
	if (r->slot->does == QUESTION_TICKS)
		return true;
	if (!slot__passes_moment(r->ctx, r->slot, r->task))
		return false;
	r->t = bpf_task_storage_get(&tasks, r->task, 0, BPF_LOCAL_STORAGE_GET_F_CREATE);
	if (r->t)
		return task__watched(r->t, r->task);
	r->st->tasks_full++;
	return task__in_scope(r->task);
}

static __noinline int question__run(void *ctx, u32 slot)
{
	struct run r = {.ctx = ctx, .slot = &slots[slot], .st = stats__get()};
	struct frame_of_run *f;
	u64 began;

	if (!r.st || (slots[slot].call && !call__is_asked(ctx, slot)))
		return 0;
	/* One in 64 is timed (run__end). */
	began = ++r.st->runs & 63 ? 0 : bpf_ktime_get_ns();
	r.task = bpf_get_current_task_btf();
	if (!run__in_scope(&r))
		return 0;
	f = frame__take();
	if (!f) {
		r.st->notes[QUESTION_NOTE_NESTED]++;
		return 0;
	}
	r.frame = &f->frame;
	r.made = &f->made;
	if (slots[slot].call)
		call__fill(ctx, &f->frame.call, slot);
	run_as(&r);
	frame__release(f);
	run__end(r.st, began);
	return 0;
}

QUESTION_ALL_PROGRAMS
