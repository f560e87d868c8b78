// SPDX-License-Identifier: GPL-2.0-only
/*
 * Processes from /proc, where no BPF program may be loaded: what they use, but of their time off
 * the CPU only how much it is. Each takes two or three system calls, so a round is bounded.
 */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/hidx.h"
#include "samples/procs.h"
#include "scope/proc_stat.h"
#include "sources/moment.h"
#include "sources/procs_names.h"
#include "sources/source.h"

#define MAX_PROCS 65536

/* Sums of a process when it was read last. */
struct seen {
	u32 pid;
	u64 start_ticks, t_ns;
	u64 user_ticks, system_ticks, minor_faults, major_faults, read_bytes, write_bytes;
};

struct round {
	struct seen *v;
	u32 n, cap;
	struct hidx index;
};

struct source {
	const struct scope *scope;
	const struct sample_sink *sink; /* during drain; NULL: only remembered */
	struct procs_names *names;
	struct round last, now;
	u64 tick_ns, page_bytes;
	u64 skipped; /* there were more than MAX_PROCS */
	struct health health;
};

static void round__fini(struct round *r)
{
	free(r->v);
	hidx__fini(&r->index);
	*r = (struct round){0};
}

static const struct seen *seen_before(const struct source *s, const struct seen *now)
{
	const struct round *r = &s->last;
	u32 at;

	HIDX_FIND(at, &r->index, mix64(now->pid), pos,
		  r->v[pos].pid == now->pid && r->v[pos].start_ticks == now->start_ticks);
	return at == HIDX_NONE ? NULL : &r->v[at];
}

static u64 gain(u64 now, u64 then)
{
	return now > then ? now - then : 0;
}

/* A thread is on a CPU, or it is not, and more is not known. */
static void fill_sums(struct source *s, struct procs_sample *out, const struct seen *now,
		      const struct seen *then)
{
	u64 wall = (now->t_ns - then->t_ns) * out->nthreads;
	u64 user = gain(now->user_ticks, then->user_ticks) * s->tick_ns;
	u64 system = gain(now->system_ticks, then->system_ticks) * s->tick_ns;

	out->sums.part_ns[PROCS_USER] = MIN(user, wall);
	out->sums.part_ns[PROCS_SYSTEM] = MIN(system, wall - MIN(user, wall));
	out->sums.part_ns[PROCS_SLEEP] =
		wall - out->sums.part_ns[PROCS_USER] - out->sums.part_ns[PROCS_SYSTEM];
	out->sums.minor_faults = gain(now->minor_faults, then->minor_faults);
	out->sums.major_faults = gain(now->major_faults, then->major_faults);
	out->sums.read_bytes = gain(now->read_bytes, then->read_bytes);
	out->sums.write_bytes = gain(now->write_bytes, then->write_bytes);
}

static bool read_io(const char *pid, struct seen *now)
{
	char path[48], text[512];

	snprintf(path, sizeof(path), "/proc/%.10s/io", pid);
	return file__read(AT_FDCWD, path, text, sizeof(text)) > 0 &&
	       proc_io__find(text, "read_bytes", &now->read_bytes) &&
	       proc_io__find(text, "write_bytes", &now->write_bytes);
}

static u32 owner_of(const char *pid)
{
	char path[32];
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%.10s", pid);
	return stat(path, &st) ? 0 : st.st_uid;
}

static void put_process(struct source *s, const struct proc_stat *p, const struct seen *now,
			bool has_io, u32 uid)
{
	const struct seen *then = seen_before(s, now);
	struct procs_sample out = {
		.head.type = SAMPLE_PROCS,
		.event = PROCS_IS,
		.tgid = now->pid,
		.tid = now->pid,
		.ppid = p->ppid,
		.uid = uid,
		.start_ns = p->start_ticks * s->tick_ns,
		.cmdline = "",
		.user = procs_names__user(s->names, uid),
		.unsplit = true,
		.rss_bytes = p->rss_pages * s->page_bytes,
		.nthreads = p->nthreads,
		.cpu = p->cpu,
		.policy = p->policy,
		.rt_priority = p->rt_priority,
		.nice = p->nice,
		.flags = (p->kernel ? PROCS_KTHREAD : PROCS_HAS_RSS) | (has_io ? PROCS_HAS_IO : 0),
		.state = (u8)p->state & 127,
		.rest = PROCS_SLEEP,
	};

	out.process_ns = out.start_ns;
	copy_str(out.comm, sizeof(out.comm), p->comm);
	if (p->state == 'Z')
		out.flags &= ~(u32)PROCS_HAS_RSS;
	if (!p->kernel)
		out.cmdline = procs_names__cmdline(s->names, out.tgid, out.start_ns, 0);
	if (then && p->state != 'Z')
		fill_sums(s, &out, now, then);
	sink__put(s->sink, &out.head);
}

