/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Programs on functions can be preempted, by a thread that runs another of them on the same CPU:
 * stacks and slow ones, which are put together in memory of the CPU, are one thread's at a time.
 */
#ifndef BPF_PROBE_SCRATCH_BPF_H
#define BPF_PROBE_SCRATCH_BPF_H

#include "bpf/maps.bpf.h"

PERCPU_MAP(scratch_taken, 1, u32);

/* NULL: somebody has it. */
static __always_inline u32 *scratch__take(void)
{
	u32 zero = 0, *taken = bpf_map_lookup_elem(&scratch_taken, &zero);

	return taken && !__sync_val_compare_and_swap(taken, 0, 1) ? taken : NULL;
}

static __always_inline void scratch__give(u32 *taken)
{
	*(volatile u32 *)taken = 0;
}

#endif
