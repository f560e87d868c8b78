/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Stacks without the frames of whoever looked: what a tracepoint or a kprobe adds at the leaf.
 * One query's, on one thread.
 */
#ifndef MODELS_TRIMMED_H
#define MODELS_TRIMMED_H

#include "models/stacks.h"

struct trimmed_stack {
	const struct profile_stack *seen, *shown;
};

/* Zero-initialized but for the first two. */
struct trimmed {
	struct arena *arena; /* what had to be copied lives there */
	const struct symbols *symbols;
	struct trimmed_stack *items;
	u32 n, cap;
	struct hidx index; /* by address of what was seen */
};

/* What is shown of a stack: itself where nothing has to go. NULL of NULL. */
const struct profile_stack *trimmed__stack(struct trimmed *t, const struct profile_stack *seen);
void trimmed__fini(struct trimmed *t);

#endif
