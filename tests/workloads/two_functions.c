/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Truth: of this thread's CPU time 70 % is hot_70's own and 30 % hot_30's, by the thread's
 * clock, whatever else runs; both are called by work, work by main. With a second argument it is
 * the other way round: hot_70 has 30 %.
 */
#include "work.h"

static NOINLINE void hot_70(void)
{
	burn(BURN_ROUNDS);
}

static NOINLINE void hot_30(void)
{
	burn(BURN_ROUNDS);
}

/* Slices longer than a sampling period: each is hit by its share of samples, not by chance. */
static NOINLINE void work(uint64_t end, int swapped, uint64_t spent[2])
{
	const uint64_t slice[2] = {swapped ? 9 * MS : 21 * MS, swapped ? 21 * MS : 9 * MS};
	uint64_t due[2] = {0, 0}, from = cpu_ns(), now;

	while (wall_ns() < end) {
		for (int i = 0; i < 2; i++) {
			for (due[i] += slice[i]; spent[i] < due[i]; from = now) {
				i ? hot_30() : hot_70();
				now = cpu_ns();
				spent[i] += now - from;
			}
		}
	}
}

int main(int argc, char **argv)
{
	double seconds = work__begin(argc, argv, 10);
	uint64_t spent[2] = {0, 0};

	work__ready();
	work(wall_ns() + (uint64_t)(seconds * 1e9), argc > 2, spent);
	printf("{\"hot_70_ns\":%lu,\"hot_30_ns\":%lu,\"hot_70_pct\":%.3f}\n", spent[0], spent[1],
	       100.0 * (double)spent[0] / (double)(spent[0] + spent[1]));
	return 0;
}
