/* SPDX-License-Identifier: GPL-2.0-only */
/* Lines of one interval (models/ask_lines.h); immutable, shared by snapshots of any thread. */
#ifndef MODELS_ASK_LINES_IMPL_H
#define MODELS_ASK_LINES_IMPL_H

#include <stdatomic.h>

#include "models/ask_lines.h"
#include "models/stacks.h"

struct ask_chunk {
	atomic_uint refs;
	struct arena arena;	   /* of the lines */
	struct stack_store *store; /* a reference: their stacks are there */
	u64 t1_ns;
	u32 n;
	const struct ask_line *lines; /* in order of time */
};

const struct ask_chunk *ask_chunk__get(const struct ask_chunk *c);
void ask_chunk__put(const struct ask_chunk *c);

#endif
