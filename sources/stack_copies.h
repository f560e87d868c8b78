/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * User stacks of the perf engine that come as copies: each sample has the registers and what lies
 * above the stack pointer, and a worker walks it by unwind tables. Collector thread only.
 */
#ifndef SOURCES_STACK_COPIES_H
#define SOURCES_STACK_COPIES_H

#include <linux/perf_event.h>

#include "samples/health.h"
#include "samples/perf_record.h"
#include "sources/source.h"
#include "sources/walk_queue.h"

struct stack_copies {
	struct walk_queue *queue; /* NULL: there are no copies */
	walked_fn walked;
	void *ctx;
	u64 ends[WALK_ENDS], unwalked;		     /* since open */
	u64 ends_before[WALK_ENDS], unwalked_before; /* as of the last tick */
	struct health_stacks interval;		     /* that it ended */
	u32 late;				     /* not walked when it ended */
};

/* Bytes to be copied when sampling so; 0: user stacks are chains, as they ever were. */
u32 stack_copies__bytes(const struct sampling *how);
/* Has an event copy so many with each sample; 0: none. */
void stack_copies__fields(struct perf_event_attr *a, u32 bytes);

/* From now on copies may be put. What was on its way is dropped; returns how many. `walked` is
 * called within stack_copies__reap. */
u32 stack_copies__begin(struct stack_copies *c, const struct stack_walker *walker, walked_fn walked,
			void *ctx);
/* From now on none are; drops too. */
u32 stack_copies__end(struct stack_copies *c);
/* False: the sample has no copy that could be walked, or there is no room; it is counted then. */
bool stack_copies__put(struct stack_copies *c, const struct perf_record *r, u64 regs_mask,
		       const void *note, u32 note_size);
/* What was put is walked from now on: the processes and mappings of then are known. Hands out what
 * is there; at a tick, which ends the interval, it waits a while for the rest. */
void stack_copies__reap(struct stack_copies *c, bool tick);
/* Of the interval: how walks ended; and the share of those that ended early. */
void stack_copies__health(const struct stack_copies *c, struct health *h);

#endif
