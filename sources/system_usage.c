// SPDX-License-Identifier: GPL-2.0-only
/*
 * What processes use, by /proc/PID/stat: cheap where there are some hundreds. Each look goes on
 * where the last one ran out of its budget, and what a process did is counted since it was looked
 * at, so that rates are right however long that was ago. Who was active is looked at first; where
 * a look does not come round, an iterator says who that is.
 */
#include <dirent.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include "base/cgroup.h"
#include "base/clock.h"
#include "base/file.h"
#include "sources/active.h"
#include "sources/system_impl.h"

#define MANY_FILES    256 /* from here on the limit is looked at */
#define LARGE_BYTES   (64ULL << 20)
#define STALE_ROUNDS  2
#define FIRST_ROUNDS  2 /* rates need two looks */

struct seen {
	u32 pid;
	u64 start, t_ns, put_ns; /* put_ns: it was handed out */
	u32 round;
	bool has_io, has_swap, has_mapped, active, zombie;
	u64 read_bytes, write_bytes, swap_bytes, mapped_bytes;
	u64 cpu_ns; /* in the last look */
	u64 cgroup; /* 0: not looked at yet, or unknown */
	struct usage_sample before;
};

struct usage_scan {
	DIR *proc;
	u64 tick_ns, page_bytes;
	u32 round;
	struct seen *seen;
	u32 nseen, cap;
	struct hidx by_pid;
	u64 left_out;
	bool swaps; /* something is swapped */
	u32 nzombies;
	struct active *active; /* NULL: there is no need, or no way */
	bool tried;	       /* to open it */
};

struct usage_scan *usage_scan__new(void)
{
	struct usage_scan *s = xcalloc(1, sizeof(*s));

	s->proc = opendir("/proc");
	s->tick_ns = NSEC_PER_SEC / (u64)MAX(sysconf(_SC_CLK_TCK), 1L);
	s->page_bytes = (u64)sysconf(_SC_PAGESIZE);
	return s;
}

void usage_scan__free(struct usage_scan *s)
{
	active__close(s->active);
	if (s->proc)
		closedir(s->proc);
	hidx__fini(&s->by_pid);
	free(s->seen);
	free(s);
}

u64 usage_scan__left_out(const struct usage_scan *s)
{
	return s->left_out;
}

static struct seen *find(const struct usage_scan *s, u32 pid)
{
	u32 at;

	HIDX_FIND(at, &s->by_pid, mix64(pid), pos, s->seen[pos].pid == pid);
	return at == HIDX_NONE ? NULL : &s->seen[at];
}

static u64 cpu_of(const struct seen *p)
{
	return p->cpu_ns;
}

static u64 memory_of(const struct seen *p)
{
	return p->before.rss_bytes;
}

static u32 with_most(const struct usage_scan *s, const u32 *pids, u32 n, u64 (*of)(const struct seen *p))
{
	u64 most = 0;
	u32 pid = 0;

	for (u32 i = 0; i < n; i++) {
		const struct seen *p = find(s, pids[i]);

		if (p && (!pid || of(p) > most)) {
			pid = p->pid;
			most = of(p);
		}
	}
	return pid;
}

u32 usage_scan__busiest(const struct usage_scan *s, const u32 *pids, u32 n)
{
	return with_most(s, pids, n, cpu_of);
}

u32 usage_scan__largest(const struct usage_scan *s, const u32 *pids, u32 n)
{
	return with_most(s, pids, n, memory_of);
}

#define FEW_ZOMBIES 10 /* whose they are is not looked for */

/* By majority: whoever has more than all others is what is left when each pair of different ones is struck. */
u32 usage_scan__zombies(const struct usage_scan *s, u32 *parent)
{
	u32 lead = 0, n = 0;

	*parent = 0;
	for (u32 i = 0; i < s->nseen && s->nzombies >= FEW_ZOMBIES; i++) {
		if (!s->seen[i].zombie)
			continue;
		if (!lead)
			*parent = s->seen[i].before.ppid;
		lead += s->seen[i].before.ppid == *parent ? 1 : -1u;
	}
	for (u32 i = 0; i < s->nseen && *parent; i++)
		n += s->seen[i].zombie && s->seen[i].before.ppid == *parent;
	if (n * 2 <= s->nzombies)
		*parent = 0;
	return s->nzombies;
}

