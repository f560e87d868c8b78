// SPDX-License-Identifier: GPL-2.0-only
#include "recording/spool.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CHUNK (256 * 1024)

static int spooled = -1;

static const char *folder(void)
{
	const char *dir = getenv("TMPDIR");

	return dir && *dir ? dir : "/var/tmp";
}

static int write_all(int fd, const char *data, ssize_t len)
{
	while (len > 0) {
		ssize_t n = write(fd, data, (size_t)len);

		if (n < 0 && errno != EINTR)
			return -errno;
		data += MAX(n, 0);
		len -= MAX(n, 0);
	}
	return 0;
}

static int copy(int from, int to)
{
	static char chunk[CHUNK];
	ssize_t n;
	int err = 0;

	while (!err && (n = read(from, chunk, sizeof(chunk)))) {
		if (n < 0 && errno != EINTR)
			err = -errno;
		else
			err = write_all(to, chunk, n);
	}
	return err;
}

/* What is left of it: keys come from the terminal. */
static void take_terminal(void)
{
	int tty = open("/dev/tty", O_RDWR | O_CLOEXEC);

	if (tty < 0)
		tty = open("/dev/null", O_RDONLY | O_CLOEXEC);
	if (tty < 0)
		return;
	dup2(tty, STDIN_FILENO);
	close(tty);
}

int spool__stdin(struct status *st)
{
	struct sigaction ignore = {.sa_handler = SIG_IGN}, before;
	int err;

	if (isatty(STDIN_FILENO))
		return status__set(
			st, EXIT_CODE_USAGE, -EINVAL,
			"--replay - reads standard input, which is a terminal: perf record "
			"-o - ... | proftop --replay -");
	spooled = open(folder(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (spooled < 0)
		return status__set(
			st, EXIT_CODE_FAILURE, -errno,
			"standard input cannot be kept in %.200s (%s): TMPDIR names another "
			"folder",
			folder(), strerror(errno));
	sigaction(SIGINT, &ignore, &before);
	err = copy(STDIN_FILENO, spooled);
	sigaction(SIGINT, &before, NULL);
	if (err)
		return status__set(st, EXIT_CODE_FAILURE, err,
				   "standard input cannot be kept in %.200s: %s", folder(),
				   strerror(-err));
	take_terminal();
	return 0;
}

int spool__open(void)
{
	int fd = spooled < 0 ? -1 : fcntl(spooled, F_DUPFD_CLOEXEC, 0);

	if (fd < 0)
		errno = spooled < 0 ? ENOENT : errno;
	else
		lseek(fd, 0, SEEK_SET);
	return fd;
}
