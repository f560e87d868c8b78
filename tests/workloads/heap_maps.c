// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memory that a program maps itself: heap_maps N. On SIGUSR1 it maps N pieces of 64 KiB and keeps them, maps and
 * unmaps twice as many, moves one page to 10, reserves 1 MiB without rights, allocates N blocks of 1 MiB, which its
 * allocator maps, and raises its break by 8 KiB; then it says what it has. On the next it ends with status 7.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "work.h"

#define PIECE 65536
#define BLOCK (1u << 20)

static char *volatile kept;

static char *map(size_t size, int rights)
{
	char *p = mmap(NULL, size, rights, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		exit(1);
	return p;
}

static NOINLINE void keep_maps(int n)
{
	for (int i = 0; i < n; i++)
		kept = map(PIECE, PROT_READ | PROT_WRITE);
}

static NOINLINE void churn_maps(int n)
{
	for (int i = 0; i < n; i++)
		munmap(map(PIECE, PROT_READ | PROT_WRITE), PIECE);
}

static NOINLINE void move_map(void)
{
	kept = mremap(map(4096, PROT_READ | PROT_WRITE), 4096, 40960, MREMAP_MAYMOVE);
}

static NOINLINE void keep_blocks(int n)
{
	for (int i = 0; i < n; i++) {
		kept = malloc(BLOCK);
		*kept = 1;
	}
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 10, sig;
	sigset_t set;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	setvbuf(stdout, NULL, _IONBF, 0);
	work__ready();
	sigwait(&set, &sig);
	keep_maps(n);
	churn_maps(2 * n);
	move_map();
	map(BLOCK, PROT_NONE);
	keep_blocks(n);
	sbrk(8192);
	printf("{\"mmap\": %d, \"maps\": %d, \"malloc\": %u, \"brk\": 8192}\n", n * PIECE + 40960, 3 * n + 2,
	       n * BLOCK);
	sigwait(&set, &sig);
	return 7;
}
