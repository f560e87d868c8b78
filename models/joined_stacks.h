/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Stacks that ended early, as their process was new and its unwind tables were being made, as the
 * whole ones that they are parts of. Of one query, on one thread.
 */
#ifndef MODELS_JOINED_STACKS_H
#define MODELS_JOINED_STACKS_H

#include "base/hidx.h"
#include "models/stacks.h"
#include "symbols/symbols.h"

/* Of one process with one leaf so many are compared; where there are more, none is joined. */
#define JOINED_MAX 64

struct whole_stack {
	u32 tgid;
	u32 n; /* of a first one: how many there are, itself too; above JOINED_MAX: too many */
	u64 leaf;
	const struct callstack *stack;
	u32 next; /* of the same process and leaf; HIDX_NONE: the last one */
};

/* Zero it first. */
struct joined_stacks {
	/* Leaves are the same that are in one function: of samples. NULL: at one place, as of waits. */
	const struct symbols *symbols;
	struct whole_stack *v;
	u32 n, cap;
	struct hidx index; /* first ones, by process and leaf */
};

bool callstack__ends_early(const struct callstack *s);
/* A stack that others may be parts of; one that is not whole is left out. */
void joined_stacks__add(struct joined_stacks *j, u32 tgid, const struct callstack *s);
/* The one whole stack of the process that has all user frames of this one in their order, from the same leaf:
 * walks by frame pointers leave some out. NULL: there is none such, or several, or s did not end early. */
const struct callstack *joined_stacks__find(const struct joined_stacks *j, u32 tgid, const struct callstack *s);
void joined_stacks__fini(struct joined_stacks *j);

#endif
