/* SPDX-License-Identifier: GPL-2.0-only */
/* Slots of time in which many events come. Of bpf/question.bpf.c. */
#ifndef BPF_QUESTION_BURSTS_BPF_H
#define BPF_QUESTION_BURSTS_BPF_H

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

#endif
