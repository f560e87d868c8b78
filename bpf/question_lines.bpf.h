/* SPDX-License-Identifier: GPL-2.0-only */
/* Events that are sent one by one. Of bpf/question.bpf.c. */
#ifndef BPF_QUESTION_LINES_BPF_H
#define BPF_QUESTION_LINES_BPF_H

PERCPU_MAP(lines_lost, 1, u64);

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

#endif
