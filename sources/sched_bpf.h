/* SPDX-License-Identifier: GPL-2.0-only */
/* Tests open the scheduler's source with maps that are too small on purpose. */
#ifndef SOURCES_SCHED_BPF_H
#define SOURCES_SCHED_BPF_H

#include "sources/source.h"

struct sched_bpf_sizes {
	u32 waits;	/* entries of each of the two maps of waits that ended */
	u32 rests;	/* of each of the two of waits that find no place there */
	u32 stacks;	/* stacks remembered as sent, and as known by their prints */
	u32 ring_bytes; /* a power of two and a multiple of the page size */
};

extern const struct source_ops source_sched_bpf;

struct source *sched_bpf__open_sized(const struct sampling *how, const struct scope *scope,
				     const struct sched_bpf_sizes *sizes, struct status *st);

/* Totals over the CPUs since open: counted by the programs themselves. */
struct sched_stats;
void sched_bpf__stats(struct source *s, struct sched_stats *out);

#endif
