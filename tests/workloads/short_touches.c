// SPDX-License-Identifier: GPL-2.0-only
/*
 * Truth: short_touches SECONDS COUNT PAUSE: so many processes one after another, with a pause of so many ms
 * between them. Each touches 70 new pages in touch_70() and 30 in touch_30(), in turn, and ends. The JSON
 * has their number.
 */
#include <sys/mman.h>
#include <sys/wait.h>

#include "work.h"

#define PAGE  4096
#define PAGES 100

static NOINLINE void touch_70(volatile char *page)
{
	*page = 70;
}

static NOINLINE void touch_30(volatile char *page)
{
	*page = 30;
}

static void touch_all(void)
{
	char *memory = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	madvise(memory, PAGES * PAGE, MADV_NOHUGEPAGE);
	for (long i = 0; i < PAGES; i++)
		if (i % 10 < 7)
			touch_70(memory + i * PAGE);
		else
			touch_30(memory + i * PAGE);
}

int main(int argc, char **argv)
{
	double seconds = work__begin(argc, argv, 60);
	long count = argc > 2 ? atol(argv[2]) : 1000, pause = argc > 3 ? atol(argv[3]) : 0, n = 0;
	uint64_t end;

	work__ready();
	end = wall_ns() + (uint64_t)(seconds * 1e9);
	for (; n < count && wall_ns() < end; n++) {
		pid_t pid = fork();

		if (pid < 0)
			return 1;
		if (!pid) {
			touch_all();
			_exit(0);
		}
		waitpid(pid, NULL, 0);
		sleep_ns((uint64_t)pause * MS);
	}
	printf("{\"processes\":%ld}\n", n);
	return 0;
}
