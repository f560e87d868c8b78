// SPDX-License-Identifier: GPL-2.0-only
#include "sources/process_scope.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
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

static void each_there(void (*fn)(void *ctx, u32 pid), void *ctx)
{
	DIR *proc = opendir("/proc");
	struct dirent *d;

	while (proc && (d = readdir(proc)))
		if (*d->d_name >= '1' && *d->d_name <= '9')
			fn(ctx, (u32)strtoul(d->d_name, NULL, 10));
	if (proc)
		closedir(proc);
}

void process_scope__each(const struct scope *s, void (*fn)(void *ctx, u32 pid), void *ctx)
{
	const struct id_set *pids = &s->include[SCOPE_PID];

	for (u32 i = 0; pids->active && i < pids->n; i++)
		fn(ctx, (u32)pids->ids[i]);
	if (!pids->active || s->follow_children)
		each_there(fn, ctx);
}

/* --- who comes from whom --- */

struct member {
	u32 pid, ppid;
	bool descends;
};

struct family {
	struct member *v;
	u32 n, cap;
};

static u32 parent_of(u32 pid)
{
	struct proc_stat stat;
	char of[16];

	snprintf(of, sizeof(of), "%u", pid);
	return proc_stat__read(of, &stat) ? 0 : stat.ppid;
}

static void add_member(void *ctx, u32 pid)
{
	struct family *f = ctx;

	f->v = xgrow(f->v, f->n, &f->cap, sizeof(*f->v));
	f->v[f->n++] = (struct member){.pid = pid, .ppid = parent_of(pid)};
}

static int by_pid(const void *a, const void *b)
{
	const struct member *x = a, *y = b;

	return x->pid < y->pid ? -1 : x->pid > y->pid;
}

static bool comes_from(const struct family *f, const struct scope *s, u32 ppid)
{
	const struct member key = {.pid = ppid};
	const struct member *parent = bsearch(&key, f->v, f->n, sizeof(*f->v), by_pid);

	return id_set__has(&s->include[SCOPE_PID], ppid) || (parent && parent->descends);
}

/* Whether there was one more generation. Pids are reused, so a child's may be below its parent's. */
static bool find_children(struct family *f, const struct scope *s)
{
	bool any = false;

	for (u32 i = 0; i < f->n; i++) {
		if (f->v[i].descends || !comes_from(f, s, f->v[i].ppid))
			continue;
		f->v[i].descends = any = true;
	}
	return any;
}

void process_scope__descendants(const struct scope *s, void (*fn)(void *ctx, u32 pid), void *ctx)
{
	struct family f = {0};

	each_there(add_member, &f);
	if (f.n)
		qsort(f.v, f.n, sizeof(*f.v), by_pid);
	while (find_children(&f, s))
		;
	for (u32 i = 0; i < f.n; i++)
		if (f.v[i].descends && !id_set__has(&s->include[SCOPE_PID], f.v[i].pid))
			fn(ctx, f.v[i].pid);
	free(f.v);
}

#define GENERATIONS 64

bool process_scope__descends(const struct scope *s, u32 pid)
{
	for (u32 i = 0; pid && i < GENERATIONS; i++) {
		pid = parent_of(pid);
		if (id_set__has(&s->include[SCOPE_PID], pid))
			return true;
	}
	return false;
}
