// SPDX-License-Identifier: GPL-2.0-only
/*
 * Whose socket has a full queue. Of UDP: the one whose drops grew most, by /proc/net/udp; of TCP: one
 * that listens and has more connections waiting than it takes, by the kernel's socket diagnosis. The
 * process that has it open is looked for only when something was dropped, and within a budget.
 */
#include <dirent.h>
#include <fcntl.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "sources/system_impl.h"

#define LOOK_BUDGET_NS (40 * NSEC_PER_MSEC)
#define LOOKS	       5 /* for one socket */

struct socket {
	u64 inode, drops;
};

struct owner {
	u64 inode; /* of the last answer, and ... */
	u32 pid;   /* ... whose it is; 0: not found ... */
	u32 looks; /* ... in so many looks */
};

struct sockets {
	struct socket v[SOCKETS_WITH_DROPS];
	u32 n;
	struct owner reader, listener;
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

static u32 find_owner(u64 inode)
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

static u32 owner_of(struct owner *o, u64 inode)
{
	if (!inode)
		return 0;
	if (inode != o->inode)
		*o = (struct owner){.inode = inode};
	if (!o->pid && o->looks++ < LOOKS)
		o->pid = find_owner(inode);
	return o->pid;
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
	return owner_of(&s->reader, inode);
}

/* --- who listens --- */

static int ask_listeners(int fd, u8 family)
{
	struct {
		struct nlmsghdr head;
		struct inet_diag_req_v2 q;
	} ask = {
		.head = {.nlmsg_len = sizeof(ask), .nlmsg_type = SOCK_DIAG_BY_FAMILY,
			 .nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP},
		.q = {.sdiag_family = family, .sdiag_protocol = IPPROTO_TCP,
		      .idiag_states = 1u << TCP_LISTEN},
	};

	return send(fd, &ask, sizeof(ask), 0) == sizeof(ask) ? 0 : -errno;
}

/* Of a listening socket these are the connections that wait, and how many may. Whether there are more
 * messages to come. */
static bool fullest_of(const char *buf, size_t n, u64 *inode, u32 *most)
{
	const struct nlmsghdr *h = (const void *)buf;

	for (; NLMSG_OK(h, n); h = NLMSG_NEXT(h, n)) {
		const struct inet_diag_msg *m = NLMSG_DATA(h);

		if (h->nlmsg_type != SOCK_DIAG_BY_FAMILY || h->nlmsg_len < NLMSG_LENGTH(sizeof(*m)))
			return false;
		if (m->idiag_rqueue <= m->idiag_wqueue || m->idiag_rqueue <= *most)
			continue;
		*most = m->idiag_rqueue;
		*inode = m->idiag_inode;
	}
	return true;
}

u32 listeners__full_one(struct sockets *s)
{
	static const u8 families[] = {AF_INET, AF_INET6};
	int fd = socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
	_Alignas(struct nlmsghdr) char buf[32768];
	u64 inode = 0;
	u32 most = 0;
	ssize_t n;

	for (u32 i = 0; fd >= 0 && i < ARRAY_SIZE(families); i++) {
		if (ask_listeners(fd, families[i]))
			continue;
		do
			n = recv(fd, buf, sizeof(buf), 0);
		while (n > 0 && fullest_of(buf, (size_t)n, &inode, &most));
	}
	if (fd >= 0)
		close(fd);
	return owner_of(&s->listener, inode);
}
