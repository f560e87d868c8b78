/* SPDX-License-Identifier: GPL-2.0-only */
/* Scratch for stacks of programs that may preempt one another on a CPU, such as probes of threads: each run that
 * takes a stack has a slot. Includers define OWN_STACKS, and STACK_OWN_SLOTS as that, before anything else. */
#ifndef BPF_OWN_SLOTS_BPF_H
#define BPF_OWN_SLOTS_BPF_H

#include "bpf/stack_scratch.bpf.h"

PERCPU_MAP(taken, OWN_STACKS, u32);

/* *flag is set to 0 when it is done; NULL: all are in use. */
static __always_inline u32 own_slot__take(u32 **flag)
{
	for (u32 i = 0; i < OWN_STACKS; i++) {
		u32 at = i;
		u32 *f = bpf_map_lookup_elem(&taken, &at);

		if (f && !__sync_val_compare_and_swap(f, 0, 1)) {
			*flag = f;
			return STACK_SLOT_OWN + i;
		}
	}
	*flag = NULL;
	return STACK_SLOT_OWN;
}

#endif
