/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Truth: all CPU time is at addresses of has_inlined, in code that innermost, inlined into
 * middle, inlined into has_inlined, put there; only DWARF knows.
 */
#include "work.h"

static inline __attribute__((always_inline)) uint64_t innermost(uint64_t x)
{
	for (int i = 0; i < BURN_ROUNDS; i++) {
		x = x * 6364136223846793005ULL + 1442695040888963407ULL;
		__asm__ volatile("" : "+r"(x));
	}
	return x;
}

static inline __attribute__((always_inline)) uint64_t middle(uint64_t x)
{
	return innermost(x ^ 5) + 1;
}

static NOINLINE uint64_t has_inlined(uint64_t x)
{
	__asm__ volatile("" ::"r"(__builtin_frame_address(0)));
	return middle(x + 3);
}

int main(int argc, char **argv)
{
	double seconds = work__begin(argc, argv, 10);
	uint64_t x = 1;

	work__ready();
	for (uint64_t end = wall_ns() + (uint64_t)(seconds * 1e9); wall_ns() < end;)
		x = has_inlined(x);
	printf("{\"x\":%lu}\n", x);
	return 0;
}
