// SPDX-License-Identifier: GPL-2.0-only
#include "models/task_text.h"

#include <limits.h>
#include <stdio.h>

#include "base/cgroup.h"
#include "base/command_lines.h"
#include "base/hosts.h"

/* One that an include of that kind lets through. */
static u32 some_id(const struct scope *s, u32 kind)
{
	u32 id = UINT32_MAX;

	if (s && s->include[kind].active && s->include[kind].n)
		id = (u32)s->include[kind].ids[0];
	return id;
}

bool task__passes(const struct scope *s, u32 tgid, u32 tid, u64 cgroup, const char *comm)
{
	return scope__task(s, tgid, tid ? tid : some_id(s, SCOPE_TID), some_id(s, SCOPE_CPU),
			   cgroup, comm);
}

bool task__host_passes(const struct scope *s, u32 host)
{
	return !s || !host || scope__label(s, HOST_LABEL, hosts__name(host));
}

const char *task__id_text(struct arena *a, u32 id)
{
	char buf[16] = "";

	if (id)
		snprintf(buf, sizeof(buf), "%7u", id);
	return arena__strdup(a, buf);
}

const char *task__cmdline(struct arena *a, u32 tgid, u64 start_ns)
{
	const char *line = tgid ? command_lines__copy(a, tgid, start_ns) : "";

	return *line ? line : NULL;
}

const char *task__process(struct arena *a, u32 tgid, u64 start_ns, const char *comm)
{
	const char *name = tgid ? command_lines__process(a, tgid, start_ns) : "";

	return *name ? name : comm;
}

const char *task__thread_name(struct arena *a, u32 tgid, u32 tid, u64 start_ns)
{
	const char *name = command_lines__thread(a, tgid, tid, start_ns);

	return *name ? name : NULL;
}

const char *task__who(struct arena *a, u32 tgid, u32 tid, const char *comm)
{
	const char *name = task__thread_name(a, tgid, tid, 0);
	char buf[160];

	snprintf(buf, sizeof(buf), "%s/%u", name ? name : comm, tid);
	return arena__strdup(a, buf);
}

const char *task__cgroup_text(struct arena *a, u64 id)
{
	char path[PATH_MAX];

	return id ? arena__strdup(a, cgroup__name(id, path, sizeof(path))) : "[unknown]";
}
