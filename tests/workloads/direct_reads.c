/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Truth: "reader" reads 1 MiB at random places of a file past the page cache, in
 * reads_directly called by reader, and waits for the disk each time: state D. The second
 * argument is a folder on a real disk; the file in it is unlinked at once. Fails when the
 * file system has no O_DIRECT.
 */
#include "wait_log.h"

#define FILE_BYTES (64UL << 20)
#define READ_BYTES (1UL << 20)

static NOINLINE long reads_directly(int fd, void *to, uint64_t at)
{
	return raw_syscall(SYS_pread64, fd, (long)to, READ_BYTES, (long)at, 0, 0);
}

static int make_file(const char *folder)
{
	char path[4096];
	static char block[1 << 20];
	int fd;

	snprintf(path, sizeof(path), "%s/proftop-direct-reads-%d", folder, getpid());
	fd = open(path, O_CREAT | O_EXCL | O_RDWR, 0600);
	memset(block, 'x', sizeof(block));
	for (uint64_t at = 0; fd >= 0 && at < FILE_BYTES; at += sizeof(block))
		if (write(fd, block, sizeof(block)) != sizeof(block))
			break;
	fsync(fd);
	close(fd);
	fd = open(path, O_RDONLY | O_DIRECT);
	unlink(path);
	return fd;
}

static NOINLINE int reader(struct wait_log *l, int fd)
{
	void *to = aligned_alloc(4096, READ_BYTES);
	uint64_t at = 0;

	wait_log__begin(l, "reader");
	while (going_on()) {
		long got;

		at = (at * 6364136223846793005ULL + 1442695040888963407ULL) & (FILE_BYTES - 1);
		LOGGED(l, "disk", got = reads_directly(fd, to, at / READ_BYTES * READ_BYTES));
		if (got != (long)READ_BYTES)
			return 1;
	}
	return 0;
}

int main(int argc, char **argv)
{
	double seconds = work__begin(argc, argv, 10);
	struct wait_log *log = wait_logs__new(1, seconds);
	int fd = make_file(argc > 2 ? argv[2] : "/var/tmp");

	if (fd < 0) {
		perror("direct_reads");
		return 1;
	}
	work__ready();
	if (reader(log, fd))
		return 1;
	wait_logs__print(log, 1);
	return 0;
}
