/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The maps in which the block layer's programs count, as memory of this process: each has two
 * halves, of which one rests. Collector thread only.
 */
#ifndef SOURCES_BLOCK_COUNTS_H
#define SOURCES_BLOCK_COUNTS_H

#include "sources/block_loss.h"
#include "sources/block_put.h"

struct block_counts {
	struct block_sum *sums; /* NULL: not mapped */
	struct block_proc_sum *procs, **used; /* used: while draining */
	u32 nsums, nprocs; /* in a half */
};

/* The maps' descriptors stay the caller's. 0 or -errno. */
int block_counts__init(struct block_counts *c, int sums_fd, u32 nsums, int procs_fd, u32 nprocs);
void block_counts__fini(struct block_counts *c);
/* Hands out what is in a half that no program writes to, processes in the order in which they had
 * their last ends, and empties it. Returns how full it
 * was, in percent. */
double block_counts__drain(struct block_counts *c, u32 half, const struct block_put *put,
			   struct block_loss *loss);

#endif
