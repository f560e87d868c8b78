/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The stacks of perf.data's samples: call chains, calls that the CPU noted (--call-graph lbr), or a copy of
 * the user stack with the registers (--call-graph dwarf), which is walked here. One thread.
 */
#ifndef RECORDING_PERF_STACKS_H
#define RECORDING_PERF_STACKS_H

#include "models/stacks.h"
#include "recording/perf_kernel.h"
#include "recording/perf_spaces.h"

struct perf_stacks {
	struct perf_spaces *spaces;
	struct perf_kernel *kernel;
	u16 machine; /* whose registers they are: EM_X, EM_NONE not known */
	/* Of the last sample: */
	u64 ips[STACKS_MAX_FRAMES], locs[STACKS_MAX_FRAMES];
	struct stack_def def;
};

/* Fills s->def but for what frames mean, with a hash that is the same for equal frames. */
void perf_stacks__read(struct perf_stacks *s, const struct perf_record *r,
		       const struct perf_format *f);
/* The same of a branch of the record: where it went to, called by where it came from. Of one from the kernel to user
 * code the former alone. */
void perf_stacks__branch(struct perf_stacks *s, const struct perf_record *r, u64 from, u64 to);
/* Makes frames locs, for the definition to be handed out. */
void perf_stacks__locate(struct perf_stacks *s);

#endif
