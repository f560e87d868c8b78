/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Truth: 10,000 processes (or the second argument) that sleep and use no CPU. "ready" comes
 * when they are there; they end with this one.
 */
#include "work.h"

int main(int argc, char **argv)
{
	double seconds = work__begin(argc, argv, 10);
	long want = argc > 2 ? atol(argv[2]) : 10000, n = 0;

	setpgid(0, 0);
	for (; n < want; n++) {
		pid_t pid = fork();

		if (pid < 0)
			break;
		if (pid)
			continue;
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		prctl(PR_SET_NAME, "sleeper");
		for (;;)
			pause();
	}
	work__ready();
	sleep_ns((uint64_t)(seconds * 1e9));
	printf("{\"processes\":%ld}\n", n);
	fflush(stdout);
	signal(SIGTERM, SIG_IGN);
	kill(0, SIGTERM);
	return n < want;
}
