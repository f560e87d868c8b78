// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memory by where it is touched: heap_pages N. On each SIGUSR1 it does a step, and says so with what the kernel says
 * that it has (RssAnon, in pages): touch_large() touches N pages of one block, touch_small() N blocks of a page with
 * their heads, touch_file() writes to N pages of a private file; give_back() gives the second half of the large block
 * back, free_large() frees it, touch_again() touches N pages of a new one and has a child; copy_half() writes to half of
 * them, which the kernel copies then, and child_ends() has the child end; then it ends.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "work.h"

#define PAGE 4096

static char *large, *file;
static long n, before;

static NOINLINE void touch_large(void)
{
	for (long i = 0; i < n; i++)
		large[i * PAGE] = 1;
}

static NOINLINE void touch_small(void)
{
	for (long i = 0; i < n; i++)
		*(volatile char *)malloc(PAGE) = 1;
}

static NOINLINE void touch_file(void)
{
	for (long i = 0; i < n; i++)
		file[i * PAGE] = 1;
}

static NOINLINE void give_back(void)
{
	madvise(large + n / 2 * PAGE, (size_t)(n - n / 2) * PAGE, MADV_DONTNEED);
}

static NOINLINE void free_large(void)
{
	munmap(large, (size_t)n * PAGE);
}

static void *map(int fd);
static pid_t child;

static NOINLINE void touch_again(void)
{
	large = map(-1);
	for (long i = 0; i < n; i++)
		large[i * PAGE] = 1;
	child = fork();
	if (!child) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;)
			pause();
	}
}

static NOINLINE void copy_half(void)
{
	for (long i = 0; i < n / 2; i++)
		large[i * PAGE] = 2;
}

static NOINLINE void child_ends(void)
{
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
}

static long rss(void)
{
	char line[256];
	long kb = 0;
	FILE *f = fopen("/proc/self/status", "r");

	while (f && fgets(line, sizeof(line), f) && sscanf(line, "RssAnon: %ld", &kb) != 1)
		;
	if (f)
		fclose(f);
	return kb * 1024 / PAGE;
}

static void *map(int fd)
{
	void *p = mmap(NULL, (size_t)n * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | (fd < 0 ? MAP_ANONYMOUS : 0), fd, 0);

	if (p == MAP_FAILED)
		exit(2);
	madvise(p, (size_t)n * PAGE, MADV_NOHUGEPAGE);
	return p;
}

int main(int argc, char **argv)
{
	void (*const steps[])(void) = {touch_large, touch_small, touch_file, give_back, free_large,
				       touch_again, copy_half, child_ends};
	int fd = memfd_create("pages", 0), sig;
	sigset_t set;

	n = argc > 1 ? atol(argv[1]) : 1000;
	if (n < 2 || ftruncate(fd, n * PAGE))
		return 2;
	large = map(-1);
	file = map(fd);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	before = rss();
	work__ready();
	for (size_t i = 0; i < sizeof(steps) / sizeof(*steps) && !sigwait(&set, &sig); i++) {
		before = rss();
		steps[i]();
		printf("{\"pages\": %ld}\n", rss() - before);
		fflush(stdout);
	}
	return sigwait(&set, &sig);
}
