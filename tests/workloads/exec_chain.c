/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Truth: one process, three programs after each other: a third of its CPU time each in
 * stage_one, stage_two and stage_three; the pid stays the same.
 */
#include "work.h"

static NOINLINE void stage_one(void)
{
	burn(BURN_ROUNDS);
}

static NOINLINE void stage_two(void)
{
	burn(BURN_ROUNDS);
}

static NOINLINE void stage_three(void)
{
	burn(BURN_ROUNDS);
}

int main(int argc, char **argv)
{
	void (*const stages[])(void) = {stage_one, stage_two, stage_three};
	double seconds = work__begin(argc, argv, 9);
	int stage = argc > 2 ? atoi(argv[2]) : 0;
	uint64_t end = (uint64_t)(seconds / 3 * 1e9) * (uint64_t)(stage + 1);
	char next[2] = {(char)('1' + stage), '\0'};

	if (stage < 0 || stage > 2)
		return 2;
	if (!stage)
		work__ready();
	while (clock_ns(CLOCK_PROCESS_CPUTIME_ID) < end)
		stages[stage]();
	if (stage < 2) {
		execl(work__self(), "exec_chain", argc > 1 ? argv[1] : "9", next, NULL);
		return 1;
	}
	puts("{\"stages\":3}");
	return 0;
}
