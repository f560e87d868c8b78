// SPDX-License-Identifier: GPL-2.0-only
/*
 * Very many live objects of very many stacks: heap_many OBJECTS STACKS SIZE. On SIGUSR1 it allocates all of
 * them, of each stack as many, and says so in a line; on the next one it frees every second one of each stack and
 * says so; on the third it ends.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "work.h"

#define BRANCHES 17 /* 2^17 paths */

static size_t size;

/* Each bit of the path is one of two places that it calls itself from. */
static NOINLINE void *allocate(unsigned path, int depth)
{
	void *p;

	if (!depth)
		return malloc(size);
	if (path & 1) {
		p = allocate(path >> 1, depth - 1);
		__asm__ volatile("# one place" : "+r"(p)); /* they differ, so that there are two */
	} else {
		p = allocate(path >> 1, depth - 1);
		__asm__ volatile("# the other one" : "+r"(p));
	}
	return p;
}

static void say(long n)
{
	printf("{\"held\": %ld, \"bytes\": %ld}\n", n, n * (long)size);
	fflush(stdout);
}

int main(int argc, char **argv)
{
	long n = argc > 1 ? atol(argv[1]) : 1000, stacks = argc > 2 ? atol(argv[2]) : 100, kept = 0;
	static char out[BUFSIZ];
	void **all = mmap(NULL, (size_t)n * sizeof(*all), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	sigset_t set;
	int sig;

	size = argc > 3 ? (size_t)atol(argv[3]) : 64;
	if (n < 1 || stacks < 1 || stacks > 1 << BRANCHES || all == MAP_FAILED)
		return 2;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	setvbuf(stdout, out, _IOFBF, sizeof(out));
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	work__ready();
	sigwait(&set, &sig);
	for (long i = 0; i < n; i++)
		all[i] = allocate((unsigned)(i % stacks), BRANCHES);
	say(n);
	sigwait(&set, &sig);
	for (long i = 0; i < n; i++)
		if (i / stacks % 2)
			free(all[i]);
		else
			kept++;
	say(kept);
	sigwait(&set, &sig);
	return 0;
}
