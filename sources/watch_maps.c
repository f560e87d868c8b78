// SPDX-License-Identifier: GPL-2.0-only
#include "sources/watch_maps.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/sysmacros.h>

#include "base/arena.h"

static void forget(struct watch_maps *m)
{
	for (u32 i = 0; i < m->n; i++)
		free(m->v[i].path);
	m->n = 0;
}

static void add(struct watch_maps *m, const char *line)
{
	unsigned long start, end, offset, ino;
	unsigned major, minor;
	int at = 0;

	if (sscanf(line, "%lx-%lx %*s %lx %x:%x %lu %n", &start, &end, &offset, &major, &minor,
		   &ino, &at) < 6 ||
	    !at || !line[at])
		return;
	m->v = xgrow(m->v, m->n, &m->cap, sizeof(*m->v));
	m->v[m->n++] =
		(struct watch_mapping){start, end, offset, makedev(major, minor), ino, xstrdup(line + at)};
}

void watch_maps__read(struct watch_maps *m, u32 pid)
{
	char path[64], *line = NULL;
	size_t size = 0;
	ssize_t len;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%u/maps", pid);
	f = fopen(path, "re");
	len = f ? getline(&line, &size, f) : 0;
	if (len > 0)
		forget(m);
	for (; len > 0; len = getline(&line, &size, f)) {
		line[len - 1] = '\0';
		add(m, line);
	}
	free(line);
	if (f)
		fclose(f);
}

void watch_maps__fini(struct watch_maps *m)
{
	forget(m);
	free(m->v);
}
