// SPDX-License-Identifier: GPL-2.0-only
#include "models/who.h"

#include <limits.h>
#include <stdio.h>

#include "core/cgroup.h"

/* One that an include of CPUs lets through. */
static u32 some_cpu(const struct scope *s)
{
	u32 cpu = UINT32_MAX;

	if (s && s->include[SCOPE_CPU].active && s->include[SCOPE_CPU].n)
		cpu = (u32)s->include[SCOPE_CPU].ids[0];
	return cpu;
}

bool who__passes(const struct scope *s, u32 tgid, u32 tid, u64 cgroup, const char *comm)
{
	return scope__task(s, tgid, tid, some_cpu(s), cgroup, comm);
}

const char *who__id_text(struct arena *a, u32 id)
{
	char buf[16] = "";

	if (id)
		snprintf(buf, sizeof(buf), "%7u", id);
	return arena__strdup(a, buf);
}

const char *who__cgroup_text(struct arena *a, u64 id)
{
	char path[PATH_MAX];

	return id ? arena__strdup(a, cgroup__name(id, path, sizeof(path))) : "[unknown]";
}
