// SPDX-License-Identifier: GPL-2.0-only
#include "tui/views/cpu_terms.h"

#include <stdio.h>

#include "base/hosts.h"

#include "tui/views/terms.h"

static bool key_term(const void *row, u32 group, char *buf, size_t size)
{
	const struct profile_row *r = row;

	switch (group) {
	case GROUP_SYMBOL:
		return term__name("sym", r->func ? r->name : NULL, buf, size);
	case GROUP_OBJECT:
		return term__name("obj", r->object ? r->object_name : NULL, buf, size);
	case GROUP_COMM:
		return term__name("comm", r->comm, buf, size);
	case GROUP_PID:
		if (r->starts)
			return term__name("comm", r->comm, buf, size);
		return term__id("pid", r->tgid, buf, size);
	case GROUP_TID:
		return term__id("tid", r->tid, buf, size);
	case GROUP_CPU:
		return term__id("cpu", r->cpu, buf, size);
	case GROUP_HOST:
		return term__name(HOST_LABEL, r->host, buf, size);
	case GROUP_CGROUP:
		return term__cgroup(r->cgroup, r->cgroup_name, buf, size);
	default:
		return false;
	}
}
_Static_assert(PROFILE_MERGED == UINT32_MAX, "what term__id takes for unknown");

bool cpu_terms__select(const struct profile_row *r, u32 groups, char *buf, size_t size)
{
	/* Ids are a host's own. */
	if (r->host && groups & GROUPS_OF_HOST)
		groups |= GROUP_BIT(GROUP_HOST);
	return terms__select(r, groups, GROUPS, key_term, buf, size);
}

bool cpu_terms__exclude(const struct profile_row *r, u32 groups, char *buf, size_t size)
{
	static const u8 least_first[GROUPS] = {GROUP_TID, GROUP_PID,	GROUP_COMM,  GROUP_CGROUP,
					       GROUP_CPU, GROUP_HOST, GROUP_SYMBOL, GROUP_OBJECT};

	return terms__exclude(r, groups, least_first, GROUPS, key_term, buf, size);
}

static const char *plain(const char *id)
{
	return id + strspn(id, " ");
}

void cpu_terms__task(const struct profile_row *r, u32 groups, char *buf, size_t size)
{
	const struct {
		const char *label, *text;
	} parts[] = {
		{"", *r->comm ? r->comm : NULL},
		{"pid ", r->pid_text},
		{"tid ", r->tid_text},
		{"", groups & GROUP_BIT(GROUP_CGROUP) ? r->cgroup_name : NULL},
		{"cpu ", r->cpu_text},
		{"", r->host},
	};
	size_t n = 0;

	*buf = '\0';
	for (u32 i = 0; i < ARRAY_SIZE(parts) && n < size; i++)
		if (parts[i].text)
			n += (size_t)snprintf(buf + n, size - n, "%s%s%s", n ? " " : "",
					      parts[i].label, plain(parts[i].text));
}