static struct seen *add(struct usage_scan *s, u32 pid)
{
	if (s->nseen == USAGE_PROCESSES) {
		s->left_out++;
		return NULL;
	}
	s->seen = xgrow(s->seen, s->nseen, &s->cap, sizeof(*s->seen));
	s->seen[s->nseen] = (struct seen){.pid = pid};
	hidx__add(&s->by_pid, mix64(pid), s->nseen);
	return &s->seen[s->nseen++];
}

/* At the end of a round: those that have ended are forgotten. */
static void forget_ended(struct usage_scan *s)
{
	u32 kept = 0;

	hidx__clear(&s->by_pid);
	s->nzombies = 0;
	for (u32 i = 0; i < s->nseen; i++) {
		if (s->round - s->seen[i].round >= STALE_ROUNDS)
			continue;
		s->nzombies += s->seen[i].zombie;
		s->seen[kept] = s->seen[i];
		hidx__add(&s->by_pid, mix64(s->seen[kept].pid), kept);
		kept++;
	}
	s->nseen = kept;
	s->left_out = 0;
}

/* --- what costs more, of those that are worth it --- */

static u64 io_field(const char *text, const char *name)
{
	const char *at = strstr(text, name);

	return at ? strtoull(at + strlen(name), NULL, 10) : 0;
}

static void add_io(const struct usage_scan *s, struct seen *p, struct usage_sample *u)
{
	char path[32], text[512];
	u64 in, out;

	snprintf(path, sizeof(path), "%u/io", u->pid);
	if (file__read(dirfd(s->proc), path, text, sizeof(text)) <= 0)
		return;
	in = io_field(text, "\nread_bytes: ");
	out = io_field(text, "\nwrite_bytes: ");
	if (p->has_io) {
		u->read_bytes = in - MIN(in, p->read_bytes);
		u->write_bytes = out - MIN(out, p->write_bytes);
	}
	p->has_io = true;
	p->read_bytes = in;
	p->write_bytes = out;
}

/* Where nothing is swapped, there is nothing to read. */
static void add_swap(const struct usage_scan *s, struct seen *p, struct usage_sample *u)
{
	char path[32], text[4096];
	u64 now;

	snprintf(path, sizeof(path), "%u/status", u->pid);
	if (!s->swaps || file__read(dirfd(s->proc), path, text, sizeof(text)) <= 0)
		return;
	now = io_field(text, "\nVmSwap:") * 1024;
	if (p->has_swap)
		u->swapped_bytes = now - MIN(now, p->swap_bytes);
	p->has_swap = true;
	p->swap_bytes = now;
}

/* Of memory that grew: a database touches what it shares with others bit by bit, and keeps none of it. */
static void add_mapped(const struct usage_scan *s, struct seen *p, struct usage_sample *u)
{
	unsigned long long pages;
	char path[32], text[128];
	u64 now;

	snprintf(path, sizeof(path), "%u/statm", u->pid);
	if (u->rss_bytes <= p->before.rss_bytes || file__read(dirfd(s->proc), path, text, sizeof(text)) <= 0 ||
	    sscanf(text, "%*u %*u %llu", &pages) != 1)
		return;
	now = pages * s->page_bytes;
	if (p->has_mapped)
		u->mapped_bytes = now - MIN(now, p->mapped_bytes);
	p->has_mapped = true;
	p->mapped_bytes = now;
}

