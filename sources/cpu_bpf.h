/* SPDX-License-Identifier: GPL-2.0-only */
/* Tests open the BPF sampler with maps that are too small on purpose. */
#ifndef SOURCES_CPU_BPF_H
#define SOURCES_CPU_BPF_H

#include "sources/source.h"

struct cpu_bpf_sizes {
	u32 counts;	/* entries of each of the two count maps */
	u32 stacks;	/* stacks remembered as sent */
	u32 tasks;	/* processes remembered as announced */
	u32 ring_bytes; /* a power of two and a multiple of the page size */
};

extern const struct source_ops source_cpu_bpf;

struct source *cpu_bpf__open_sized(const struct sampling *how, const struct scope *scope,
				   const struct cpu_bpf_sizes *sizes, struct status *st);

/* Totals over the CPUs since open: counted by the program itself. */
struct cpu_stats;
void cpu_bpf__stats(struct source *s, struct cpu_stats *out);

#endif
