// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the protocols of other network namespaces count, those of containers for one: /proc/net is that of proftop's
 * own. A process is found of each by a look over /proc, which goes on for a little in each interval and begins anew
 * some time after it has ended. No file of theirs is kept open, as that would keep a namespace whose processes have
 * ended.
 */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/netns.h"
#include "sources/system_impl.h"

#define LOOK_BUDGET_NS (1 * NSEC_PER_MSEC)  /* in an interval ... */
#define LOOK_FIRST_NS  (20 * NSEC_PER_MSEC) /* ... and before the first one */
#define LOOK_EVERY_NS  (5 * NSEC_PER_SEC)

struct network {
	u32 netns, pid;
	char name[FIGURE_INSTANCE];
};

struct networks {
	struct network v[NETWORKS];
	u32 n, own;
	DIR *proc; /* a look that goes on */
	u64 looked_ns;
};

struct networks *networks__new(void)
{
	struct networks *s = xcalloc(1, sizeof(*s));

	s->own = netns__own();
	return s;
}

void networks__free(struct networks *s)
{
	if (s->proc)
		closedir(s->proc);
	free(s);
}

static u32 netns_of(int proc, const char *pid)
{
	char path[300], target[64];
	unsigned int netns;
	ssize_t n;

	snprintf(path, sizeof(path), "%s/ns/net", pid);
	n = readlinkat(proc, path, target, sizeof(target) - 1);
	target[MAX(n, (ssize_t)0)] = '\0';
	return sscanf(target, "net:[%u]", &netns) == 1 ? netns : 0;
}

static void note(struct networks *s, u32 netns, u32 pid)
{
	struct network *v = s->v;

	if (!netns || netns == s->own)
		return;
	while (v < s->v + s->n && v->netns != netns)
		v++;
	if (v == s->v + NETWORKS)
		return;
	if (v == s->v + s->n) {
		s->n++;
		v->netns = netns;
		netns__text(netns, v->name, sizeof(v->name));
	}
	v->pid = pid;
}

static void look(struct networks *s, u64 now_ns)
{
	u64 until = clock__thread_cpu_ns() + (s->looked_ns ? LOOK_BUDGET_NS : LOOK_FIRST_NS);
	const struct dirent *e = NULL;

	if (!s->proc) {
		if (s->looked_ns && now_ns - s->looked_ns < LOOK_EVERY_NS)
			return;
		s->proc = opendir("/proc");
		s->looked_ns = now_ns;
	}
	while (s->proc && clock__thread_cpu_ns() < until && (e = readdir(s->proc)))
		if (*e->d_name >= '1' && *e->d_name <= '9')
			note(s, netns_of(dirfd(s->proc), e->d_name), (u32)strtoul(e->d_name, NULL, 10));
	if (s->proc && !e && clock__thread_cpu_ns() < until) {
		closedir(s->proc);
		s->proc = NULL;
	}
}

/* False: that process has ended. */
static bool read_one(const struct network *v, char *text, size_t size, const struct figure_out *out)
{
	static const char *const files[] = {"snmp", "netstat"};
	char path[64];

	for (u32 i = 0; i < ARRAY_SIZE(files); i++) {
		snprintf(path, sizeof(path), "/proc/%u/net/%s", v->pid, files[i]);
		file__read(AT_FDCWD, path, text, size);
		if (!*text)
			return false;
		system__parse_protocols(text, v->name, out);
	}
	return true;
}

void networks__read(struct networks *s, u64 now_ns, char *text, size_t size, const struct figure_out *out)
{
	u32 kept = 0;

	look(s, now_ns);
	for (u32 i = 0; i < s->n; i++) {
		/* The process may have moved, or its number be another's. */
		char pid[24];

		snprintf(pid, sizeof(pid), "/proc/%u", s->v[i].pid);
		if (netns_of(AT_FDCWD, pid) == s->v[i].netns && read_one(&s->v[i], text, size, out))
			s->v[kept++] = s->v[i];
		else if (!s->proc)
			s->looked_ns = 1; /* at once, to find another one of it */
	}
	s->n = kept;
}
