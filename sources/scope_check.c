// SPDX-License-Identifier: GPL-2.0-only
#include "sources/scope_check.h"

#include "base/cgroup.h"

#define DEPTH 16 /* as deep as bpf/scope.h looks */

bool scope_check__id(const struct scope *s, enum scope_kind kind, u64 id)
{
	if (s->exclude[kind].n && id_set__has(&s->exclude[kind], id))
		return false;
	return !s->include[kind].active || id_set__has(&s->include[kind], id);
}

static bool stands_for(const struct id_set *set, const struct id_set *alone, u64 id, u32 level)
{
	return id_set__has(set, id) && (!level || !id_set__has(alone, id));
}

bool scope_check__cgroup(const struct scope *s, u64 id)
{
	const struct id_set *in = &s->include[SCOPE_CGROUP], *out = &s->exclude[SCOPE_CGROUP];
	bool included = !in->active;
	char path[512], *slash;

	if (!in->active && !out->n)
		return true;
	cgroup__name(id, path, sizeof(path));
	for (u32 i = 0; id && i < DEPTH; i++) {
		if (stands_for(out, &s->exclude_alone, id, i))
			return false;
		included |= stands_for(in, &s->include_alone, id, i);
		slash = strrchr(path, '/');
		if (!slash || !slash[1])
			break;
		slash[slash == path] = '\0';
		id = cgroup__id(path);
	}
	return included;
}
