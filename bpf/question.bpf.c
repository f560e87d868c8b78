// SPDX-License-Identifier: GPL-2.0-only
/*
 * Questions that are asked at run time: any event is counted, begins or ends a span, or is sent as
 * a line. Its condition, keys and values are code that user space makes and puts into
 * question__eval() before the programs are loaded (questions/generate.h).
 *
 * bpf/question_plain.bpf.c is this without stacks, bpf/question_count.bpf.c and bpf/question_span.bpf.c with only what
 * counts and spans need then: less than a tenth of what the verifier goes through.
 *
 * Events of some kinds may interrupt each other on a thread: then cells are added to atomically, and
 * a frame for the code is taken from a few per CPU.
 */
#define MEASURE_ATOMIC may_nest
#define MEASURE_KEPT_ALL 1
#define MEASURE_MOMENT MOMENT_JUDGED
#define STACK_OWN_SLOTS 1 /* bpf/question_log.bpf.h */
#include "bpf/question_nest.bpf.h"
#include "bpf/measure.bpf.h"
#include "bpf/measure_names.bpf.h"
#include "bpf/question_again.bpf.h"
#include "bpf/question_call.bpf.h"
#include "bpf/question_run.bpf.h"
#include "bpf/question_log.bpf.h"
#include "bpf/question_counts.bpf.h"
#include "bpf/question_spans.bpf.h"
#include "bpf/question_nests.bpf.h"
#include "bpf/question_lines.bpf.h"
#include "bpf/question_bursts.bpf.h"

char LICENSE[] SEC("license") = "GPL";

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

PERCPU_MAP(hot, 1, struct hot_task);

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
	if (!moment__passes(r->ctx, r->task, r->slot->at))
		return false;
	r->t = bpf_task_storage_get(&tasks, r->task, 0, BPF_LOCAL_STORAGE_GET_F_CREATE);
	if (r->t)
		return task__watched(r->t, r->task);
	r->st->tasks_full++;
	return task__in_scope(r->task);
}

/* Spans that begin before the first interval may end in it; of all else only what comes in it counts. */
static __always_inline bool run__is_early(u32 does)
{
	return held_off && !does_span(does) && does != QUESTION_ENTERS && does != QUESTION_LEAVES;
}

static __noinline int question__run(void *ctx, u32 slot)
{
	struct run r = {.ctx = ctx, .slot = &slots[slot], .st = stats__get()};
	struct frame_of_run *f;
	u64 began;

	if (!r.st || run__is_early(slots[slot].does) || (slots[slot].call && !call__is_asked(ctx, slot)))
		return 0;
	began = run__begin_rarely(r.st);
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

static __always_inline void question__count_or_run(void *ctx, u32 slot)
{
	if (!question__count_again(ctx, slot))
		question__run(ctx, slot);
}

QUESTION_ALL_PROGRAMS(question__count_or_run)

#if QUESTION_DOES == DOES_ALL
SEC("raw_tp")
int question_flush(void *ctx)
{
	burst__flush();
	return 0;
}
#endif
