/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Truth: whatever it does off the CPU is one wait, in sleeps_here called by middle by outer by
 * main; what it does on the CPU is in burns_here called by the same ones. Tests build it without
 * frame pointers: then only unwind tables lead through these frames.
 */
#include "work.h"

static NOINLINE void burns_here(void)
{
	burn(20 * BURN_ROUNDS);
}

static NOINLINE void sleeps_here(void)
{
	sleep_ns(20 * MS);
	burn(1); /* no tail call */
}

static NOINLINE void middle(void)
{
	burns_here();
	sleeps_here();
	burn(1);
}

static NOINLINE void outer(void)
{
	middle();
	burn(1);
}

int main(int argc, char **argv)
{
	double seconds = work__begin(argc, argv, 10);
	uint64_t end = wall_ns() + (uint64_t)(seconds * SECOND);

	work__ready();
	while (wall_ns() < end)
		outer();
	return 0;
}
