// SPDX-License-Identifier: GPL-2.0-only
#include "sources/shared_cache.h"

#include <stdio.h>
#include <stdlib.h>

#define INDICES 8 /* a CPU has caches of data, of instructions, and of both */

/* A line of what is said of a CPU's cache, without its end; false: it is not there. */
static bool line_of(const char *cpus, u32 cpu, u32 index, const char *what, char *buf, size_t size)
{
	char path[256];
	bool found;
	FILE *f;

	snprintf(path, sizeof(path), "%s/cpu%u/cache/index%u/%s", cpus, cpu, index, what);
	f = fopen(path, "re");
	if (!f)
		return false;
	found = fgets(buf, (int)size, f) && buf[0] >= '0' && buf[0] <= '9';
	fclose(f);
	if (found)
		buf[strcspn(buf, "\n")] = '\0';
	return found;
}

#define MORE ",.."

static void cut(char *to, size_t size, char *list)
{
	bool whole = strlen(list) < size;
	char *comma;

	while (!whole && strlen(list) + strlen(MORE) >= size && (comma = strrchr(list, ',')))
		*comma = '\0';
	copy_str(to, size, list);
	if (!whole && strlen(list) + strlen(MORE) < size)
		strcat(to, MORE);
}

void shared_cache__of(struct shared_cache *c, const char *cpus, u32 cpu)
{
	char line[512], list[512];
	int last = 0;

	snprintf(list, sizeof(list), "%u", cpu);
	for (u32 i = 0; i < INDICES && line_of(cpus, cpu, i, "level", line, sizeof(line)); i++) {
		int level = atoi(line);

		if (level > last && line_of(cpus, cpu, i, "shared_cpu_list", list, sizeof(list)))
			last = level;
	}
	c->first = (u32)strtoul(list, NULL, 10);
	cut(c->cpus, sizeof(c->cpus), list);
}
