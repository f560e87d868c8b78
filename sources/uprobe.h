/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Probes on functions of programs by links of the kind uprobe_multi, Linux 6.6 or later: what they
 * take is the right to load the program, where an event of perf's takes CAP_SYS_ADMIN since 6.13.
 */
#ifndef SOURCES_UPROBE_H
#define SOURCES_UPROBE_H

#include "base/base.h"

/* The attach type that such a program is loaded with, which older headers do not have. */
#define UPROBE_MULTI_TYPE 48

/* The file that is meant by a name without a slash: a library where the linker looks, a program in
 * PATH. False: there is none. */
bool uprobe__find_file(const char *name, char *path, size_t size);

/* Where a function begins in its file; -ENOENT: no symbol of that name is there, -ENOEXEC: this is
 * no ELF file. */
int uprobe__offset(const char *path, const char *function, u64 *offset);

/* The link's descriptor, which detaches when it is closed; -errno. */
int uprobe__attach(int prog, const char *path, u64 offset, bool returns, u64 cookie);

#endif
