/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * files DIRECTORY: waits for SIGUSR1, works on files once, says in JSON what /proc/self/io counted
 * of it, and waits for SIGUSR1 again.
 *
 * Truth, of files in the directory (count, bytes):
 *	data		create 1, open 7, write 110 (410,600), read 205 (200,000), fsync 5, stat 39,
 *			truncate 1
 *	many		mkdir 1, rmdir 1 and 2 ENOTEMPTY, open 1, readdir 2
 *	many/0..19	create 1, write 1 (10), unlink 1 each
 *	missing		stat 40 ENOENT, open 11 ENOENT
 *	elsewhere	access 4 ENOENT, named "many/.././elsewhere"
 *	gone		create 1, write 1 (80), unlink 1; as "gone (deleted)" read 8 (80)
 *	old		create 1, write 1 (70), rename 1; read 6 (60)
 *	new		read 7 (70): the same file with its later name
 *	copy		create 1, write 3 (3,000) by sendfile, of source: read 3 (3,000)
 *	source		create 1, write 1 (3,000)
 *	hard		link 1; soft: symlink 1, readlink 2; all of these are unlinked once at the end
 * and of others: pipe write 50, read 50 (500 each), one more read of 1 byte that waits 60 ms and its
 * write (by the child); socket write 30, read 30 (210 each); eventfd write 4, read 4 (32 each);
 * memfd write 5 (500); /dev/null write 12 (36); no file: read 3 EBADF.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define TIMES(n) for (int i = 0; i < (n); i++)

static char buffer[4096];
static int dir;

static void must(long result, const char *what)
{
	if (result < 0) {
		perror(what);
		exit(1);
	}
}

static void must_fail(long result, int with, const char *what)
{
	if (result != -1 || errno != with) {
		fprintf(stderr, "%s did not fail as it has to\n", what);
		exit(1);
	}
}

#define MUST(call)	      must(call, #call)
#define MUST_FAIL(call, with) must_fail(call, with, #call)

static int made(const char *name)
{
	int fd = openat(dir, name, O_RDWR | O_CREAT | O_EXCL, 0600);

	MUST(fd);
	return fd;
}

static void with_data(const char *path)
{
	int fd = made("data"), again;
	struct stat st;

	TIMES(100)
		MUST(write(fd, buffer, 4096));
	TIMES(10)
		MUST(pwrite(fd, buffer, 100, i * 5000));
	TIMES(200)
		MUST(pread(fd, buffer, 1000, i * 1000));
	TIMES(5)
		MUST(pread(fd, buffer, 1000, 1 << 20));
	TIMES(3)
		MUST(fsync(fd));
	TIMES(2)
		MUST(fdatasync(fd));
	TIMES(20)
		MUST(fstatat(dir, "data", &st, 0));
	TIMES(10)
		MUST(stat(path, &st));
	TIMES(9)
		MUST(fstat(fd, &st));
	TIMES(7) {
		again = open(path, O_RDONLY);
		MUST(again);
		close(again);
	}
	/* 409,600 bytes were written at the begin, 1,000 over them. */
	MUST(ftruncate(fd, 100));
	close(fd);
}

static void with_many(void)
{
	char name[32], entries[4096];
	int fd;

	MUST(mkdirat(dir, "many", 0700));
	TIMES(20) {
		snprintf(name, sizeof(name), "many/%d", i);
		fd = made(name);
		MUST(write(fd, buffer, 10));
		close(fd);
	}
	MUST_FAIL(unlinkat(dir, "many", AT_REMOVEDIR), ENOTEMPTY);
	MUST_FAIL(unlinkat(dir, "many", AT_REMOVEDIR), ENOTEMPTY);
	fd = openat(dir, "many", O_RDONLY | O_DIRECTORY);
	MUST(fd);
	TIMES(2)
		MUST(syscall(SYS_getdents64, fd, entries, sizeof(entries)));
	close(fd);
	TIMES(20) {
		snprintf(name, sizeof(name), "many/%d", i);
		MUST(unlinkat(dir, name, 0));
	}
	TIMES(4)
		MUST_FAIL(faccessat(dir, "many/.././elsewhere", R_OK, 0), ENOENT);
	MUST(unlinkat(dir, "many/", AT_REMOVEDIR));
}

