/* SPDX-License-Identifier: GPL-2.0-only */
/* What the memory controller says of one control group, of either version. */
#ifndef SOURCES_CGROUP_MEMORY_H
#define SOURCES_CGROUP_MEMORY_H

#include "base/base.h"

/* "cgroup /web has 40 of 64 MiB: anon 20, file 18, kernel 2, slab 1" (MiB) of a path below a mount point; false:
 * no mounted hierarchy with the memory controller has it. Reads files of cgroupfs; any thread. */
bool cgroup_memory__text(const char *path, char *buf, size_t size);

#endif
