/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Truth: all CPU time is early_function's, and the process is gone after half a second: its
 * names must be known although nobody could read its /proc any more. Exit status 7.
 */
#include "work.h"

static NOINLINE void early_function(void)
{
	burn(BURN_ROUNDS);
}

int main(int argc, char **argv)
{
	double seconds = work__begin(argc, argv, 0.5);

	work__ready();
	for (uint64_t end = wall_ns() + (uint64_t)(seconds * 1e9); wall_ns() < end;)
		early_function();
	return 7;
}
