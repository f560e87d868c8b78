/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the programs of all questions have: slots, frames, words, labels. Behind one of the engines
 * (bpf/measure.bpf.h, bpf/measure_held.bpf.h) and bpf/measure_names.bpf.h. Whoever includes it
 * defines
 *
 *	static __noinline int question__run(void *ctx, u32 slot);
 *
 * and ends with QUESTION_ALL_PROGRAMS of it.
 */
#ifndef BPF_QUESTION_RUN_BPF_H
#define BPF_QUESTION_RUN_BPF_H

#include "bpf/moment.bpf.h"
#include "bpf/question.h"
#include "bpf/question_frame.bpf.h"

const volatile struct question_slot slots[QUESTION_SLOTS];

/* Zeros behind the first byte that is 0. */
static __always_inline u64 word__to_nul(u64 w)
{
	u64 nul = (w - 0x0101010101010101ULL) & ~w & 0x8080808080808080ULL;

	return nul ? w & (((nul & -nul) >> 7) - 1) : w;
}

/* The current task's name, which the helper takes several times as long for. */
static __always_inline void comm__copy(char *to, struct task_struct *task)
{
	const u64 *from = (const u64 *)task->comm;
	u64 first = from[0], whole = word__to_nul(first);

	((u64 *)to)[0] = whole;
	((u64 *)to)[1] = whole == first && first >> 56 ? word__to_nul(from[1]) : 0;
}

/* Fills what the code asks for. Its bits are read once: each look at a constant is one that stays. */
static __always_inline void frame__fill(void *ctx, struct question_frame *f,
					const volatile struct question_slot *s,
					struct task_struct *task)
{
	u32 words = s->words;

#define ASKS_FOR(word) (words & (1u << (word)))
	if (!words)
		return;
	if (ASKS_FOR(WORD_PID))
		f->words[WORD_PID] = task->tgid;
	if (ASKS_FOR(WORD_TID))
		f->words[WORD_TID] = task->pid;
	if (ASKS_FOR(WORD_CPU))
		f->words[WORD_CPU] = bpf_get_smp_processor_id();
	if (ASKS_FOR(WORD_CGROUP))
		f->words[WORD_CGROUP] = BPF_CORE_READ(task, cgroups, dfl_cgrp, kn, id);
	if (ASKS_FOR(WORD_PRIO))
		f->words[WORD_PRIO] = task->prio;
	if (ASKS_FOR(WORD_POLICY))
		f->words[WORD_POLICY] = task->policy;
	if (ASKS_FOR(WORD_NS))
		f->words[WORD_NS] = bpf_ktime_get_ns();
	if (ASKS_FOR(WORD_IRQS_DISABLED))
		f->words[WORD_IRQS_DISABLED] = moment__irqs_disabled(ctx, s->at);
	if (ASKS_FOR(WORD_NEED_RESCHED))
		f->words[WORD_NEED_RESCHED] = task__need_resched(task);
	if (ASKS_FOR(WORD_NR_RUNNING))
		f->words[WORD_NR_RUNNING] = task__nr_running(task);
	if (ASKS_FOR(WORD_TASK))
		f->words[WORD_TASK] = (u64)task;
	if (ASKS_FOR(WORD_COMM))
		comm__copy(f->comm, task);
#undef ASKS_FOR
}

/* --- labels --- */

/* last: NULL, or the last labels of the thread. */
static __always_inline void frame__labels(struct question_frame *f,
					  const volatile struct question_slot *s,
					  const u64 *last, u32 event, u64 *labels)
{
	labels[0] = event;
	if (s->by_cpu)
		labels[0] |= (u64)bpf_get_smp_processor_id() << QUESTION_EVENT_BITS;
#pragma unroll
	for (u32 i = 0; i < QUESTION_OWN_KEYS; i++) {
		s32 key = s->keys[i], text;

		labels[i + 1] = 0;
		if (key < 0 || key >= QUESTION_KEYS)
			continue;
		text = s->key_text[key];
		if (text < 0 || text >= QUESTION_TEXTS)
			labels[i + 1] = f->keys[key];
		else
			labels[i + 1] = text__label(&f->texts[text], i + 1,
						    last ? last[i + 1] : 0);
	}
}

static __always_inline u32 event_of(void *ctx, const struct question_frame *f,
				    const volatile struct question_slot *s)
{
	if (s->call)
		return f->call.event;
	if (s->cookies)
		return bpf_get_attach_cookie(ctx);
	return s->event;
}

/* Fills the frame; false: the event does not pass. */
static __always_inline bool frame__evaluate(void *ctx, struct question_frame *f,
					    const volatile struct question_slot *slot,
					    struct task_struct *task, struct measure_stats *st)
{
	u64 faults = f->faults;
	bool passes;

	frame__fill(ctx, f, slot, task);
	passes = question__eval(slot->call ? (void *)&f->call : ctx, f);
	st->notes[QUESTION_NOTE_FAULTS] += f->faults - faults;
	return passes;
}

/* --- programs --- */

/* Sections of our own: sources/ask_source.c says of which type they are. Where perf events of others
 * are at the same place, those get nothing when a program returns 0. */
#define QUESTION_PROGRAM(section, type, slot, passes_on, run)                                      \
	SEC(section) int type##_##slot(void *ctx)                                                  \
	{                                                                                          \
		run(ctx, slot);                                                                    \
		return passes_on;                                                                  \
	}
#define QUESTION_PROGRAMS(section, type, passes_on, run)                                           \
	QUESTION_PROGRAM(section, type, 0, passes_on, run)                                         \
	QUESTION_PROGRAM(section, type, 1, passes_on, run)                                         \
	QUESTION_PROGRAM(section, type, 2, passes_on, run)                                         \
	QUESTION_PROGRAM(section, type, 3, passes_on, run)                                         \
	QUESTION_PROGRAM(section, type, 4, passes_on, run)                                         \
	QUESTION_PROGRAM(section, type, 5, passes_on, run)                                         \
	QUESTION_PROGRAM(section, type, 6, passes_on, run)                                         \
	QUESTION_PROGRAM(section, type, 7, passes_on, run)

#define QUESTION_ALL_PROGRAMS(run)                                                                   \
	QUESTION_PROGRAMS("qtrace", trace, 1, run)                                                 \
	QUESTION_PROGRAMS("qraw", raw, 0, run)                                                     \
	QUESTION_PROGRAMS("qperf", perf, 0, run)                                                   \
	QUESTION_PROGRAMS("quser", user, 1, run)                                                   \
	QUESTION_PROGRAMS("qkernel", kernel, 1, run)

#endif
