/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Truth: all CPU time is deleted_function's, and the program's file is gone before it
 * begins: only /proc/PID/exe and map_files still reach it.
 */
#include <fcntl.h>
#include <sys/sendfile.h>
#include <sys/stat.h>

#include "work.h"

static NOINLINE void deleted_function(void)
{
	burn(BURN_ROUNDS);
}

static int copy_self(const char *path)
{
	int in = open("/proc/self/exe", O_RDONLY),
	    out = open(path, O_WRONLY | O_CREAT | O_EXCL, 0700);
	struct stat st;

	if (in < 0 || out < 0 || fstat(in, &st))
		return -1;
	while (st.st_size > 0) {
		ssize_t n = sendfile(out, in, NULL, (size_t)st.st_size);

		if (n <= 0)
			return -1;
		st.st_size -= n;
	}
	close(in);
	return close(out);
}

int main(int argc, char **argv)
{
	double seconds = work__begin(argc, argv, 10);
	const char *tmp = getenv("TMPDIR");
	char path[4096];

	if (argc < 3) {
		snprintf(path, sizeof(path), "%s/proftop-deleted-%d", tmp ? tmp : "/tmp", getpid());
		if (copy_self(path))
			return 1;
		execl(path, path, argc > 1 ? argv[1] : "10", path, NULL);
		return 1;
	}
	unlink(argv[2]);
	work__ready();
	for (uint64_t end = wall_ns() + (uint64_t)(seconds * 1e9); wall_ns() < end;)
		deleted_function();
	puts("{}");
	return 0;
}
