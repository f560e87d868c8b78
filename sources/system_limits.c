// SPDX-License-Identifier: GPL-2.0-only
/*
 * Limits of cgroups, of v1 and v2: how long they were kept from running by that of CPU time, and which are near
 * those of processes and of memory. Which have limits is looked for every few seconds.
 */
#include <fcntl.h>
#include <stdio.h>

#include "base/cgroup.h"
#include "base/clock.h"
#include "base/file.h"
#include "sources/system_impl.h"

#define LOOK_AGAIN_NS (3 * NSEC_PER_SEC)
#define PATH_MAX_LEN  512
#define NEAR_PCT      50 /* of a limit that is further away nothing is handed out */

struct limited {
	char *path; /* below its mount */
	const char *mount;
	enum limit limit;
	u64 used, max; /* LIMIT_PIDS, LIMIT_MEMORY */
};

struct limits {
	const char *mount; /* while it is walked */
	struct limited *v;
	u32 n, cap;
	u64 looked_ns;
};

struct limits *limits__new(void)
{
	return xcalloc(1, sizeof(struct limits));
}

static void clear(struct limits *l)
{
	while (l->n)
		free(l->v[--l->n].path);
}

void limits__free(struct limits *l)
{
	clear(l);
	free(l->v);
	free(l);
}

static bool read_of(const char *mount, const char *path, const char *file, char *buf, size_t size)
{
	char full[PATH_MAX_LEN];

	if (snprintf(full, sizeof(full), "%s%s/%s", mount, path, file) >= (int)sizeof(full))
		return false;
	return file__read(AT_FDCWD, full, buf, size) > 0;
}

/* False: there is no such file, or it has a word ("max"). */
static bool number_of(const char *mount, const char *path, const char *file, u64 *out)
{
	char text[64];

	if (!read_of(mount, path, file, text, sizeof(text)) || *text < '0' || *text > '9')
		return false;
	*out = strtoull(text, NULL, 10);
	return true;
}

static bool is_throttled(const char *mount, const char *path)
{
	char text[64];

	if (read_of(mount, path, "cpu.max", text, sizeof(text)))
		return strncmp(text, "max", 3) != 0;
	return read_of(mount, path, "cpu.cfs_quota_us", text, sizeof(text)) && *text != '-';
}

static void add(struct limits *l, const char *path, enum limit limit, u64 used, u64 max)
{
	if (l->n == LIMITED_CGROUPS || (limit != LIMIT_CPU && (!max || used < max / 100 * NEAR_PCT)))
		return;
	l->v = xgrow(l->v, l->n, &l->cap, sizeof(*l->v));
	l->v[l->n++] = (struct limited){xstrdup(path), l->mount, limit, used, max};
}

/* The page cache goes when memory is wanted: only what is left then may be too much. */
static void look_at_memory(struct limits *l, const char *path)
{
	char text[4096];
	u64 max;

	if ((number_of(l->mount, path, "memory.max", &max) ||
	     number_of(l->mount, path, "memory.limit_in_bytes", &max)) &&
	    read_of(l->mount, path, "memory.stat", text, sizeof(text)))
		add(l, path, LIMIT_MEMORY, system__parse_memory_stat(text), max);
}

static bool look_at(void *ctx, const char *path, u64 id)
{
	struct limits *l = ctx;
	u64 used, max;

	if (is_throttled(l->mount, path))
		add(l, path, LIMIT_CPU, 0, 0);
	if (number_of(l->mount, path, "pids.max", &max) &&
	    number_of(l->mount, path, "pids.current", &used))
		add(l, path, LIMIT_PIDS, used, max);
	look_at_memory(l, path);
	return l->n < LIMITED_CGROUPS;
}

/* A v1 hierarchy with one of the controllers. */
static bool has_limits(const char *mount)
{
	static const char *const files[] = {"cpu.cfs_quota_us", "cpu.shares", "memory.limit_in_bytes"};
	char text[64];

	for (u32 i = 0; i < ARRAY_SIZE(files); i++)
		if (read_of(mount, "", files[i], text, sizeof(text)))
			return true;
	return strstr(mount, "/pids") != NULL; /* the root of that one has no file of its own */
}

/* A controller is in v1 or v2, not in both. */
static void look_for_limits(struct limits *l)
{
	const char *const *mounts;
	u32 n = cgroup__v1_mounts(&mounts);

	clear(l);
	for (u32 i = 0; i <= n && l->n < LIMITED_CGROUPS; i++) {
		l->mount = i < n ? mounts[i] : cgroup__mount();
		if (*l->mount && (i == n || has_limits(l->mount)))
			cgroup__walk(l->mount, look_at, l);
	}
}

static void emit(const struct limited *c, const struct figure_out *out)
{
	char text[1024];

	switch (c->limit) {
	case LIMIT_CPU:
		if (read_of(c->mount, c->path, "cpu.stat", text, sizeof(text)))
			system__parse_cpu_stat(text, c->path, out);
		return;
	case LIMIT_PIDS:
		out->emit(out->ctx, FIGURE_CGROUP_PIDS_MAX, c->path, c->max);
		out->emit(out->ctx, FIGURE_CGROUP_PIDS, c->path, c->used);
		return;
	case LIMIT_MEMORY:
		out->emit(out->ctx, FIGURE_CGROUP_MEMORY_MAX, c->path, c->max);
		out->emit(out->ctx, FIGURE_CGROUP_MEMORY, c->path, c->used);
		return;
	}
}

void limits__read(struct limits *l, u64 now_ns, const struct figure_out *out)
{
	if (!l->looked_ns || now_ns - l->looked_ns >= LOOK_AGAIN_NS) {
		look_for_limits(l);
		l->looked_ns = now_ns;
	}
	for (u32 i = 0; i < l->n; i++)
		emit(&l->v[i], out);
}

struct members {
	u32 *pids;
	u32 n, max;
};

static void add_member(void *ctx, u32 pid)
{
	struct members *m = ctx;

	if (m->n < m->max)
		m->pids[m->n++] = pid;
}

/* Names are cut where they are long, and so are those compared. */
u32 limits__members(const struct limits *l, enum limit limit, const char *cgroup, u32 *pids, u32 n)
{
	struct members m = {pids, 0, n};

	for (u32 i = 0; i < l->n && !m.n; i++)
		if (l->v[i].limit == limit && !strncmp(l->v[i].path, cgroup, FIGURE_INSTANCE - 1))
			cgroup__procs(l->v[i].mount, l->v[i].path, add_member, &m);
	return m.n;
}
