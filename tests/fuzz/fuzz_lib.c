/* SPDX-License-Identifier: GPL-2.0-only */
#include "tests/fuzz/fuzz.h"

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/arena.h"

int fuzz__file(const uint8_t *data, size_t size)
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC);

	/* Files that nobody else may write are mapped, others are read: try both. */
	if (fd < 0 || fchmod(fd, size & 1 ? 0644 : 0666) ||
	    write(fd, data, size) != (ssize_t)size || lseek(fd, 0, SEEK_SET))
		die("no file in memory");
	return fd;
}

char *fuzz__string(const uint8_t *data, size_t size)
{
	char *s = xmalloc(size + 1);

	memcpy(s, data, size);
	s[size] = '\0';
	return s;
}
