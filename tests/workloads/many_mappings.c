/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Truth: 100,000 executable mappings (or the second argument; vm.max_map_count has to allow
 * them) and all CPU time in mapped_function. "ready" comes when they are there.
 */
#include <fcntl.h>
#include <sys/mman.h>

#include "work.h"

static NOINLINE void mapped_function(void)
{
	burn(BURN_ROUNDS);
}

int main(int argc, char **argv)
{
	double seconds = work__begin(argc, argv, 10);
	long want = argc > 2 ? atol(argv[2]) : 100000, n = 0;
	int fd = open("/proc/self/exe", O_RDONLY);

	/* The same page again and again: neighbours of one offset are never merged. */
	while (n < want &&
	       mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0) != MAP_FAILED)
		n++;
	work__ready();
	for (uint64_t end = wall_ns() + (uint64_t)(seconds * 1e9); wall_ns() < end;)
		mapped_function();
	printf("{\"mappings\":%ld}\n", n);
	return n < want;
}
