// SPDX-License-Identifier: GPL-2.0-only
#include "sources/cgroup_memory.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/cgroup.h"
#include "base/file.h"

/* Files and fields of both versions; NULL: it has none. */
static const struct version {
	const char *used, *limit, *kernel;
	const char *anon, *file, *slab; /* of memory.stat */
} versions[] = {
	{"memory.current", "memory.max", NULL, "anon", "file", "slab"},
	{"memory.usage_in_bytes", "memory.limit_in_bytes", "memory.kmem.usage_in_bytes", "rss", "cache", NULL},
};

struct group {
	char folder[PATH_MAX / 2];
	char stat[16384];
};

static bool read_of(const struct group *g, const char *name, char *buf, size_t size)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s", g->folder, name);
	return file__read(AT_FDCWD, path, buf, size) > 0;
}

/* "max": there is none; v1 has a number that no machine has. */
static u64 number_of(const struct group *g, const char *name)
{
	char text[64];
	u64 n = read_of(g, name, text, sizeof(text)) ? strtoull(text, NULL, 10) : 0;

	return n < 1ull << 60 ? n : 0;
}

static u64 field_of(const struct group *g, const char *name)
{
	char line[64];
	const char *at;

	snprintf(line, sizeof(line), "\n%s ", name);
	if (!strncmp(g->stat, line + 1, strlen(line + 1)))
		return strtoull(g->stat + strlen(line + 1), NULL, 10);
	at = strstr(g->stat, line);
	return at ? strtoull(at + strlen(line), NULL, 10) : 0;
}

static unsigned long long mib(u64 bytes)
{
	return bytes >> 20;
}

static void describe(const struct group *g, const struct version *v, const char *path, char *buf, size_t size)
{
	u64 limit = number_of(g, v->limit), used = number_of(g, v->used);
	u64 kernel = v->kernel ? number_of(g, v->kernel) : field_of(g, "kernel");
	size_t n = (size_t)snprintf(buf, size, "cgroup %.80s has %llu", path, mib(used));

	if (limit)
		n += (size_t)snprintf(buf + n, size - n, " of %llu", mib(limit));
	n += (size_t)snprintf(buf + n, size - n, " MiB: anon %llu, file %llu, kernel %llu",
			      mib(field_of(g, v->anon)), mib(field_of(g, v->file)), mib(kernel));
	if (v->slab)
		snprintf(buf + n, size - n, ", slab %llu", mib(field_of(g, v->slab)));
}

static bool look_below(const char *mount, const char *path, char *buf, size_t size)
{
	struct group g;

	snprintf(g.folder, sizeof(g.folder), "%.1000s%s%.1000s", mount, *path == '/' ? "" : "/", path);
	if (!read_of(&g, "memory.stat", g.stat, sizeof(g.stat)))
		return false;
	for (u32 i = 0; i < ARRAY_SIZE(versions); i++)
		if (number_of(&g, versions[i].used)) {
			describe(&g, &versions[i], path, buf, size);
			return true;
		}
	return false;
}

bool cgroup_memory__text(const char *path, char *buf, size_t size)
{
	const char *const *mounts;
	u32 n = cgroup__v1_mounts(&mounts);

	if (*cgroup__mount() && look_below(cgroup__mount(), path, buf, size))
		return true;
	for (u32 i = 0; i < n; i++)
		if (look_below(mounts[i], path, buf, size))
			return true;
	return false;
}