static u64 cgroup_of(const struct usage_scan *s, u32 pid)
{
	char path[32], text[4096], *at;

	snprintf(path, sizeof(path), "%u/cgroup", pid);
	if (file__read(dirfd(s->proc), path, text, sizeof(text)) <= 0)
		return 0;
	at = !strncmp(text, "0::", 3) ? text : strstr(text, "\n0::");
	if (!at)
		return 0;
	at = strchr(at, ':') + 2;
	at[strcspn(at, "\n")] = '\0';
	return cgroup__id(at);
}

/* How many there are, as Linux 6.2 and later have it without a look at each. */
static void add_files(const struct usage_scan *s, struct usage_sample *u)
{
	struct rlimit limit;
	struct stat st;
	char path[32];

	snprintf(path, sizeof(path), "%u/fd", u->pid);
	if (fstatat(dirfd(s->proc), path, &st, 0) || st.st_size < MANY_FILES)
		return;
	u->files = (u32)st.st_size;
	if (!prlimit((pid_t)u->pid, RLIMIT_NOFILE, NULL, &limit))
		u->files_max = (u32)MIN(limit.rlim_cur, (rlim_t)UINT32_MAX);
}

static void add_cpus(struct usage_sample *u)
{
	cpu_set_t set[16]; /* of 16384 CPUs */

	if (!sched_getaffinity((pid_t)u->pid, sizeof(set), set))
		u->cpus = (u32)CPU_COUNT_S(sizeof(set), set);
}

/* --- a process --- */

static u64 grown(u64 now, u64 before)
{
	return now - MIN(now, before);
}

static void subtract(struct usage_sample *u, const struct usage_sample *before)
{
	u->user_ns = grown(u->user_ns, before->user_ns);
	u->system_ns = grown(u->system_ns, before->system_ns);
	u->children_ns = grown(u->children_ns, before->children_ns);
	u->minor_faults = grown(u->minor_faults, before->minor_faults);
	u->major_faults = grown(u->major_faults, before->major_faults);
}

/* Who waits for a CPU the whole interval is, too. */
static bool is_active(const struct usage_sample *u)
{
	return u->user_ns || u->system_ns || u->children_ns || u->minor_faults ||
	       u->major_faults || u->state == 'D' || u->state == 'R';
}

static void compare(struct usage_scan *s, struct seen *p, struct usage_sample *u, u64 now_ns,
		    const struct sample_sink *sink)
{
	struct usage_sample now = *u;

	subtract(u, &p->before);
	u->span_ns = u->span_ns - p->t_ns;
	p->cpu_ns = u->user_ns + u->system_ns;
	/* One look more after the last activity: its disk I/O is what came since. */
	if (is_active(u) || p->active)
		add_io(s, p, u);
	if (is_active(u) || p->active)
		add_swap(s, p, u);
	add_mapped(s, p, u);
	p->active = is_active(u);
	add_files(s, u);
	if (p->active)
		add_cpus(u);
	if (p->active && !p->cgroup)
		p->cgroup = cgroup_of(s, u->pid);
	u->cgroup = p->cgroup;
	if (p->active || u->read_bytes || u->write_bytes || u->files ||
	    u->rss_bytes >= LARGE_BYTES) {
		sink__put(sink, &u->head);
		p->put_ns = now_ns;
	}
	p->before = now;
}

static void look_at(struct usage_scan *s, const char *name, u64 now_ns,
		    const struct sample_sink *sink)
{
	char path[300], text[1024];
	struct usage_sample u;
	struct seen *p = find(s, (u32)strtoul(name, NULL, 10));

	if (p && p->t_ns == now_ns) {
		p->round = s->round;
		return;
	}
	snprintf(path, sizeof(path), "%s/stat", name);
	if (file__read(dirfd(s->proc), path, text, sizeof(text)) <= 0 ||
	    !system__parse_task(text, s->tick_ns, s->page_bytes, &u))
		return;
	p = find(s, u.pid);
	if (!p)
		p = add(s, u.pid);
	if (!p)
		return;
	u.own = u.pid == (u32)getpid();
	u.span_ns = now_ns;
	if (p->start == u.start && p->t_ns && now_ns > p->t_ns) {
		compare(s, p, &u, now_ns, sink);
	} else {
		s->nzombies -= p->zombie;
		*p = (struct seen){.pid = u.pid, .start = u.start, .active = true, .before = u};
		add_io(s, p, &u);
	}
	p->t_ns = now_ns;
	p->round = s->round;
	s->nzombies += (u32)(u.state == 'Z') - p->zombie;
	p->zombie = u.state == 'Z';
}

