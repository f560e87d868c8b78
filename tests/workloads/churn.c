/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Truth: a process after another, each alive for about 5 ms of CPU in short_lived after an
 * exec; nearly all CPU time belongs to processes that are gone by the end of the interval.
 */
#include <sys/wait.h>

#include "work.h"

static NOINLINE void short_lived(void)
{
	/* The process used some before its exec. */
	uint64_t end = clock_ns(CLOCK_PROCESS_CPUTIME_ID) + 5 * MS;

	while (clock_ns(CLOCK_PROCESS_CPUTIME_ID) < end)
		burn(BURN_ROUNDS);
}

int main(int argc, char **argv)
{
	double seconds = work__begin(argc, argv, 10);
	uint64_t end = wall_ns() + (uint64_t)(seconds * 1e9);
	unsigned long n = 0;

	if (argc > 2) {
		short_lived();
		return 0;
	}
	work__ready();
	for (; wall_ns() < end; n++) {
		pid_t pid = fork();

		if (pid < 0)
			return 1;
		if (!pid) {
			execl(work__self(), "churn", "0", "child", NULL);
			_exit(127);
		}
		waitpid(pid, NULL, 0);
	}
	printf("{\"processes\":%lu}\n", n);
	return 0;
}
