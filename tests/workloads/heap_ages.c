// SPDX-License-Identifier: GPL-2.0-only
/*
 * Objects of known ages: heap_ages N. On each SIGUSR1 it allocates N of 64 bytes, as many more each time, and says
 * between which two times (CLOCK_MONOTONIC). It ends with its parent.
 */
#include <stdio.h>
#include <stdlib.h>

#include "work.h"

static NOINLINE void keep(long n)
{
	for (long i = 0; i < n; i++) {
		void *p = malloc(64);

		__asm__ volatile("" : : "r"(p) : "memory");
	}
}

int main(int argc, char **argv)
{
	long n = argc > 1 ? atol(argv[1]) : 1000;
	static char out[BUFSIZ];
	sigset_t set;
	int sig;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	setvbuf(stdout, out, _IOFBF, sizeof(out));
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	work__ready();
	for (long times = 1; !sigwait(&set, &sig); times++) {
		uint64_t begin = wall_ns();

		keep(n * times);
		printf("{\"n\": %ld, \"begin_ns\": %llu, \"end_ns\": %llu}\n", n * times, (unsigned long long)begin,
		       (unsigned long long)wall_ns());
		fflush(stdout);
	}
	return 0;
}