static void with_missing(const char *path)
{
	struct stat st;

	TIMES(40)
		MUST_FAIL(stat(path, &st), ENOENT);
	TIMES(11)
		MUST_FAIL(open(path, O_RDONLY), ENOENT);
}

static void with_names(void)
{
	int fd = made("gone");

	MUST(write(fd, buffer, 80));
	MUST(unlinkat(dir, "gone", 0));
	TIMES(8)
		MUST(pread(fd, buffer, 10, i * 10));
	close(fd);
	fd = made("old");
	MUST(write(fd, buffer, 70));
	TIMES(6)
		MUST(pread(fd, buffer, 10, i * 10));
	MUST(renameat(dir, "old", dir, "new"));
	TIMES(7)
		MUST(pread(fd, buffer, 10, i * 10));
	close(fd);
}

static void with_copies(void)
{
	int from = made("source"), to = made("copy");
	off_t at;

	MUST(write(from, buffer, 3000));
	TIMES(3) {
		at = i * 1000;
		MUST(sendfile(to, from, &at, 1000));
	}
	close(from);
	close(to);
}

static void with_links(void)
{
	static const char *const all[] = {"data", "new", "source", "copy", "hard", "soft"};

	MUST(linkat(dir, "data", dir, "hard", 0));
	MUST(symlinkat("data", dir, "soft"));
	TIMES(2)
		MUST(readlinkat(dir, "soft", buffer, sizeof(buffer)));
	TIMES(6)
		MUST(unlinkat(dir, all[i], 0));
}

static void echo(int in, int out, int n, size_t size)
{
	TIMES(n) {
		MUST(write(in, buffer, size));
		MUST(read(out, buffer, size));
	}
	close(in);
	if (in != out)
		close(out);
}

static void with_others(void)
{
	int ends[2], fd;
	pid_t child;

	MUST(pipe(ends));
	child = fork();
	if (!child) {
		usleep(60000);
		_exit(write(ends[1], "x", 1) != 1);
	}
	MUST(read(ends[0], buffer, 1));
	waitpid(child, NULL, 0);
	echo(ends[1], ends[0], 50, 10);
	MUST(socketpair(AF_UNIX, SOCK_STREAM, 0, ends));
	echo(ends[1], ends[0], 30, 7);
	fd = eventfd(0, 0);
	*(unsigned long long *)buffer = 1;
	echo(fd, fd, 4, 8);
	fd = memfd_create("secret", 0);
	TIMES(5)
		MUST(write(fd, buffer, 100));
	close(fd);
	fd = open("/dev/null", O_WRONLY);
	TIMES(12)
		MUST(write(fd, buffer, 3));
	close(fd);
	TIMES(3)
		MUST_FAIL(read(999, buffer, 1), EBADF);
}

/* What /proc/self/io says when it is read, and how long that is. */
static int counted(unsigned long long *rchar, unsigned long long *wchar)
{
	int fd = open("/proc/self/io", O_RDONLY), n;

	n = (int)read(fd, buffer, sizeof(buffer) - 1);
	close(fd);
	buffer[n > 0 ? n : 0] = '\0';
	sscanf(buffer, "rchar: %llu wchar: %llu", rchar, wchar);
	return n;
}

int main(int argc, char **argv)
{
	unsigned long long r0, w0, r1, w1;
	char data[4096], missing[4096];
	sigset_t set;
	int own, sig;

	if (argc < 2)
		return 2;
	snprintf(data, sizeof(data), "%s/data", argv[1]);
	snprintf(missing, sizeof(missing), "%s/missing", argv[1]);
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	dir = open(argv[1], O_PATH | O_DIRECTORY);
	MUST(dir);
	printf("ready %d\n", getpid());
	fflush(stdout);
	sigwait(&set, &sig);
	own = counted(&r0, &w0);
	with_data(data);
	with_many();
	with_missing(missing);
	with_names();
	with_copies();
	with_links();
	with_others();
	counted(&r1, &w1);
	printf("{\"read\": %llu, \"written\": %llu}\n", r1 - r0 - (unsigned)own, w1 - w0);
	fflush(stdout);
	sigwait(&set, &sig);
	return 0;
}
