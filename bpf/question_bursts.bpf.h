/* SPDX-License-Identifier: GPL-2.0-only */
/* Slots of time in which many events come. Of bpf/question.bpf.c. */
#ifndef BPF_QUESTION_BURSTS_BPF_H
#define BPF_QUESTION_BURSTS_BPF_H

const volatile u64 burst_ns = 1000000;
/* Slots with less are not sent: raised here as there are too many of them, lowered by user space. */
volatile u64 burst_least = 1;
volatile u32 nbursts;

PERCPU_MAP(bursts, 1, struct question_burst);

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

static __always_inline void burst__sample(const struct run *r, struct question_burst *b, u32 slot, u64 now)
{
	b->stack = stack__capture(r->ctx, slot, r->slot->stack, 0, now);
	who__fill(&b->who, r->task);
}

/* As a line that is nobody's, but of who had the CPU when a stack was taken. */
static __always_inline void burst__send(struct measure_stats *st, u32 event, const struct question_burst *b,
					u64 begin_ns)
{
	struct question_line *line;
	u64 *lost = lost_lines();

	if (!lost)
		return;
	line = bpf_ringbuf_reserve(&records, offsetof(struct question_line, texts), 0);
	if (!line) {
		(*lost)++;
		st->slow_lost++;
		return;
	}
	line->type = RECORD_QUESTION_LINE;
	line->event = event;
	line->t_ns = begin_ns;
	line->lost = *lost;
	*lost = 0;
	line->stack = b->stack;
	line->cpu = bpf_get_smp_processor_id();
	line->pad = 0;
	__builtin_memcpy(&line->who, &b->who, sizeof(line->who));
	if (!b->stack)
		line->who.tgid = MEASURE_MANY;
	__builtin_memcpy(line->values, b->counts, sizeof(line->values));
	bpf_ringbuf_submit(line, ring_flags(false));
}

/* The slot that lasted until now is told of; `at` begins. */
static __always_inline void burst__end(struct measure_stats *st, u32 event, struct question_burst *b, u64 at)
{
	if (b->total && burst__is_full(b->total))
		burst__send(st, event, b, b->slot * burst_ns);
	__builtin_memset(b, 0, sizeof(*b));
	b->slot = at;
}

/* What an expression over counts sees at an event: how many came in the slot so far, with this one. */
static __always_inline void run__show_counts(const struct run *r, const struct question_burst *b, u32 event)
{
	r->frame->words[WORD_COUNT] = b->total + 1;
	for (u32 i = 0; i < QUESTION_ENTRIES; i++)
		r->frame->entry[i] = b->counts[i] + (i == event);
}

static __always_inline void run__fill(const struct run *r)
{
	u32 event = event_of(r->ctx, r->frame, r->slot) & (QUESTION_BURST_EVENTS - 1);
	u64 now = bpf_ktime_get_ns(), at = now / burst_ns;
	struct question_burst *b;
	u32 zero = 0;

	b = bpf_map_lookup_elem(&bursts, &zero);
	if (!b)
		return;
	if (!r->slot->ticked && b->slot != at)
		burst__end(r->st, r->slot->event, b, at);
	r->frame->values[0] = 0;
	if (!r->slot->plain) {
		run__show_counts(r, b, event);
		if (!evaluate(r))
			return;
	}
	r->st->count++;
	b->total++;
	b->counts[event]++;
	if (r->slot->stack && !b->stack && r->frame->values[0])
		burst__sample(r, b, STACK_SLOT_TRACE, now);
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
			burst__sample(r, b, STACK_SLOT_PERF, now);
	} else {
		wanted = wanted && b->total && burst__is_full(b->total);
	}
	r->st->count += wanted;
	if (wanted)
		burst__send(r->st, r->slot->event, b, b->slot);
	__builtin_memset(b, 0, sizeof(*b));
	b->slot = now;
}

/* User space runs it on each CPU, once an interval: behind a slot there may be no event for long. */
static __always_inline void burst__flush(void)
{
	u64 at = bpf_ktime_get_ns() / burst_ns;
	struct measure_stats *st = stats__get();
	struct question_burst *b;
	u32 zero = 0;

	b = bpf_map_lookup_elem(&bursts, &zero);
	if (st && b && b->total && b->slot != at)
		burst__end(st, slots[0].event, b, at);
}

#endif
