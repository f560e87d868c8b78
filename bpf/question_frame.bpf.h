/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Frames for the code of questions (bpf/question_eval.bpf.h), one for each run, and texts that it
 * finds as labels. Behind one of the engines (bpf/measure.bpf.h, bpf/measure_held.bpf.h) and
 * bpf/measure_names.bpf.h.
 */
#ifndef BPF_QUESTION_FRAME_BPF_H
#define BPF_QUESTION_FRAME_BPF_H

#include "bpf/question.h"
#include "bpf/question_eval.bpf.h"
#include "bpf/question_nest.bpf.h"

/* --- frames --- */

#define FRAMES 4 /* events that interrupt one another on a CPU */

/* What a count, and a span's begin and end, are made of: on the stack it would be beside walks. */
struct question_made {
	u64 labels[MEASURE_LABELS], sums[MEASURE_SPAN_SUMS];
	struct question_span span;
};

struct frame_of_run {
	u32 taken;
	u32 pad;
	struct question_frame frame;
	struct question_made made;
};

PERCPU_MAP(frames, FRAMES, struct frame_of_run);

/* NULL: all are taken. */
static __always_inline struct frame_of_run *frame__take(void)
{
	u32 first = 0;

	if (!may_nest)
		return bpf_map_lookup_elem(&frames, &first);
	for (u32 i = 0; i < FRAMES; i++) {
		u32 at = i;
		struct frame_of_run *f = bpf_map_lookup_elem(&frames, &at);

		if (f && !__sync_val_compare_and_swap(&f->taken, 0, 1))
			return f;
	}
	return NULL;
}

static __always_inline void frame__release(struct frame_of_run *f)
{
	if (may_nest)
		__sync_val_compare_and_swap(&f->taken, 1, 0);
}

/* --- texts --- */

/* A text is the hash of it, as a label; its name is sent when it is new. */
struct text_record {
	u32 type, label; /* as struct measure_name */
	u64 value;
	struct question_text text;
};

static __noinline int text__send(struct question_text *text, u32 word, u64 value)
{
	struct measure_stats *st = stats__get();
	u64 key = name__key(word, value), now = 1;
	struct text_record *r;

	if (!st || !name__is_due(word, value, 0, 0))
		return 0;
	r = bpf_ringbuf_reserve(&records, sizeof(*r), 0);
	if (!r) {
		st->names_lost++;
		return 0;
	}
	r->type = RECORD_MEASURE_NAME;
	r->label = word;
	r->value = value;
	r->text = *text;
	bpf_ringbuf_submit(r, ring_flags(false));
	bpf_map_update_elem(&names_seen, &key, &now, BPF_ANY);
	return 0;
}

static __always_inline u64 text__label(struct question_text *text, u32 word, u64 last)
{
	u64 h = 0, *w = (u64 *)text->s;

	for (int i = 0; i < QUESTION_TEXT / 8; i++)
		h = hash_step(h, w[i]);
	h = hash_finish(h) | 1;
	if (h != last)
		text__send(text, word, h);
	return h;
}

#endif
