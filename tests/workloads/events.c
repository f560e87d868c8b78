/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Truth: for events counted one by one. Every 10 ms touch_pages has 64 page faults and
 * then switch_away one voluntary context switch; the JSON has the sums as the kernel counted
 * them in these two functions.
 */
#include <sys/mman.h>
#include <sys/resource.h>

#include "work.h"

#define PAGES 64

static NOINLINE void touch_pages(void)
{
	volatile char *at = mmap(NULL, PAGES * 4096, PROT_READ | PROT_WRITE,
				 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	madvise((void *)at, PAGES * 4096, MADV_NOHUGEPAGE);
	for (int i = 0; i < PAGES; i++)
		at[i * 4096] = 1;
	munmap((void *)at, PAGES * 4096);
}

static NOINLINE void switch_away(void)
{
	sleep_ns(10 * MS);
}

int main(int argc, char **argv)
{
	double seconds = work__begin(argc, argv, 10);
	struct rusage a, b;
	uint64_t end;

	work__ready();
	end = wall_ns() + (uint64_t)(seconds * 1e9);
	getrusage(RUSAGE_SELF, &a);
	while (wall_ns() < end) {
		touch_pages();
		switch_away();
	}
	getrusage(RUSAGE_SELF, &b);
	printf("{\"page_faults\":%ld,\"switches\":%ld}\n", b.ru_minflt - a.ru_minflt,
	       b.ru_nvcsw - a.ru_nvcsw);
	return 0;
}
