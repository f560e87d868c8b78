// SPDX-License-Identifier: GPL-2.0-only
/* Names that are looked up: how large the kernel's cache of them is. */
#include <stdio.h>

#include "base/file.h"
#include "sources/measures.h"

/* /proc/sys/fs/dentry-state: dentries, unused ones, two of age and room, negative ones (Linux 5.0 on). */
static void lookups__health(void *ctx, struct health *h)
{
	unsigned long long dentries, unused, negative;
	char line[128];

	if (file__line("/proc/sys/fs/dentry-state", line, sizeof(line)) &&
	    sscanf(line, "%llu %llu %*u %*u %llu", &dentries, &unused, &negative) == 3)
		health__say(h, "dentry cache: %llu names, %llu unused, %llu of what is not there", dentries, unused,
			    negative);
}

const struct measure_hooks lookups_hooks = {
	.health = lookups__health,
};
