// SPDX-License-Identifier: GPL-2.0-only
#include "sources/process_scope.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cgroup.h"
#include "base/file.h"

bool process_scope__names_somebody(const struct scope *s)
{
	for (u32 i = 0; i < s->ncomms; i++)
		if (!s->comms[i].negate)
			return true;
	return s->include[SCOPE_PID].active || s->include[SCOPE_TID].active ||
	       s->include[SCOPE_CGROUP].active;
}

u32 process_scope__only(const struct scope *s)
{
	const struct id_set *pids = &s->include[SCOPE_PID];

	return pids->active && pids->n == 1 && !s->follow_children ? (u32)pids->ids[0] : 0;
}

static u64 cgroup_of(u32 pid)
{
	char path[64], text[4096], *line, *end;

	snprintf(path, sizeof(path), "/proc/%u/cgroup", pid);
	if (file__read(AT_FDCWD, path, text, sizeof(text)) <= 0)
		return 0;
	line = strncmp(text, "0::", 3) ? strstr(text, "\n0::") : text;
	if (!line)
		return 0;
	line = strstr(line, "0::") + 3;
	end = strchr(line, '\n');
	if (end)
		*end = '\0';
	return cgroup__id(line);
}

static bool has_cgroup(const struct scope *s, u32 pid)
{
	const struct id_set *in = &s->include[SCOPE_CGROUP], *out = &s->exclude[SCOPE_CGROUP];
	u64 cgroup = in->active || out->n ? cgroup_of(pid) : 0;

	return (!in->active || id_set__has(in, cgroup)) && !id_set__has(out, cgroup);
}

/* A thread that is asked for is of its process. */
static bool has_thread(const struct scope *s, u32 pid)
{
	const struct id_set *tids = &s->include[SCOPE_TID];
	char path[64];

	for (u32 i = 0; tids->active && i < tids->n; i++) {
		snprintf(path, sizeof(path), "/proc/%u/task/%u", pid, (u32)tids->ids[i]);
		if (!access(path, F_OK))
			return true;
	}
	return !tids->active;
}

bool process_scope__has(const struct scope *s, u32 pid, const struct proc_stat *stat,
			bool (*follows)(void *ctx, u32 parent), void *ctx)
{
	const struct id_set *pids = &s->include[SCOPE_PID];

	if (pid == (u32)getpid() || stat->kernel || id_set__has(&s->exclude[SCOPE_PID], pid))
		return false;
	if (pids->active && !id_set__has(pids, pid) &&
	    !(s->follow_children && (id_set__has(pids, stat->ppid) || follows(ctx, stat->ppid))))
		return false;
	return scope__comm(s, stat->comm) && has_cgroup(s, pid) && has_thread(s, pid);
}

void process_scope__each(const struct scope *s, void (*fn)(void *ctx, u32 pid), void *ctx)
{
	const struct id_set *pids = &s->include[SCOPE_PID];
	struct dirent *d;
	DIR *proc;

	for (u32 i = 0; pids->active && i < pids->n; i++)
		fn(ctx, (u32)pids->ids[i]);
	if (pids->active && !s->follow_children)
		return;
	proc = opendir("/proc");
	while (proc && (d = readdir(proc)))
		if (*d->d_name >= '1' && *d->d_name <= '9')
			fn(ctx, (u32)strtoul(d->d_name, NULL, 10));
	if (proc)
		closedir(proc);
}
