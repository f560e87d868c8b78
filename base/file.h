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
/* The first line, without its end; false: there is none. */
bool file__line(const char *path, char *buf, size_t size);
/* The number that the file begins with; otherwise: there is none. */
long file__number(const char *path, long otherwise);
/* Of lines such as "VmRSS: 12 kB": what follows the name, of the first one that has it; false: none has. */
bool file__field(const char *path, const char *name, char *buf, size_t size);

/* Of lines "NAME VALUE" or "NAME: VALUE kB": times unit it is added to *to. */
struct file_value {
	const char *name;
	u64 *to;
	u64 unit;
};
void file__add_values(const char *path, const struct file_value *v, u32 n);

#endif
