/* SPDX-License-Identifier: GPL-2.0-only */
#include "tests/fuzz/fuzz.h"

#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"

static unsigned long through;

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

char *fuzz__string_and(const uint8_t *data, size_t size, char **rest)
{
	char *s = fuzz__string(data, size);
	size_t n = strlen(s);

	*rest = s + (n < size ? n + 1 : n);
	return s;
}

static void tell(void)
{
	fprintf(stderr, "stat::inputs_that_got_through: %lu\n", through);
}

int fuzz__through(bool yes)
{
	static bool begun;

	if (!begun && atexit(tell))
		die("no place to tell what got through");
	begun = true;
	through += yes;
	return 0;
}
