/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Events that are counted and nothing else come to the cell of their thread and event again and again. Where
 * that was is one word in memory of the CPU. The cell says itself whose it is, so a word that another thread
 * left, or a program that was preempted here, leads nobody astray. Behind bpf/measure.bpf.h.
 */
#ifndef BPF_QUESTION_AGAIN_BPF_H
#define BPF_QUESTION_AGAIN_BPF_H

#include "bpf/measure.bpf.h"

#define KNOWN_CELLS 32 /* of a half, on each CPU */

PERCPU_MAP(known_cells, 2 * KNOWN_CELLS, u64);

/* 16 bits of the place; 24 tell threads apart that began in the same nanosecond; 12 the program that a thread
 * executes from the one before, 12 the scope that it passed. */
#define KNOWN_PLACE 0xffff

static __always_inline u64 known__word(u64 thread, struct task_struct *task, u64 at)
{
	return at | (thread >> 6 & 0xffffff) << 16 | (u64)(task->self_exec_id & 0xfff) << 40 |
	       (scope_state >> 32) << 52;
}

static __always_inline volatile u64 *known__at(u64 thread, u32 half, u64 label)
{
	u32 at = ((u32)(thread >> 6) ^ (u32)(thread >> 12) ^ (u32)label) % KNOWN_CELLS;

	at += half * KNOWN_CELLS;
	return bpf_map_lookup_elem(&known_cells, &at);
}

/* The cell of the current thread's events with this label, no other one, and no stack; NULL: look for it. */
static __always_inline struct measure_cell *cell__again(u64 label)
{
	struct task_struct *task = bpf_get_current_task_btf();
	u64 thread = bpf_get_current_task(), known;
	volatile u64 *at = known__at(thread, active != 0, label);
	struct measure_cell *c;
	u32 place;

	if (!at)
		return NULL;
	known = *at;
	place = known & KNOWN_PLACE;
	if (known != known__word(thread, task, place))
		return NULL;
	c = bpf_map_lookup_elem(&cells, &place);
	return c && c->id && c->who.start_ns == task->start_time && c->labels[0] == label && !c->stack
		       ? c
		       : NULL;
}

/* Whether a thread that passes the scope does so until there is another one. */
static __always_inline bool scope__stays(void)
{
	u32 changes = SCOPE_BPF_COMMS | SCOPE_BPF_SCHED | SCOPE_BPF_MOMENT |
		      SCOPE_BPF_HAS(SCOPE_BPF_CPU, 0) | SCOPE_BPF_HAS(SCOPE_BPF_CPU, 1);

	return !((u32)scope_state & changes);
}

static __always_inline void cell__remember(struct task_struct *task, u32 half, u64 label, u32 at)
{
	u64 thread = bpf_get_current_task();
	volatile u64 *to = known__at(thread, half, label);

	if (to && at <= KNOWN_PLACE && scope__stays())
		*to = known__word(thread, task, at);
}

#endif
