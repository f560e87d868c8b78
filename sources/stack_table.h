/* SPDX-License-Identifier: GPL-2.0-only */
/* Counts samples per key in user space, as the BPF sampler does in the kernel. Bounded. */
#ifndef SOURCES_STACK_TABLE_H
#define SOURCES_STACK_TABLE_H

#include "base/hidx.h"
#include "samples/sample.h"

struct stack_table {
	struct hidx index;
	struct stack_sample *rows; /* since the last flush */
	u32 nrows, cap, max_rows;
	struct hidx seen; /* stacks handed out */
	u64 *hashes;
	u32 nhashes, max_hashes;
};

void stack_table__init(struct stack_table *t, u32 max_rows, u32 max_hashes);
void stack_table__fini(struct stack_table *t);
/* Adds one sample (count 1); false when there is no room. */
bool stack_table__add(struct stack_table *t, const struct stack_sample *s);
/* True once per hash: the caller hands its frames out now. Forgets all when full. */
bool stack_table__is_new(struct stack_table *t, u64 hash);
/* Hands out what passes and empties the table. */
void stack_table__flush(struct stack_table *t,
			bool (*passes)(void *ctx, const struct stack_sample *s), void *ctx,
			const struct sample_sink *sink);

/* Names a stack; `space` tells address spaces apart (0 without user frames). Never 0. */
u64 stack_hash(const u64 *ips, u32 nkernel, u32 nuser, u64 space);

#endif
