/* SPDX-License-Identifier: GPL-2.0-only */
/* Tests open the block layer's source with maps that are too small on purpose. */
#ifndef SOURCES_BLOCK_BPF_H
#define SOURCES_BLOCK_BPF_H

#include "sources/source.h"

struct block_bpf_sizes {
	/* Powers of two. */
	u32 requests; /* on their way at once */
	u32 devices;  /* rows of devices in one interval */
	u32 procs;    /* rows of processes in one interval */
	u32 stacks;   /* stacks remembered as sent */
	u32 ring_bytes;
};

extern const struct source_ops source_block_bpf;

struct source *block_bpf__open_sized(const struct sampling *how, const struct scope *scope,
				     const struct block_bpf_sizes *sizes, struct status *st);

/* Totals over the CPUs since open: counted by the programs themselves. */
struct block_stats;
void block_bpf__stats(struct source *s, struct block_stats *out);

#endif
