/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The stacks of a report in memory, for formats that have to know all frames or the sum before
 * they write the first one. Each distinct frame is kept once; stacks of equal symbols are one, as
 * lines of folded text are. One thread; freed by whoever took
 * them. Memory is bounded by what a report hands out (models/flame.h).
 */
#ifndef EXPORT_STACKS_H
#define EXPORT_STACKS_H

#include "base/hidx.h"
#include "export/export.h"

struct export_stack {
	u32 first, n; /* in ids: from the root */
	u64 weight;   /* as folded text has it: times in us; never 0 */
};

struct export_stacks {
	u32 *same;		    /* by frame: the first one of that symbol */
	struct value_frame *frames; /* strings are in the arena, as hostile as they came; no NULL */
	u32 nframes, frames_cap, same_cap;
	u32 *ids; /* positions in frames */
	u32 nids, ids_cap;
	struct export_stack *stacks;
	u32 n, cap;
	u64 total;
	struct hidx index, symbol_index, stack_index;
	struct arena arena;
};

/* r->stacks is not NULL. inlined: functions inlined at an address are frames of kind "inlined". */
void export_stacks__take(struct export_stacks *s, const struct report *r, bool inlined);
void export_stacks__fini(struct export_stacks *s);
/* Of several reports: begins without any, adds those of one. Weights are as reports have them, and
 * total is 0. */
void export_stacks__begin(struct export_stacks *s);
void export_stacks__add(struct export_stacks *s, const struct report *r, bool inlined);

static inline const struct value_frame *export_stacks__frame(const struct export_stacks *s,
							     const struct export_stack *k, u32 i)
{
	return &s->frames[s->ids[k->first + i]];
}

/* The command, where a stack begins with one; else "". */
const char *export_stacks__comm(const struct export_stacks *s, const struct export_stack *k);

#endif