static void read_process(struct source *s, const char *pid)
{
	struct proc_stat p;
	struct seen now = {.pid = (u32)strtoul(pid, NULL, 10)};
	bool has_io;
	u32 uid;

	if (proc_stat__read(pid, &p))
		return;
	uid = owner_of(pid);
	has_io = read_io(pid, &now);
	now.t_ns = clock__monotonic_ns();
	now.start_ticks = p.start_ticks;
	now.user_ticks = p.user_ticks;
	now.system_ticks = p.system_ticks;
	now.minor_faults = p.minor_faults;
	now.major_faults = p.major_faults;
	s->now.v = xgrow(s->now.v, s->now.n, &s->now.cap, sizeof(*s->now.v));
	s->now.v[s->now.n] = now;
	hidx__add(&s->now.index, mix64(now.pid), s->now.n++);
	if (s->sink && scope__task(s->scope, now.pid, now.pid, UINT32_MAX, 0, p.comm) &&
	    scope__thread(s->scope, p.kernel))
		put_process(s, &p, &now, has_io, uid);
}

static void read_all(struct source *s)
{
	DIR *dir = opendir("/proc");
	const struct dirent *d;

	while (dir && (d = readdir(dir))) {
		if (d->d_name[0] < '1' || d->d_name[0] > '9' || strlen(d->d_name) > 10)
			continue;
		if (s->now.n < MAX_PROCS)
			read_process(s, d->d_name);
		else
			s->skipped++;
	}
	if (dir)
		closedir(dir);
	round__fini(&s->last);
	s->last = s->now;
	s->now = (struct round){0};
}

static void procs_proc__drain(struct source *s, bool tick, const struct sample_sink *sink)
{
	struct procs_sample all = {
		.head.type = SAMPLE_PROCS, .event = PROCS_ALL, .cmdline = "", .user = ""};

	if (!tick)
		return;
	s->sink = sink;
	procs_names__begin(s->names);
	read_all(s);
	procs_names__sweep(s->names);
	sink__put(sink, &all.head);
	s->health.samples = s->last.n;
	s->health.samples_total += s->last.n;
	s->health.map_full = s->skipped;
}

static int procs_proc__set_scope(struct source *s, const struct scope *scope, struct status *st)
{
	if (moment__refuse(scope, "/proc", st))
		return -EOPNOTSUPP;
	scope__put(s->scope);
	s->scope = scope__get(scope);
	return 0;
}

static int procs_proc__set_sampling(struct source *s, const struct sampling *how, struct status *st)
{
	return 0;
}

static void procs_proc__close(struct source *s)
{
	round__fini(&s->last);
	round__fini(&s->now);
	procs_names__free(s->names);
	scope__put(s->scope);
	free(s);
}

static struct source *procs_proc__open(const struct sampling *how, const struct scope *scope,
				       struct status *st)
{
	struct source *s = xcalloc(1, sizeof(*s));

	if (access("/proc/self/stat", R_OK)) {
		status__set(st, EXIT_CODE_UNSUPPORTED, -errno, "/proc is not mounted");
		free(s);
		return NULL;
	}
	s->tick_ns = NSEC_PER_SEC / (u64)MAX(sysconf(_SC_CLK_TCK), 1L);
	s->page_bytes = (u64)sysconf(_SC_PAGESIZE);
	s->names = procs_names__new();
	s->scope = scope__get(scope);
	read_all(s);
	copy_str(s->health.tier, sizeof(s->health.tier), "proc");
	copy_str(s->health.event, sizeof(s->health.event), "/proc");
	copy_str(s->health.note, sizeof(s->health.note),
		 "from /proc: time off the CPU is not split, threads are not told apart, processes "
		 "that end within an interval are not seen");
	return s;
}

static void procs_proc__health(struct source *s, struct health *h)
{
	health__take(h, &s->health);
}

const struct source_ops source_procs_proc = {
	.name = "proc",
	.title = "reading /proc",
	.open = procs_proc__open,
	.close = procs_proc__close,
	.set_scope = procs_proc__set_scope,
	.set_sampling = procs_proc__set_sampling,
	.drain = procs_proc__drain,
	.health = procs_proc__health,
};
