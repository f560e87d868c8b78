/* SPDX-License-Identifier: GPL-2.0-only */
/* The debug information of a program that a test has built in its scratch folder. */
#ifndef TESTS_LIB_OPEN_DEBUGINFO_H
#define TESTS_LIB_OPEN_DEBUGINFO_H

#include <fcntl.h>
#include <unistd.h>

#include "base/arena.h"
#include "symbols/debuginfo.h"
#include "tests/lib/scratch.h"

static struct debuginfo *open_it(const char *name, const char *root, char *note, size_t size)
{
	char *path = xasprintf("%s/%s", scratch_dir, name);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct debuginfo *d;

	assert_true(fd >= 0);
	d = debuginfo__open(fd, path, root, note, size);
	close(fd);
	free(path);
	return d;
}

#endif
