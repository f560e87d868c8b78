/* SPDX-License-Identifier: GPL-2.0-only */
/* Which CPUs share a last-level cache, as the kernel has it in sysfs. */
#ifndef SOURCES_SHARED_CACHE_H
#define SOURCES_SHARED_CACHE_H

#include "base/base.h"

#define SHARED_CACHE_CPUS "/sys/devices/system/cpu"

struct shared_cache {
	u32 first;     /* of its CPUs */
	char cpus[28]; /* all of them, as "0-7,64-71"; a longer list is cut at a comma and ends in ",.." */
};

/* cpus: SHARED_CACHE_CPUS, or a folder that looks like it. A CPU of which it is not known shares it with none. */
void shared_cache__of(struct shared_cache *c, const char *cpus, u32 cpu);

#endif
