// SPDX-License-Identifier: GPL-2.0-only
/*
 * Whose UDP socket has a full queue: the one whose drops grew most, by /proc/net/udp, and the process
 * that has it open. It is looked for only when packets were dropped, and within a budget.
 */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "sources/system_impl.h"

#define LOOK_BUDGET_NS (40 * NSEC_PER_MSEC)
#define LOOKS	       5 /* for one socket */

struct socket {
	u64 inode, drops;
};

struct sockets {
	struct socket v[SOCKETS_WITH_DROPS];
	u32 n;
	u64 inode; /* of the last answer, and ... */
	u32 pid;   /* ... whose it is; 0: not found ... */
	u32 looks; /* ... in so many looks */
};

struct sockets *sockets__new(void)
{
	return xcalloc(1, sizeof(struct sockets));
}

void sockets__free(struct sockets *s)
{
	free(s);
}

/* Drops of a socket before, which are set to what they are now. */
static u64 drops_before(struct sockets *s, u64 inode, u64 drops)
{
	u64 before;

	for (u32 i = 0; i < s->n; i++)
		if (s->v[i].inode == inode) {
			before = s->v[i].drops;
			s->v[i].drops = drops;
			return before;
		}
	if (s->n < SOCKETS_WITH_DROPS)
		s->v[s->n++] = (struct socket){inode, drops};
	return 0;
}

/* The inode of the one with the most new drops; 0 none. */
static u64 fullest(struct sockets *s, const char *text, u64 *most)
{
	unsigned long long inode, drops;
	u64 found = 0;

	for (const char *line = strchr(text, '\n'); line && line[1]; line = strchr(line + 1, '\n')) {
		u64 before, grown;

		if (sscanf(line + 1, " %*s %*s %*s %*s %*s %*s %*s %*s %*s %llu %*s %*s %llu", &inode,
			   &drops) != 2 ||
		    !drops)
			continue;
		before = drops_before(s, inode, drops);
		grown = drops > before ? drops - before : 0;
		if (grown > *most) {
			*most = grown;
			found = inode;
		}
	}
	return found;
}

static bool has_open(int proc, const char *pid, const char *name)
{
	char path[300], target[64];
	bool found = false;
	DIR *dir;
	int fd;

	snprintf(path, sizeof(path), "%s/fd", pid);
	fd = openat(proc, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	dir = fd < 0 ? NULL : fdopendir(fd);
	for (const struct dirent *e; dir && !found && (e = readdir(dir));) {
		ssize_t n = readlinkat(fd, e->d_name, target, sizeof(target) - 1);

		target[MAX(n, (ssize_t)0)] = '\0';
		found = n > 0 && !strcmp(target, name);
	}
	if (dir)
		closedir(dir);
	return found;
}

static u32 owner_of(u64 inode)
{
	u64 until = clock__thread_cpu_ns() + LOOK_BUDGET_NS;
	DIR *proc = opendir("/proc");
	char name[40];
	u32 pid = 0;

	snprintf(name, sizeof(name), "socket:[%llu]", (unsigned long long)inode);
	for (const struct dirent *e; proc && !pid && clock__thread_cpu_ns() < until && (e = readdir(proc));)
		if (*e->d_name >= '1' && *e->d_name <= '9' && has_open(dirfd(proc), e->d_name, name))
			pid = (u32)strtoul(e->d_name, NULL, 10);
	if (proc)
		closedir(proc);
	return pid;
}

u32 sockets__full_one(struct sockets *s, char *text, size_t size)
{
	static const char *const files[] = {"/proc/net/udp", "/proc/net/udp6"};
	u64 inode = 0, most = 0;

	for (u32 i = 0; i < ARRAY_SIZE(files); i++) {
		u64 found;

		file__read(AT_FDCWD, files[i], text, size);
		found = fullest(s, text, &most);
		inode = found ? found : inode;
	}
	if (!inode)
		return 0;
	if (inode != s->inode) {
		s->inode = inode;
		s->looks = s->pid = 0;
	}
	if (!s->pid && s->looks++ < LOOKS)
		s->pid = owner_of(inode);
	return s->pid;
}
