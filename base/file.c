// SPDX-License-Identifier: GPL-2.0-only
#include "base/file.h"

#include <errno.h>
#include <unistd.h>

ssize_t file__read(int dirfd, const char *path, char *buf, size_t size)
{
	int fd = openat(dirfd, path, O_RDONLY | O_CLOEXEC);
	ssize_t got = fd < 0 ? -1 : 0;
	size_t n = 0;

	while (fd >= 0 && n < size - 1 && (got = read(fd, buf + n, size - 1 - n)) > 0)
		n += (size_t)got;
	buf[n] = '\0';
	got = got < 0 && !n ? -errno : (ssize_t)n;
	if (fd >= 0)
		close(fd);
	return got;
}
