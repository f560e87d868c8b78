// SPDX-License-Identifier: GPL-2.0-only
/* Without privileges: which threads there are that events may be opened on. */
#include <dirent.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "sources/perf_open.h"
#include "sources/perf_tasks.h"
#include "sources/process_scope.h"

struct own {
	pid_t *tids;
	u32 n, max;
	bool limited;
};

/* A thread of another user, or one that has ended, would make all others fail. */
static bool may_open(pid_t tid)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_DUMMY,
		.disabled = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};
	int fd = perf__open(&attr, tid, -1);

	if (fd < 0)
		return false;
	close(fd);
	return true;
}

static void add_thread(struct own *o, pid_t tid)
{
	if (o->n == o->max)
		o->limited = true;
	else if (may_open(tid))
		o->tids[o->n++] = tid;
}

static void add_process(struct own *o, u64 pid)
{
	char path[64];
	struct dirent *e;
	DIR *d;

	snprintf(path, sizeof(path), "/proc/%llu/task", (unsigned long long)pid);
	d = opendir(path);
	while (d && !o->limited && (e = readdir(d)))
		if (e->d_name[0] != '.')
			add_thread(o, atoi(e->d_name));
	if (d)
		closedir(d);
}

static void add_users(struct own *o, uid_t uid)
{
	DIR *d = opendir("/proc");
	struct dirent *e;
	struct stat sb;

	while (d && !o->limited && (e = readdir(d))) {
		int pid = atoi(e->d_name);

		if (pid > 0 && fstatat(dirfd(d), e->d_name, &sb, 0) == 0 && sb.st_uid == uid)
			add_process(o, (u64)pid);
	}
	if (d)
		closedir(d);
}

static void add_descendant(void *ctx, u32 pid)
{
	struct own *o = ctx;

	if (!o->limited)
		add_process(o, pid);
}

u32 perf_tasks__own(const struct scope *scope, u32 max, pid_t **tids, bool *limited)
{
	const struct id_set *t = &scope->include[SCOPE_TID], *p = &scope->include[SCOPE_PID];
	struct own o = {.tids = xcalloc(max, sizeof(pid_t)), .max = max};

	for (u32 i = 0; t->active && i < t->n; i++)
		add_thread(&o, (pid_t)t->ids[i]);
	for (u32 i = 0; !t->active && p->active && i < p->n && !o.limited; i++)
		add_process(&o, p->ids[i]);
	if (!t->active && p->active && scope->follow_children)
		process_scope__descendants(scope, add_descendant, &o);
	if (!t->active && !p->active)
		add_users(&o, geteuid());
	*tids = o.tids;
	*limited = o.limited;
	return o.n;
}
