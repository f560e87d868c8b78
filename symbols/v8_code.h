/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which functions V8's optimising compilers have inlined where. Optimised code has, for each call and each
 * check that it may be given up at, which functions are at work there and at which of their bytecodes
 * (DeoptimizationData). Where it has all places in the source, too, as for node's own profiler, those tell more.
 * Of what lies between is known what both sides say, and what is said of the loop around it.
 * One thread at a time.
 */
#ifndef SYMBOLS_V8_CODE_H
#define SYMBOLS_V8_CODE_H

#include "symbols/v8.h"

#define V8_PLACES 64 /* functions inlined into each other; of more none is known */

/* A function in optimised code. */
struct v8_place {
	u64 shared;   /* as words of stacks have it */
	s32 position; /* in its script's source; below 0: not known */
};

/* Whole chunks of code: all executable memory of a process that is in no file. */
struct v8_range {
	u64 start, end;
};

struct v8_codes;

struct v8_codes *v8_codes__new(void);
void v8_codes__free(struct v8_codes *c);
/* Innermost first, the function itself last: at `unit` (bpf/v8.h) of code of the function `shared`. exact: it is the
 * instruction itself, not the one that a call returns to. 0: there is no such optimised code (any more), or its
 * version is not known. */
u32 v8_codes__find(struct v8_codes *c, const struct v8 *v, const struct process_memory *m, u32 tgid,
		   const struct v8_range *ranges, u32 nranges, u64 shared, u32 unit, bool exact,
		   struct v8_place places[V8_PLACES]);

#endif
