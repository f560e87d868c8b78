/* SPDX-License-Identifier: GPL-2.0-only */
/* Spans from a begin to an end, chains of them, and what comes within. Of bpf/question.bpf.c. */
#ifndef BPF_QUESTION_SPANS_BPF_H
#define BPF_QUESTION_SPANS_BPF_H

HASH_MAP(spans, 1, u64, struct question_span); /* QUESTION_SPANS where it is needed */

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

PERCPU_MAP(texts_scratch, 1, struct question_span_texts);

/* Of what entry() asks for of the begin. */
LRU_MAP(span_texts, 1, u64, struct question_span_texts); /* QUESTION_SPANS where it is needed */

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
	s.error = r->slot->fails && r->frame->values[0] >= (u64)-4095;
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

#endif
