// SPDX-License-Identifier: GPL-2.0-only
/* All cgroups: those of v2, then the v1 paths that v2 does not have, each once. */
#include "base/cgroup.h"
#include "base/hidx.h"
#include "scope/proclist.h"

struct lister {
	struct arena *arena;
	struct cgroup_item *items;
	u32 n;
	struct hidx by_path;
	const char *mount;
	bool v1;
};

static bool is_known(const struct lister *l, const char *path, u64 hash)
{
	u32 at;

	HIDX_FIND(at, &l->by_path, hash, pos, !strcmp(l->items[pos].path, path));
	return at != HIDX_NONE;
}

static bool add_cgroup(void *ctx, const char *path, u64 id)
{
	struct lister *l = ctx;
	u64 hash = hash_bytes(path, strlen(path));

	if (is_known(l, path, hash))
		return true;
	if (!(l->n & (l->n - 1)))
		l->items = xrealloc(l->items, MAX(l->n * 2, 1u) * sizeof(*l->items));
	l->items[l->n] = (struct cgroup_item){.id = l->v1 ? 0 : id,
					      .path = arena__strdup(l->arena, path),
					      .nprocs = cgroup__procs(l->mount, path, NULL, NULL),
					      .v1 = l->v1};
	hidx__add(&l->by_path, hash, l->n++);
	return l->n < CGROUP_MAX;
}

/* Of another machine: what is known by name. */
static void add_learned(void *ctx, const char *path, u64 id)
{
	struct lister *l = ctx;

	if (l->n == CGROUP_MAX)
		return;
	if (!(l->n & (l->n - 1)))
		l->items = xrealloc(l->items, MAX(l->n * 2, 1u) * sizeof(*l->items));
	l->items[l->n++] = (struct cgroup_item){.id = id, .path = arena__strdup(l->arena, path)};
}

u32 cgrouplist__read(struct arena *a, const struct cgroup_item **out)
{
	struct lister l = {.arena = a, .mount = cgroup__mount()};
	const char *const *v1;
	u32 n = cgroup__v1_mounts(&v1);

	if (*l.mount)
		cgroup__walk(l.mount, add_cgroup, &l);
	else if (!n)
		cgroup__remembered(add_learned, &l);
	l.v1 = true;
	for (u32 i = 0; i < n && l.n < CGROUP_MAX; i++) {
		l.mount = v1[i];
		cgroup__walk(l.mount, add_cgroup, &l);
	}
	*out = l.n ? arena__dup(a, l.items, l.n * sizeof(*l.items)) : NULL;
	free(l.items);
	hidx__fini(&l.by_path);
	return l.n;
}
