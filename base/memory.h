/* SPDX-License-Identifier: GPL-2.0-only */
/* How much memory this process may use: its control groups' limits. Any thread. */
#ifndef BASE_MEMORY_H
#define BASE_MEMORY_H

#include <stdio.h>

#include "base/base.h"

#define MEMORY_NO_LIMIT UINT64_MAX

/* From now on so much is the limit at most: who is quiet takes less than a screen. Before there are other
 * threads. */
void memory__be_content(u64 bytes);

/* The least limit of the groups that this process began in and of those above, v2 and v1. */
u64 memory__limit(void);
/* What something may take that would like so many bytes: an eighth of the limit at most, or a
 * 32nd where that is little, as there are several of its kind, and the kernel's maps count too.
 */
u64 memory__share(u64 wanted);

/* Whether it is so little that what is sized for a machine has to be smaller. */
bool memory__is_little(void);

/* How many things are kept where `most` are when there is memory: where it is little so many for each CPU, as
 * what can happen in an interval grows with these. */
u32 memory__entries(u32 most, u32 for_each_cpu);

/* What the above read: /proc/self/cgroup, and mount points. */
struct cgroup_mounts;
u64 memory__limit_of(FILE *self_cgroup, const struct cgroup_mounts *mounts);

#endif