static void look_at_pid(struct usage_scan *s, u32 pid, u64 now_ns, const struct sample_sink *sink)
{
	char name[16];

	snprintf(name, sizeof(name), "%u", pid);
	look_at(s, name, now_ns, sink);
}

void usage_scan__put(struct usage_scan *s, u32 pid, u64 now_ns, const struct sample_sink *sink)
{
	struct seen *p = find(s, pid);
	struct usage_sample u, same;
	char path[32], text[1024];

	snprintf(path, sizeof(path), "%u/stat", pid);
	if ((p && p->put_ns == now_ns) || file__read(dirfd(s->proc), path, text, sizeof(text)) <= 0 ||
	    !system__parse_task(text, s->tick_ns, s->page_bytes, &u))
		return;
	same = u;
	subtract(&u, &same);
	u.cgroup = p ? p->cgroup : 0;
	u.span_ns = NSEC_PER_SEC; /* of nothing */
	sink__put(sink, &u.head);
	if (p)
		p->put_ns = now_ns;
}

/* Where a round takes many intervals, whoever did something is looked at in each of them. */
static void look_at_active(struct usage_scan *s, u64 now_ns, u64 budget_ns, const struct sample_sink *sink)
{
	u32 n = 0;
	const u32 *pids = s->active ? active__pids(s->active, &n) : NULL;
	u64 until = clock__thread_cpu_ns() + budget_ns;

	for (u32 i = 0; i < n && clock__thread_cpu_ns() < until; i++)
		look_at_pid(s, pids[i], now_ns, sink);
	for (u32 i = 0; i < s->nseen && clock__thread_cpu_ns() < until; i++)
		if (s->seen[i].active)
			look_at_pid(s, s->seen[i].pid, now_ns, sink);
}

/* Whether the round has ended. */
static bool look_at_next(struct usage_scan *s, u64 now_ns, u64 budget_ns, const struct sample_sink *sink)
{
	u64 until = clock__thread_cpu_ns() + budget_ns;
	const struct dirent *e;

	while (clock__thread_cpu_ns() < until) {
		e = readdir(s->proc);
		if (!e)
			return true;
		if (*e->d_name >= '1' && *e->d_name <= '9')
			look_at(s, e->d_name, now_ns, sink);
	}
	return false;
}

static void end_round(struct usage_scan *s)
{
	rewinddir(s->proc);
	s->round++;
	forget_ended(s);
}

/* They are too many for a look at each. Without the iterator the first rounds are worth their time. */
static void find_active(struct usage_scan *s, u64 now_ns, const struct sample_sink *sink)
{
	if (!s->tried)
		s->active = active__open();
	s->tried = true;
	if (s->active)
		look_at_active(s, now_ns, USAGE_BUDGET_NS, sink);
	else if (s->round < FIRST_ROUNDS && look_at_next(s, now_ns, USAGE_FIRST_NS, sink))
		end_round(s);
}

void usage_scan__run(struct usage_scan *s, u64 now_ns, const struct sample_sink *sink)
{
	struct sysinfo info;

	if (!s->proc)
		return;
	s->swaps = !sysinfo(&info) && info.freeswap < info.totalswap;
	look_at_active(s, now_ns, USAGE_BUDGET_NS, sink);
	if (look_at_next(s, now_ns, s->active ? USAGE_BUDGET_NS / 4 : USAGE_BUDGET_NS, sink))
		end_round(s);
	else if (!s->active)
		find_active(s, now_ns, sink);
}
