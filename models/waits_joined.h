/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Stacks that ended early, as their process was new and its unwind tables were being made, as the
 * whole ones that they are parts of. Of one query, on one thread.
 */
#ifndef MODELS_WAITS_JOINED_H
#define MODELS_WAITS_JOINED_H

#include "base/hidx.h"
#include "models/waits.h"

/* Of one process with one leaf so many are compared; where there are more, none is joined. */
#define JOINED_MAX 64

struct whole_stack {
	u32 tgid;
	u32 n; /* of a first one: how many there are, itself too; above JOINED_MAX: too many */
	const struct callstack *stack;
	u32 next; /* of the same process and leaf; HIDX_NONE: the last one */
};

struct waits_joined {
	struct whole_stack *v;
	u32 n, cap;
	struct hidx index; /* first ones, by process and leaf */
};

void waits_joined__init(struct waits_joined *j, const struct waits_snap *snap);
void waits_joined__fini(struct waits_joined *j);
/* The one whole stack of its process that has all frames of an entry's user stack in their order,
 * from the same leaf: walks by frame pointers leave some out. The entry's own where there is none
 * such, or several. */
const struct callstack *waits_joined__stack(const struct waits_joined *j,
					    const struct wait_entry *e);

#endif
