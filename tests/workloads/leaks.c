// SPDX-License-Identifier: GPL-2.0-only
/*
 * For allocators that profile themselves: leaks N SIZE. leak_blocks() loses N blocks of SIZE bytes, free_blocks()
 * frees as many. With a third argument a jemalloc below it writes its profile there. Exit status 3.
 */
#include <dlfcn.h>
#include <stdlib.h>

#include "work.h"

static void *volatile last;

static NOINLINE void leak_blocks(int n, size_t size)
{
	for (int i = 0; i < n; i++)
		last = malloc(size);
	last = NULL;
}

static NOINLINE void free_blocks(int n, size_t size)
{
	for (int i = 0; i < n; i++) {
		last = malloc(size);
		free(last);
	}
	last = NULL;
}

static void dump(const char *path)
{
	int (*mallctl)(const char *, void *, size_t *, void *, size_t) = dlsym(RTLD_DEFAULT, "mallctl");

	if (!mallctl || mallctl("prof.dump", NULL, NULL, &path, sizeof(path)))
		exit(1);
}

int main(int argc, char **argv)
{
	if (argc < 3)
		return 2;
	leak_blocks(atoi(argv[1]), strtoul(argv[2], NULL, 10));
	free_blocks(atoi(argv[1]), strtoul(argv[2], NULL, 10));
	if (argc > 3)
		dump(argv[3]);
	return 3;
}
