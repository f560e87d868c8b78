// SPDX-License-Identifier: GPL-2.0-only
/* Names that are looked up: how large the kernel's cache of them is. */
#include <stdio.h>

#include "base/file.h"
#include "bpf/lookups.h"
#include "sources/measures.h"

/* /proc/sys/fs/dentry-state: dentries, unused ones, two of age and room, negative ones (Linux 5.0 on). */
static bool lookups__levels(void *ctx, u64 v[MEASURE_LEVELS])
{
	unsigned long long dentries, unused, negative;
	char line[128];

	if (!file__line("/proc/sys/fs/dentry-state", line, sizeof(line)) ||
	    sscanf(line, "%llu %llu %*u %*u %llu", &dentries, &unused, &negative) != 3)
		return false;
	v[LOOKUPS_DENTRIES] = dentries;
	v[LOOKUPS_UNUSED] = unused;
	v[LOOKUPS_NEGATIVE_DENTRIES] = negative;
	return true;
}

const struct measure_hooks lookups_hooks = {
	.levels = lookups__levels,
};
