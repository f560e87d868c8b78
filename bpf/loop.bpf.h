/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Loops whose body the verifier is to look at once and not for each round: most of what it takes to load a program
 * goes into those. A round costs a call, so this is for what is rarely done. Before Linux 5.17, which has
 * bpf_loop(), the verifier looks at each.
 */
#ifndef BPF_LOOP_BPF_H
#define BPF_LOOP_BPF_H

#include "bpf/kernel.bpf.h"

enum bpf_func_id___loop { BPF_FUNC_loop___loop = 181 };

/* each(u32 i, TYPE *ctx): for i from 0 to n - 1, and less than max, until it returns 1. */
#define loop(n, max, each, ctx)                                                                    \
	do {                                                                                       \
		u32 rounds_ = (n);                                                                 \
												   \
		if (bpf_core_enum_value_exists(enum bpf_func_id___loop, BPF_FUNC_loop___loop))     \
			bpf_loop(rounds_ < (max) ? rounds_ : (max), each, ctx, 0);                 \
		else                                                                               \
			for (u32 i_ = 0; i_ < (max) && i_ < rounds_ && !each(i_, ctx); i_++)       \
				;                                                                  \
	} while (0)

#endif
