// SPDX-License-Identifier: GPL-2.0-only
/*
 * Page faults of which each one is known: touches PAGES FILE FILE_PAGES.
 * On SIGUSR1 touch_anonymous() writes to PAGES new pages and touch_file() reads FILE_PAGES of a file
 * that is not in memory; then it prints the process's faults meanwhile, as the kernel counts them.
 * On the next SIGUSR1 it ends.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "work.h"

#define PAGE 4096

static volatile char sink;

static void must(int failed, const char *what)
{
	if (failed) {
		perror(what);
		exit(1);
	}
}

NOINLINE static void touch_anonymous(char *at, int pages)
{
	for (int i = 0; i < pages; i++)
		((volatile char *)at)[(long)i * PAGE] = 1;
}

NOINLINE static void touch_file(const char *at, int pages)
{
	for (int i = 0; i < pages; i++)
		sink = at[(long)i * PAGE];
}

/* A file that has to be read: nothing of it is in memory, and nothing is read ahead. */
static char *map_cold(const char *path, int pages)
{
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
	char page[PAGE] = "x", *at;

	must(fd < 0, path);
	for (int i = 0; i < pages; i++)
		must(write(fd, page, PAGE) != PAGE, "write");
	must(fsync(fd), "fsync");
	must(posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED), "posix_fadvise");
	at = mmap(NULL, (size_t)pages * PAGE, PROT_READ, MAP_SHARED, fd, 0);
	must(at == MAP_FAILED, "mmap");
	must(madvise(at, (size_t)pages * PAGE, MADV_RANDOM), "madvise");
	return at;
}

int main(int argc, char **argv)
{
	int pages = argc > 1 ? atoi(argv[1]) : 1000, file_pages = argc > 3 ? atoi(argv[3]) : 100, sig;
	char *memory = mmap(NULL, (size_t)pages * PAGE, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *file = map_cold(argc > 2 ? argv[2] : "touches.tmp", file_pages);
	struct rusage before, after;
	sigset_t set;

	must(memory == MAP_FAILED, "mmap");
	madvise(memory, (size_t)pages * PAGE, MADV_NOHUGEPAGE);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	getrusage(RUSAGE_SELF, &before);
	work__ready();
	getrusage(RUSAGE_SELF, &before);
	sigwait(&set, &sig);
	touch_anonymous(memory, pages);
	touch_file(file, file_pages);
	getrusage(RUSAGE_SELF, &after);
	printf("{\"minor\": %ld, \"major\": %ld}\n", after.ru_minflt - before.ru_minflt,
	       after.ru_majflt - before.ru_majflt);
	fflush(stdout);
	sigwait(&set, &sig);
	return 0;
}
