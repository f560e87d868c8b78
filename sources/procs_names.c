// SPDX-License-Identifier: GPL-2.0-only
#include "sources/procs_names.h"

#include <stdio.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/users.h"
#include "scope/proclist.h"

#define CMDLINE_MAX 512

/* Positions of those that ended are used again, so the index is made anew when it is swept. */
struct named {
	u64 start_ns;
	u32 tgid, execs;
	bool asked, dropped;
	bool waits; /* to be read */
	char *cmdline;
};

struct procs_names {
	struct users users;
	struct named *v;
	u32 n, cap;
	struct hidx index;
	u64 until_ns;
	u32 waiting, next; /* those that wait, and how far procs_names__next() came */
};

struct procs_names *procs_names__new(void)
{
	struct procs_names *n = xcalloc(1, sizeof(*n));

	users__init(&n->users);
	return n;
}

void procs_names__free(struct procs_names *n)
{
	if (!n)
		return;
	for (u32 i = 0; i < n->n; i++)
		free(n->v[i].cmdline);
	free(n->v);
	hidx__fini(&n->index);
	users__fini(&n->users);
	free(n);
}

void procs_names__begin(struct procs_names *n)
{
	n->until_ns = clock__monotonic_ns() + PROCS_NAMES_BUDGET_NS;
}

static struct named *find(const struct procs_names *n, u32 tgid, u64 start_ns)
{
	u32 at;

	HIDX_FIND(at, &n->index, mix64_pair(tgid, start_ns), pos,
		  n->v[pos].tgid == tgid && n->v[pos].start_ns == start_ns && !n->v[pos].dropped);
	return at == HIDX_NONE ? NULL : &n->v[at];
}

static char *read_cmdline(u32 tgid)
{
	char path[32], buf[CMDLINE_MAX];
	ssize_t len;

	snprintf(path, sizeof(path), "/proc/%u/cmdline", tgid);
	len = file__read(AT_FDCWD, path, buf, sizeof(buf));
	proclist__parse_cmdline(buf, len > 0 ? (size_t)len : 0);
	return buf[0] ? xstrdup(buf) : NULL;
}

static struct named *add(struct procs_names *n, u32 tgid, u64 start_ns)
{
	n->v = xgrow(n->v, n->n, &n->cap, sizeof(*n->v));
	n->v[n->n] = (struct named){.tgid = tgid, .start_ns = start_ns};
	hidx__add(&n->index, mix64_pair(tgid, start_ns), n->n);
	return &n->v[n->n++];
}

static void set_waits(struct procs_names *n, struct named *e, bool waits)
{
	n->waiting += waits - e->waits;
	e->waits = waits;
}

static void forget_cmdline(struct named *e)
{
	free(e->cmdline);
	e->cmdline = NULL;
}

static void read_now(struct procs_names *n, struct named *e)
{
	if (clock__monotonic_ns() >= n->until_ns)
		return;
	e->cmdline = read_cmdline(e->tgid);
	set_waits(n, e, false);
}

const char *procs_names__cmdline(struct procs_names *n, u32 tgid, u64 start_ns, u32 execs)
{
	struct named *e = find(n, tgid, start_ns);

	if (!e && n->n >= PROCS_NAMES_MAX)
		return "";
	if (!e || e->execs != execs) {
		e = e ? e : add(n, tgid, start_ns);
		forget_cmdline(e);
		set_waits(n, e, true);
		e->execs = execs;
	}
	if (e->waits)
		read_now(n, e);
	e->asked = true;
	return e->cmdline ? e->cmdline : "";
}

bool procs_names__next(struct procs_names *n, u32 *tgid, u64 *start_ns, const char **cmdline)
{
	struct named *e;

	if (!n->waiting)
		return false;
	while (!n->v[n->next % n->n].waits)
		n->next++;
	e = &n->v[n->next % n->n];
	read_now(n, e);
	*tgid = e->tgid;
	*start_ns = e->start_ns;
	*cmdline = e->cmdline ? e->cmdline : "";
	return !e->waits;
}

const char *procs_names__user(struct procs_names *n, u32 uid)
{
	return users__name(&n->users, uid);
}

void procs_names__drop(struct procs_names *n, u32 tgid, u64 start_ns)
{
	struct named *e = find(n, tgid, start_ns);

	if (!e)
		return;
	forget_cmdline(e);
	set_waits(n, e, false);
	e->dropped = true;
}

void procs_names__sweep(struct procs_names *n)
{
	u32 kept = 0;

	hidx__clear(&n->index);
	for (u32 i = 0; i < n->n; i++) {
		struct named *e = &n->v[i];

		if (!e->asked || e->dropped) {
			forget_cmdline(e);
			set_waits(n, e, false);
			continue;
		}
		e->asked = false;
		n->v[kept] = *e;
		hidx__add(&n->index, mix64_pair(e->tgid, e->start_ns), kept++);
	}
	n->n = kept;
}
