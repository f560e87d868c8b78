// SPDX-License-Identifier: GPL-2.0-only
/* How long cgroups were kept from running by their limit of CPU time, by cpu.stat of v1 and v2. */
#include <fcntl.h>
#include <stdio.h>

#include "base/cgroup.h"
#include "base/clock.h"
#include "base/file.h"
#include "sources/system_impl.h"

#define LOOK_AGAIN_NS (3 * NSEC_PER_SEC)
#define PATH_MAX_LEN  512

struct limited {
	char *path; /* below its mount */
	const char *mount;
};

struct throttle {
	const char *mount; /* while it is walked */
	struct limited *v;
	u32 n, cap;
	u64 looked_ns;
};

struct throttle *throttle__new(void)
{
	return xcalloc(1, sizeof(struct throttle));
}

static void clear(struct throttle *t)
{
	while (t->n)
		free(t->v[--t->n].path);
}

void throttle__free(struct throttle *t)
{
	clear(t);
	free(t->v);
	free(t);
}

static bool read_of(const char *mount, const char *path, const char *file, char *buf, size_t size)
{
	char full[PATH_MAX_LEN];

	if (snprintf(full, sizeof(full), "%s%s/%s", mount, path, file) >= (int)sizeof(full))
		return false;
	return file__read(AT_FDCWD, full, buf, size) > 0;
}

static bool is_limited(const char *mount, const char *path)
{
	char text[64];

	if (read_of(mount, path, "cpu.max", text, sizeof(text)))
		return strncmp(text, "max", 3) != 0;
	return read_of(mount, path, "cpu.cfs_quota_us", text, sizeof(text)) && *text != '-';
}

static bool look_at(void *ctx, const char *path, u64 id)
{
	struct throttle *t = ctx;

	if (!is_limited(t->mount, path))
		return true;
	t->v = xgrow(t->v, t->n, &t->cap, sizeof(*t->v));
	t->v[t->n++] = (struct limited){xstrdup(path), t->mount};
	return t->n < THROTTLE_CGROUPS;
}

static bool has_cpu(const char *mount)
{
	char text[64];

	return read_of(mount, "", "cpu.cfs_quota_us", text, sizeof(text)) ||
	       read_of(mount, "", "cpu.shares", text, sizeof(text)) ||
	       read_of(mount, "", "cpu.weight", text, sizeof(text));
}

/* The controller is in v1 or v2, not in both. */
static void look_for_limits(struct throttle *t)
{
	const char *const *mounts;
	u32 n = cgroup__v1_mounts(&mounts);

	clear(t);
	for (u32 i = 0; i <= n && t->n < THROTTLE_CGROUPS; i++) {
		t->mount = i < n ? mounts[i] : cgroup__mount();
		if (*t->mount && (i == n || has_cpu(t->mount)))
			cgroup__walk(t->mount, look_at, t);
	}
}

void throttle__read(struct throttle *t, u64 now_ns, const struct figure_out *out)
{
	char text[1024];

	if (!t->looked_ns || now_ns - t->looked_ns >= LOOK_AGAIN_NS) {
		look_for_limits(t);
		t->looked_ns = now_ns;
	}
	for (u32 i = 0; i < t->n; i++)
		if (read_of(t->v[i].mount, t->v[i].path, "cpu.stat", text, sizeof(text)))
			system__parse_cpu_stat(text, t->v[i].path, out);
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
u32 throttle__members(const struct throttle *t, const char *cgroup, u32 *pids, u32 n)
{
	struct members m = {pids, 0, n};

	for (u32 i = 0; i < t->n && !m.n; i++)
		if (!strncmp(t->v[i].path, cgroup, FIGURE_INSTANCE - 1))
			cgroup__procs(t->v[i].mount, t->v[i].path, add_member, &m);
	return m.n;
}
