// SPDX-License-Identifier: GPL-2.0-only
/*
 * Processes from /proc: three or six system calls each, so that ten thousand take about a
 * tenth of a second.
 */
#include "scope/proclist.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/users.h"
#include "scope/proc_stat.h"

#define MAX_PROCS   262144
#define MAX_CMDLINE 512

/* --- what /proc says of one, proc(5): names and arguments are what it chose itself --- */

/* The name of a process lies in it: between the parentheses. */
bool proclist__parse_stat(char *stat, struct proc_item *p, bool *kernel)
{
	struct proc_stat st;
	char *open = strchr(stat, '('), *close = strrchr(stat, ')');

	if (!proc_stat__parse(stat, &st))
		return false;
	*close = '\0';
	proc__replace_controls(open + 1);
	p->comm = open + 1;
	p->state = st.state;
	p->nthreads = st.nthreads;
	p->start = st.start_ticks;
	p->cpu_ms = (st.user_ticks + st.system_ticks) * 1000 / (u64)MAX(sysconf(_SC_CLK_TCK), 1L);
	p->rss_bytes = st.rss_pages * (u64)sysconf(_SC_PAGESIZE);
	*kernel = st.kernel;
	return true;
}

void proclist__parse_cmdline(char *buf, size_t n)
{
	while (n && !buf[n - 1])
		n--;
	for (size_t i = 0; i < n; i++)
		if (!buf[i])
			buf[i] = ' ';
	buf[n] = '\0';
	proc__replace_controls(buf);
}

/* --- the list --- */

struct reader {
	struct arena *arena;
	struct proc_item *items;
	u32 n;
	struct users users;
};

/* Reads up to size - 1 bytes; their number or -errno. */
static ssize_t read_small(int dirfd, const char *path, char *buf, size_t size)
{
	int fd = openat(dirfd, path, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return -errno;
	n = read(fd, buf, size - 1);
	if (n < 0)
		n = -errno;
	else
		buf[n] = '\0';
	close(fd);
	return n;
}

/* Kernel threads and the dead have none. */
static const char *read_cmdline(struct reader *r, int proc, const char *pid, const char *comm,
				bool kernel)
{
	char path[32], buf[MAX_CMDLINE];
	ssize_t n = 0;

	if (!kernel) {
		snprintf(path, sizeof(path), "%s/cmdline", pid);
		n = read_small(proc, path, buf, sizeof(buf));
	}
	proclist__parse_cmdline(buf, n > 0 ? (size_t)n : 0);
	if (!buf[0])
		snprintf(buf, sizeof(buf), "[%s]", comm);
	return arena__strdup(r->arena, buf);
}

static void read_proc(struct reader *r, int proc, const char *pid)
{
	struct proc_item p = {.pid = (u32)strtoul(pid, NULL, 10), .cpu_pct = -1};
	char path[32], stat[PROC_STAT_SIZE];
	struct stat st;
	bool kernel;

	snprintf(path, sizeof(path), "%s/stat", pid);
	if (read_small(proc, path, stat, sizeof(stat)) <= 0 ||
	    !proclist__parse_stat(stat, &p, &kernel) || fstatat(proc, pid, &st, 0))
		return;
	p.comm = arena__strdup(r->arena, p.comm);
	p.uid = st.st_uid;
	p.user = arena__strdup(r->arena, users__name(&r->users, p.uid));
	p.cmdline = read_cmdline(r, proc, pid, p.comm, kernel);
	if (!(r->n & (r->n - 1)))
		r->items = xrealloc(r->items, MAX(r->n * 2, 1u) * sizeof(*r->items));
	r->items[r->n++] = p;
}

static int by_cpu_use(const void *a, const void *b)
{
	const struct proc_item *x = a, *y = b;

	if (x->cpu_pct != y->cpu_pct)
		return x->cpu_pct < y->cpu_pct ? 1 : -1;
	if (x->cpu_ms != y->cpu_ms)
		return x->cpu_ms < y->cpu_ms ? 1 : -1;
	return x->pid < y->pid ? -1 : x->pid > y->pid;
}

u32 proclist__read(struct arena *a, struct proc_usage **usage, const struct proc_item **out)
{
	struct reader r = {.arena = a};
	DIR *dir = opendir("/proc");
	const struct dirent *d;

	users__init(&r.users);
	while (dir && r.n < MAX_PROCS && (d = readdir(dir)))
		if (d->d_name[0] >= '1' && d->d_name[0] <= '9' && strlen(d->d_name) < 11)
			read_proc(&r, dirfd(dir), d->d_name);
	if (dir)
		closedir(dir);
	if (usage)
		proc_usage__update(usage, r.items, r.n, clock__monotonic_ns());
	if (r.n)
		qsort(r.items, r.n, sizeof(*r.items), by_cpu_use);
	*out = r.n ? arena__dup(a, r.items, r.n * sizeof(*r.items)) : NULL;
	free(r.items);
	users__fini(&r.users);
	return r.n;
}
