/* SPDX-License-Identifier: GPL-2.0-only */
/* For walks in processes with a runtime: what is known of it, and putting a word in a frame's place. */
#ifndef BPF_RUNTIME_BPF_H
#define BPF_RUNTIME_BPF_H

#include "bpf/runtime.h"
#include "bpf/unwind_frame.bpf.h"

/* By tgid; filled by user space. */
SPARSE_HASH_MAP(runtimes, 4096, u32, union runtime);

static __always_inline union runtime *runtime__of(const struct unwind_state *s)
{
	union runtime *rt = bpf_map_lookup_elem(&runtimes, &s->tgid);

	return rt && rt->exec_id == s->exec_id ? rt : NULL;
}

/* In the place of the frame that is looked at; sum: what tells what is there from others. Little is left
 * to be kept while the place is looked up: that would take stack. */
static __always_inline void put_word(struct unwind_state *s, u64 unit, u64 address, u64 sum)
{
	u64 word = SCRIPT_FRAME | unit << SCRIPT_CODE_BITS | address >> 3;
	u32 slot = s->slot, i;
	struct stack_record *to;

	s->check = script_sum(s->check, sum);
	s->words_put++;
	to = bpf_map_lookup_elem(&stack_scratch, &slot);
	i = s->place;
	barrier_var(i);
	if (to && i < 2 * STACK_DEPTH)
		to->ips[i] = word;
}

/* Puts the check word after the n frames that are in the scratch from `at` on, where words are among
 * them; returns how many there are then. */
__noinline u32 runtime__end(u32 slot, u32 at, u32 n)
{
	struct stack_record *to = bpf_map_lookup_elem(&stack_scratch, &slot);
	struct unwind_state *s = unwind__state(slot);
	u32 zero = 0, i;
	struct unwind_stats *st = bpf_map_lookup_elem(&unwind_stats, &zero);

	if (!to || !s || !st || !s->words_put)
		return n;
	st->scripts++;
	if (n < STACK_DEPTH)
		n++;
	i = at + n - 1;
	barrier_var(i);
	if (i >= 2 * STACK_DEPTH)
		return n;
	to->ips[i] = SCRIPT_CHECK | s->check >> 2;
	return n;
}

#endif
