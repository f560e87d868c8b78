/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Stacks minus the tracer's own frames: what a tracepoint or a kprobe adds at the leaf.
 * One query's, on one thread.
 */
#ifndef MODELS_TRACER_FRAMES_H
#define MODELS_TRACER_FRAMES_H

#include "models/stacks.h"

struct tracerless_stack {
	const struct callstack *seen, *shown;
};

/* Zero-initialized but for the first two. */
struct tracer_frames {
	struct arena *arena; /* what had to be copied lives there */
	const struct symbols *symbols;
	struct tracerless_stack *items;
	u32 n, cap;
	struct hidx index; /* by address of what was seen */
};

/* What is shown of a stack: itself where nothing has to go. NULL of NULL. */
const struct callstack *tracer_frames__stack(struct tracer_frames *t, const struct callstack *seen);
void tracer_frames__fini(struct tracer_frames *t);

#endif
