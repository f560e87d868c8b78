// SPDX-License-Identifier: GPL-2.0-only
/*
 * Page faults whose cause is known: fault_causes PAGES FILE. On SIGUSR1 touch_new() writes to PAGES new pages;
 * copy_pages() writes to them again while a child has them, too; copy_file() writes to PAGES of a private mapping of the
 * file; dirty_file() writes to as many of a shared one that were read before. Then it says so; on the next it ends.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
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

static inline __attribute__((always_inline)) void write_all(char *at, int pages)
{
	for (int i = 0; i < pages; i++)
		((volatile char *)at)[(long)i * PAGE]++;
}

NOINLINE static void touch_new(char *at, int pages)
{
	write_all(at, pages);
	__asm__ volatile("");
}

NOINLINE static void copy_pages(char *at, int pages)
{
	write_all(at, pages);
	__asm__ volatile("nop");
}

NOINLINE static void copy_file(char *at, int pages)
{
	write_all(at, pages);
	__asm__ volatile("nop; nop");
}

NOINLINE static void dirty_file(char *at, int pages)
{
	write_all(at, pages);
	__asm__ volatile("nop; nop; nop");
}

NOINLINE static void read_file(char *at, int pages)
{
	for (int i = 0; i < pages; i++)
		sink = at[(long)i * PAGE];
}

static void with_child(char *at, int pages)
{
	int pipes[2], pid;
	char c;

	must(pipe(pipes), "pipe");
	pid = fork();
	must(pid < 0, "fork");
	if (!pid) {
		close(pipes[1]);
		_exit(read(pipes[0], &c, 1) != 0);
	}
	close(pipes[0]);
	copy_pages(at, pages);
	close(pipes[1]);
	waitpid(pid, NULL, 0);
}

static char *map_file(const char *path, int pages, int how)
{
	int fd = open(path, O_RDWR | O_CREAT, 0600);
	char page[PAGE] = "x", *at;

	must(fd < 0, path);
	for (int i = 0; i < pages; i++)
		must(pwrite(fd, page, PAGE, (off_t)i * PAGE) != PAGE, "write");
	must(fsync(fd), "fsync"); /* clean, so that writing to it is to be seen */
	at = mmap(NULL, (size_t)pages * PAGE, PROT_READ | PROT_WRITE, how, fd, 0);
	must(at == MAP_FAILED, "mmap");
	return at;
}

int main(int argc, char **argv)
{
	int pages = argc > 1 ? atoi(argv[1]) : 100, sig;
	size_t size = (size_t)pages * PAGE;
	char *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *private, *shared;
	sigset_t set;

	must(argc < 3 || memory == MAP_FAILED, "fault_causes PAGES FILE");
	private = map_file(argv[2], pages, MAP_PRIVATE);
	shared = map_file(argv[2], pages, MAP_SHARED);
	madvise(memory, size, MADV_NOHUGEPAGE);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	work__ready();
	sigwait(&set, &sig);
	touch_new(memory, pages);
	with_child(memory, pages);
	copy_file(private, pages);
	read_file(shared, pages);
	dirty_file(shared, pages);
	printf("{\"pages\": %d}\n", pages);
	fflush(stdout);
	sigwait(&set, &sig);
	return 0;
}
