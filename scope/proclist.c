// SPDX-License-Identifier: GPL-2.0-only
/*
 * Processes from /proc: three or six system calls each, so that ten thousand take about a
 * tenth of a second. User names come from /etc/passwd alone: a directory service that does
 * not answer must not stop a picker.
 */
#include "scope/proclist.h"

#include <dirent.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/hidx.h"

#define PF_KTHREAD  0x00200000 /* since 2.6.27; field 9 of /proc/PID/stat */
#define MAX_PROCS   262144
#define MAX_USERS   65536
#define MAX_CMDLINE 512
#define STAT_SIZE   1024

/* --- what /proc says of one, proc(5): names and arguments are what it chose itself --- */

/* Nothing in a name may move a terminal's cursor. */
static void replace_controls(char *s)
{
	for (; *s; s++)
		if ((u8)*s < ' ' || *s == 0x7f)
			*s = '?';
}

/*
 * PID (COMM) STATE PPID PGRP SESSION TTY TPGID FLAGS MINFLT CMINFLT MAJFLT CMAJFLT UTIME STIME
 * CUTIME CSTIME PRIORITY NICE THREADS ITREALVALUE STARTTIME VSIZE RSS. The name may hold blanks
 * and parentheses: the last one ends it.
 */
bool proclist__parse_stat(char *stat, struct proc_item *p, bool *kernel)
{
	char *open = strchr(stat, '('), *close = strrchr(stat, ')');
	unsigned long long utime, stime, start;
	unsigned int flags;
	long rss;

	if (!open || !close || close < open)
		return false;
	*close = '\0';
	if (sscanf(close + 1,
		   " %c %*d %*d %*d %*d %*d %u %*u %*u %*u %*u %llu %llu %*d %*d %*d %*d %u "
		   "%*d %llu %*u %ld",
		   &p->state, &flags, &utime, &stime, &p->nthreads, &start, &rss) != 7)
		return false;
	replace_controls(open + 1);
	p->comm = open + 1;
	p->start = start;
	p->cpu_ms = (utime + stime) * 1000 / (u64)MAX(sysconf(_SC_CLK_TCK), 1L);
	p->rss_bytes = rss > 0 ? (u64)rss * (u64)sysconf(_SC_PAGESIZE) : 0;
	*kernel = flags & PF_KTHREAD;
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
	replace_controls(buf);
}

/* --- the list --- */

struct user {
	u32 uid;
	const char *name;
};

struct reader {
	struct arena *arena;
	struct proc_item *items;
	u32 n;
	struct user *users;
	u32 nusers;
	struct hidx by_uid;
};

static void add_user(struct reader *r, u32 uid, const char *name)
{
	if (!(r->nusers & (r->nusers - 1)))
		r->users = xrealloc(r->users, MAX(r->nusers * 2, 1u) * sizeof(*r->users));
	r->users[r->nusers] = (struct user){uid, arena__strdup(r->arena, name)};
	hidx__add(&r->by_uid, mix64(uid), r->nusers++);
}

static const char *find_user(const struct reader *r, u32 uid)
{
	u32 at;

	HIDX_FIND(at, &r->by_uid, mix64(uid), pos, r->users[pos].uid == uid);
	return at == HIDX_NONE ? NULL : r->users[at].name;
}

static void read_users(struct reader *r)
{
	FILE *f = fopen("/etc/passwd", "re");
	struct passwd pw, *hit;
	char line[4096];

	while (f && r->nusers < MAX_USERS && !fgetpwent_r(f, &pw, line, sizeof(line), &hit))
		if (!find_user(r, pw.pw_uid))
			add_user(r, pw.pw_uid, pw.pw_name);
	if (f)
		fclose(f);
}

static const char *user_name(struct reader *r, u32 uid)
{
	const char *name = find_user(r, uid);
	char number[16];

	if (name)
		return name;
	snprintf(number, sizeof(number), "%u", uid);
	add_user(r, uid, number);
	return r->users[r->nusers - 1].name;
}

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
	char path[32], stat[STAT_SIZE];
	struct stat st;
	bool kernel;

	snprintf(path, sizeof(path), "%s/stat", pid);
	if (read_small(proc, path, stat, sizeof(stat)) <= 0 ||
	    !proclist__parse_stat(stat, &p, &kernel) || fstatat(proc, pid, &st, 0))
		return;
	p.comm = arena__strdup(r->arena, p.comm);
	p.uid = st.st_uid;
	p.user = user_name(r, p.uid);
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

	read_users(&r);
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
	free(r.users);
	hidx__fini(&r.by_uid);
	return r.n;
}
