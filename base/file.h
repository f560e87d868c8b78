/* SPDX-License-Identifier: GPL-2.0-only */
/* Small files of the kernel's, read whole. */
#ifndef BASE_FILE_H
#define BASE_FILE_H

#include <fcntl.h>
#include <sys/types.h>

#include "base/base.h"

/* What fits into buf, ended by a NUL, which buf has in any case. Its length, or -errno of a file that
 * cannot be read. dirfd: as of openat(2). Any thread. */
ssize_t file__read(int dirfd, const char *path, char *buf, size_t size);

#endif
