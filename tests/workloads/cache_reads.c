// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reads pages of a file that are in the cache, again and again, at random: cache_reads FILE
 * COUNT [BYTES] prints the nanoseconds that one took, of the thread's CPU time. Each one is a
 * hit.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static double cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

int main(int argc, char **argv)
{
	int fd = argc > 2 ? open(argv[1], O_RDONLY) : -1;
	long count = argc > 2 ? atol(argv[2]) : 0;
	size_t bytes = argc > 3 ? (size_t)atol(argv[3]) : 4096;
	char *buffer = malloc(bytes);
	struct stat st;
	unsigned long pages, x = 1;
	double start;

	if (fd < 0 || !buffer || count <= 0 || fstat(fd, &st) || (size_t)st.st_size < bytes) {
		fprintf(stderr, "usage: cache_reads FILE COUNT [BYTES]\n");
		return 2;
	}
	pages = (unsigned long)(((size_t)st.st_size - bytes) / 4096 + 1);
	start = cpu_ns();
	for (long i = 0; i < count; i++) {
		x = x * 6364136223846793005ul + 1442695040888963407ul;
		if (pread(fd, buffer, bytes, (off_t)((x >> 33) % pages * 4096)) < 0)
			return 1;
	}
	printf("%.2f\n", (cpu_ns() - start) / (double)count);
	return 0;
}
