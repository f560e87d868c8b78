// SPDX-License-Identifier: GPL-2.0-only
/* What a scope names and is not there any more. */
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "base/cgroup.h"
#include "scope/scope_impl.h"

#define LOOKED_AT 64 /* ids of a kind; ranges have more, most of which never were there */
#define NAMED	  3

/* Without the right to send it one, too. A recycled id is not told from the old one. */
static bool task_lives(u64 id)
{
	return !id || !kill((pid_t)id, 0) || errno != ESRCH;
}

static bool cgroup_lives(u64 id)
{
	char path[PATH_MAX];

	return cgroup__id(cgroup__name(id, path, sizeof(path))) == id;
}

static u32 find_gone(const struct id_set *set, bool (*lives)(u64 id), u64 *gone)
{
	u32 n = 0;

	for (u32 i = 0; i < set->n; i++)
		if (!lives(set->ids[i]))
			gone[n++] = set->ids[i];
	return n;
}

/* "processes 4711, 4712 are gone" */
static void name_tasks(const struct id_set *set, const char *one, const char *several, char *buf,
		       size_t size)
{
	u64 gone[LOOKED_AT];
	u32 n = set->n <= LOOKED_AT ? find_gone(set, task_lives, gone) : 0;
	size_t at;

	if (!n || buf[0])
		return;
	snprintf(buf, size, "%s", n == 1 ? one : several);
	for (u32 i = 0; i < MIN(n, (u32)NAMED); i++) {
		at = strlen(buf);
		snprintf(buf + at, size - at, "%s %llu", i ? "," : "", (unsigned long long)gone[i]);
	}
	at = strlen(buf);
	if (n > NAMED)
		snprintf(buf + at, size - at, " and %u more are gone", n - NAMED);
	else
		snprintf(buf + at, size - at, n == 1 ? " is gone" : " are gone");
}

/* Those below a cgroup come and go as they like: only when none of them is left. */
static void name_cgroup(const struct scope *s, char *buf, size_t size)
{
	const struct id_set *set = &s->include[SCOPE_CGROUP];
	u64 gone[LOOKED_AT];

	if (buf[0] || !set->active || set->n > LOOKED_AT ||
	    find_gone(set, cgroup_lives, gone) < set->n)
		return;
	for (u32 i = 0; i < s->ncgroups; i++)
		if (!s->cgroups[i].negate) {
			snprintf(buf, size, "cgroup %s is gone", s->cgroups[i].text);
			return;
		}
}

void scope__gone(const struct scope *s, char *buf, size_t size)
{
	buf[0] = '\0';
	/* A tree lives on without the process that it began with. */
	if (!s->follow_children)
		name_tasks(&s->include[SCOPE_PID], "process", "processes", buf, size);
	name_tasks(&s->include[SCOPE_TID], "thread", "threads", buf, size);
	name_cgroup(s, buf, size);
}
