/* SPDX-License-Identifier: GPL-2.0-only */
#include "symbols/openfile.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/caps.h"

/* A handle without any right: nothing on a device happens at its opening. */
static int open_handle(const char *root, const char *path)
{
	int dir, fd;

	if (!root[0])
		return caps__handle_for_caller(AT_FDCWD, path, 0);
	dir = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (dir < 0)
		return -errno;
	fd = caps__handle_for_caller(dir, path, RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS);
	close(dir);
	return fd;
}

int openfile__take(int handle)
{
	char self[32];
	struct stat sb;
	int fd;

	if (fstat(handle, &sb) || !S_ISREG(sb.st_mode)) {
		close(handle);
		return -EINVAL;
	}
	snprintf(self, sizeof(self), "/proc/self/fd/%d", handle);
	fd = open(self, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (fd < 0)
		fd = -errno;
	close(handle);
	return fd;
}

int openfile__regular(const char *root, const char *path)
{
	int handle = open_handle(root, path);

	return handle < 0 ? handle : openfile__take(handle);
}

int openfile__link(const char *path)
{
	int handle = open(path, O_PATH | O_CLOEXEC);

	return handle < 0 ? -errno : openfile__take(handle);
}

/* Bytes of "/proc/PID/"; 0: it does not begin so. */
static int process_part(const char *file)
{
	int n = 0;

	sscanf(file, "/proc/%*u/%n", &n);
	return n;
}

int openfile__seen(const char *file, char *path, char *root, size_t size)
{
	int part = process_part(file);
	ssize_t n;

	*root = '\0';
	copy_str(path, size, file);
	if (!part)
		return openfile__regular("", file);
	snprintf(root, size, "%.*sroot", part, file);
	if (!strncmp(file + part, "root/", 5)) {
		copy_str(path, size, file + part + 4);
		return openfile__regular(root, path);
	}
	n = readlink(file, path, size - 1);
	path[MAX(n, (ssize_t)0)] = '\0';
	return openfile__link(file);
}
