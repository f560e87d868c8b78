/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Truth: every sample is in recurse, 200 (or the second argument) frames of it deep, below
 * main: deeper than the kernel's stack walk reaches, so its outermost frames are missing.
 */
#include "work.h"

static NOINLINE int recurse(int depth)
{
	int below = 0;

	if (depth > 1)
		below = recurse(depth - 1);
	else
		burn(BURN_ROUNDS);
	__asm__ volatile("" : "+r"(below)); /* or the call is the function's last act */
	return below + 1;
}

int main(int argc, char **argv)
{
	double seconds = work__begin(argc, argv, 10);
	int depth = argc > 2 ? atoi(argv[2]) : 200, reached = 0;

	work__ready();
	for (uint64_t end = wall_ns() + (uint64_t)(seconds * 1e9); wall_ns() < end;)
		reached = recurse(depth);
	printf("{\"depth\":%d}\n", reached);
	return 0;
}
