/* SPDX-License-Identifier: GPL-2.0-only */
/* File descriptors that this process has: as many after a test as before it. */
#ifndef TESTS_LIB_FDS_H
#define TESTS_LIB_FDS_H

#include <dirent.h>

#include "base/base.h"

static inline u32 count_fds(void)
{
	DIR *d = opendir("/proc/self/fd");
	u32 n = 0;

	while (readdir(d))
		n++;
	closedir(d);
	return n;
}

#endif
