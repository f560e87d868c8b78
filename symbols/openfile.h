/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Opens files that somebody else named: debug files, sources, dwz files. Only regular
 * files, without blocking and without side effects on devices; below a root, links that
 * lead out of it are resolved inside it as the process itself would (openat2); and only what
 * whoever called us may read (base/caps.h). Any thread.
 */
#ifndef SYMBOLS_OPENFILE_H
#define SYMBOLS_OPENFILE_H

#include "base/base.h"

/* root: "/proc/PID/root" or "" for our own. path: absolute; below a root it is resolved in
 * there. A read-only descriptor, or -errno (-EINVAL: not a regular file). */
int openfile__regular(const char *root, const char *path);
/* The same by a link of the kernel's (/proc/PID/exe, /proc/PID/map_files/...), which leads to the
 * inode whatever its name is now. */
int openfile__link(const char *path);
/* The same by a path that may lead through a process ("/proc/PID/exe", "/proc/PID/root/..."): path
 * and root, of `size` bytes each, are what its debug file is looked for by. */
int openfile__seen(const char *file, char *path, char *root, size_t size);
/* The same from a handle (O_PATH), which is closed. */
int openfile__take(int handle);

#endif
