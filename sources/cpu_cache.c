// SPDX-License-Identifier: GPL-2.0-only
/*
 * The CPU's own caches: per CPU, references and misses are counted, and sampled now and then to
 * know whose they are.
 */
#include "sources/cpu_cache.h"

#include <stdio.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/clock.h"
#include "sources/cpu_cache_sums.h"
#include "sources/perf_open.h"
#include "sources/perf_setup.h"
#include "sources/perf_ring.h"
#include "sources/perf_tasks.h"
#include "sources/scope_check.h"

#define PAGES 16
/* About what an interrupt of a counter takes. */
#define SAMPLE_COST_NS 1000
#define TASKS_MAX      32768

static const char *const cache_names[CPU_CACHES] = {
	[CPU_CACHE_LLC] = "last-level cache", [CPU_CACHE_TLB] = "TLB"};

/* The generic names stand for what the CPU's maker calls the last level. Periods, not rates: what
 * comes in bursts would mostly pass before the kernel has adapted to it. They are primes, and so
 * long that a CPU that does nothing else is interrupted some thousand times a second. */
static const struct cpu_cache_events hardware[] = {
	{CPU_CACHE_LLC, {"cache-references", "cache-misses"}, {100003, 20011}},
	{CPU_CACHE_LLC, {"LLC-loads", "LLC-load-misses"}, {100003, 20011}},
	{CPU_CACHE_TLB, {"dTLB-loads", "dTLB-load-misses"}, {1000003, 20011}},
};

/* One event on all CPUs. */
struct counter {
	struct perf_ring ring; /* evlist NULL: not opened */
	u32 period;
	struct perf_count *before; /* by CPU number */
	u32 nbefore;
};

struct source {
	struct counter counters[CPU_CACHES][CPU_CACHE_COUNTS];
	const struct cpu_cache_events *opened[CPU_CACHES]; /* borrowed; NULL: not counted */
	struct cpu_cache_state_sample state;
	u64 fields; /* sample_type */
	int epoll_fd;
	const struct scope *scope; /* a reference */
	struct perf_tasks tasks;
	struct cpu_cache_sums sums;
	const struct sample_sink *sink; /* during drain */
	u64 samples, samples_before, interval_samples, lost;
	u64 tick_ns;
	double cost_pct;
};

/* Where a record or a count comes from. */
struct from {
	struct source *source;
	enum cpu_cache cache;
	enum cpu_cache_count what;
};

/* --- records and counts --- */

static void on_sample(const struct from *from, const struct perf_record *r)
{
	struct source *s = from->source;
	struct cpu_cache_who who = {.cpu = r->cpu,
				    .tgid = r->pid,
				    .tid = r->tid,
				    .cgroup = r->cgroup,
				    .comm = perf_tasks__get(&s->tasks, r->pid, r->tid)->comm};

	s->samples++;
	cpu_cache_sums__sample(&s->sums, from->cache, from->what, &who,
			       r->period ? r->period : s->counters[from->cache][from->what].period);
}

void cpu_cache__feed(struct source *s, enum cpu_cache cache, enum cpu_cache_count what,
		     const struct perf_event_header *h, size_t avail)
{
	const struct from from = {s, cache, what};
	struct perf_record r;

	if (perf_record__decode(&r, h, avail, s->fields) ||
	    !perf_ring__holds(&s->counters[cache][what].ring, r.t_ns))
		return;
	s->lost += r.lost;
	if (r.type == PERF_RECORD_SAMPLE)
		on_sample(&from, &r);
	else
		perf_tasks__record(&s->tasks, &r, s->scope);
}

static void on_record(void *ctx, const struct perf_event_header *h)
{
	const struct from *from = ctx;

	cpu_cache__feed(from->source, from->cache, from->what, h, h->size);
}

static struct perf_count *before(struct counter *c, u32 cpu)
{
	if (cpu >= c->nbefore) {
		c->before = xrealloc(c->before, (cpu + 1) * sizeof(*c->before));
		memset(c->before + c->nbefore, 0, (cpu + 1 - c->nbefore) * sizeof(*c->before));
		c->nbefore = cpu + 1;
	}
	return &c->before[cpu];
}

/* What was counted since then. With more events than counters they take turns: then it is what
 * it would have been at the same pace all the time. */
static u64 since(const struct perf_count *then, const struct perf_count *now, bool *estimated)
{
	u64 n = now->n - then->n, enabled = now->enabled - then->enabled,
	    running = now->running - then->running;

	if (!running || running >= enabled)
		return n;
	*estimated = true;
	return (u64)((unsigned __int128)n * enabled / running);
}

void cpu_cache__feed_count(struct source *s, enum cpu_cache cache, enum cpu_cache_count what,
			   u32 cpu, u64 n, u64 enabled, u64 running)
{
	const struct perf_count now = {cpu, n, enabled, running};
	struct perf_count *then;

	if (cpu >= CPU_CACHE_CPUS)
		return;
	then = before(&s->counters[cache][what], cpu);
	cpu_cache_sums__counted(&s->sums, cache, what, cpu,
				since(then, &now, &s->state.of[cache].estimated));
	*then = now;
}

static void on_count(void *ctx, const struct perf_count *c)
{
	const struct from *from = ctx;

	cpu_cache__feed_count(from->source, from->cache, from->what, c->cpu, c->n, c->enabled,
			      c->running);
}

static void each_counter(struct source *s, void (*fn)(struct perf_ring *r, struct from *from))
{
	struct from from = {.source = s};

	for (u32 i = 0; i < CPU_CACHES * CPU_CACHE_COUNTS; i++) {
		struct counter *c = &s->counters[i / CPU_CACHE_COUNTS][i % CPU_CACHE_COUNTS];

		from.cache = i / CPU_CACHE_COUNTS;
		from.what = i % CPU_CACHE_COUNTS;
		if (c->ring.evlist)
			fn(&c->ring, &from);
	}
}

static void read_ring(struct perf_ring *r, struct from *from)
{
	perf_ring__read(r, on_record, from);
}

static void read_counts(struct perf_ring *r, struct from *from)
{
	perf_ring__counts(r, on_count, from);
}

/* --- opening --- */

static void counter__close(struct counter *c)
{
	if (c->ring.evlist)
		perf_ring__close(&c->ring);
	free(c->before);
	*c = (struct counter){0};
}

static bool is_unknown(int err)
{
	return err == -ENOENT || err == -EOPNOTSUPP || err == -EINVAL || err == -ENODEV;
}

static int refused(int err, enum cpu_cache cache, struct status *st)
{
	if (err == -EACCES || err == -EPERM)
		return status__set(st, EXIT_CODE_PERMISSION, err,
				   "run with sudo, or sysctl kernel.perf_event_paranoid=-1");
	if (!perf__core_pmu())
		return status__set(st, EXIT_CODE_UNSUPPORTED, err,
				   "no hardware counters (in a VM: qemu -cpu host,pmu=on)");
	if (is_unknown(err))
		return status__set(st, EXIT_CODE_UNSUPPORTED, err,
				   "this CPU does not count references and misses of the %s",
				   cache_names[cache]);
	return status__set(st, exit_code__from_errno(err), err, "events of the %s do not open: %s",
			   cache_names[cache], strerror(-err));
}

static int open_counter(struct source *s, struct counter *c, const char *event, u32 period)
{
	struct sampling how = {.period = period, .user = true, .kernel = true};
	struct status st = {0};
	struct perf_setup p;
	int err;

	copy_str(how.event, sizeof(how.event), event);
	err = perf__setup(&p, &how, &st);
	if (err)
		return err;
	c->period = period;
	p.attr.sample_type = s->fields;
	p.attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	p.attr.sample_id_all = 1;
	p.attr.comm = p.attr.comm_exec = p.attr.task = 1;
	err = perf_ring__open(&c->ring, &p.attr, NULL, 0, PAGES);
	if (err == -EINVAL && (s->fields & PERF_SAMPLE_CGROUP)) {
		s->fields &= ~(u64)PERF_SAMPLE_CGROUP;
		return open_counter(s, c, event, period);
	}
	return err;
}

static int open_fresh(struct source *s, const struct cpu_cache_events *e, struct counter *fresh)
{
	int err = 0;

	for (u32 i = 0; i < CPU_CACHE_COUNTS && !err; i++)
		err = open_counter(s, &fresh[i], e->names[i], e->periods[i]);
	for (u32 i = 0; i < CPU_CACHE_COUNTS && err; i++)
		counter__close(&fresh[i]);
	return err;
}

static void watch(struct source *s, const struct counter *c)
{
	struct epoll_event ev = {.events = EPOLLIN};

	epoll_ctl(s->epoll_fd, EPOLL_CTL_ADD, c->ring.epoll_fd, &ev);
}

static int open_pair(struct source *s, const struct cpu_cache_events *e)
{
	struct cpu_cache_state *state = &s->state.of[e->cache];
	struct counter *c = s->counters[e->cache];
	int err = open_fresh(s, e, c);

	if (err)
		return err;
	for (u32 i = 0; i < CPU_CACHE_COUNTS; i++)
		watch(s, &c[i]);
	s->opened[e->cache] = e;
	state->known = true;
	snprintf(state->events, sizeof(state->events), "%s, %s", e->names[0], e->names[1]);
	return 0;
}

static void on_first_count(void *ctx, const struct perf_count *c)
{
	if (c->cpu < CPU_CACHE_CPUS)
		*before(ctx, c->cpu) = *c;
}

/* What the old one counted last is counted, and so is all that the fresh one counts from then on. */
static void succeed(struct counter *c, struct counter *fresh, struct from *from)
{
	perf_ring__counts(&c->ring, on_count, from);
	perf_ring__counts(&fresh->ring, on_first_count, fresh);
	perf_ring__succeed(&c->ring, &fresh->ring, on_record, from);
	free(c->before);
	c->before = fresh->before;
	c->nbefore = fresh->nbefore;
	watch(from->source, c);
}

static int renew_pair(struct source *s, enum cpu_cache cache)
{
	struct counter fresh[CPU_CACHE_COUNTS] = {0};
	int err = open_fresh(s, s->opened[cache], fresh);

	for (u32 i = 0; i < CPU_CACHE_COUNTS && !err; i++)
		succeed(&s->counters[cache][i], &fresh[i], &(struct from){s, cache, i});
	return err;
}

/* 0 when there is anything to count. */
static int open_all(struct source *s, const struct cpu_cache_events *events, u32 n,
		    struct status *st)
{
	struct status why = {0};
	bool any = false, all_unknown = perf__core_pmu();

	for (u32 i = 0; i < n; i++) {
		struct cpu_cache_state *state = &s->state.of[events[i].cache];
		int err = state->known ? 0 : open_pair(s, &events[i]);

		any |= !err;
		all_unknown &= is_unknown(err);
		if (!err)
			continue;
		refused(err, events[i].cache, &why);
		copy_str(state->why, sizeof(state->why), why.msg);
		if (!st->code)
			*st = why;
	}
	if (all_unknown)
		status__set(
			st, EXIT_CODE_UNSUPPORTED, -ENODEV,
			"this CPU counts references and misses of neither the last-level cache nor "
			"the TLB");
	return any ? 0 : -ENODEV;
}

static struct source *new_source(const struct scope *scope)
{
	struct source *s = xcalloc(1, sizeof(*s));

	s->state.head.type = SAMPLE_CPU_CACHE_STATE;
	s->scope = scope__get(scope);
	/* Without their periods, which are known: asked for those, software events sample all. */
	s->fields = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU;
	if (perf__cgroup_ids_are_v2())
		s->fields |= PERF_SAMPLE_CGROUP;
	s->epoll_fd = -1;
	s->tick_ns = clock__monotonic_ns();
	perf_tasks__init(&s->tasks, TASKS_MAX);
	return s;
}

static void cpu_cache__close(struct source *s)
{
	for (u32 i = 0; i < CPU_CACHES * CPU_CACHE_COUNTS; i++)
		counter__close(&s->counters[i / CPU_CACHE_COUNTS][i % CPU_CACHE_COUNTS]);
	if (s->epoll_fd >= 0)
		close(s->epoll_fd);
	perf_tasks__fini(&s->tasks);
	cpu_cache_sums__fini(&s->sums);
	scope__put(s->scope);
	free(s);
}

struct source *cpu_cache__open_events(const struct cpu_cache_events *events, u32 n,
				      const struct scope *scope, struct status *st)
{
	struct source *s = new_source(scope);

	s->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (s->epoll_fd >= 0 && !open_all(s, events, n, st)) {
		*st = (struct status){0};
		return s;
	}
	if (s->epoll_fd < 0)
		status__set(st, EXIT_CODE_FAILURE, -errno, "no file descriptor for the counters (%s): raise ulimit -n",
			    strerror(errno));
	cpu_cache__close(s);
	return NULL;
}

static struct source *cpu_cache__open(const struct sampling *how, const struct scope *scope,
				      struct status *st)
{
	return cpu_cache__open_events(hardware, ARRAY_SIZE(hardware), scope, st);
}

struct source *cpu_cache__open_fake(const struct scope *scope, u64 *fields)
{
	struct source *s = new_source(scope);

	s->fields = *fields = PERF_RECORD_FIELDS;
	return s;
}

static int cpu_cache__set_scope(struct source *s, const struct scope *scope, struct status *st)
{
	scope__get(scope);
	scope__put(s->scope);
	s->scope = scope;
	return 0;
}

/* The rate is its own, and so are the events. */
static int cpu_cache__set_sampling(struct source *s, const struct sampling *how, struct status *st)
{
	return 0;
}

static int cpu_cache__renew(struct source *s, struct status *st)
{
	int first = 0;

	for (u32 i = 0; i < CPU_CACHES; i++) {
		int err = s->opened[i] ? renew_pair(s, i) : 0;

		if (err && !first)
			first = refused(err, i, st);
	}
	return first;
}

/* --- draining --- */

static bool in_scope(struct source *s, const struct cpu_cache_sample *x)
{
	bool narrowed = s->scope->include[SCOPE_PID].active || s->scope->include[SCOPE_TID].active;

	if (!scope_check__id(s->scope, SCOPE_CPU, x->cpu))
		return false;
	if (x->tgid == CPU_CACHE_NOBODY)
		return !narrowed && scope_check__cgroup(s->scope, 0) &&
		       scope__comm(s->scope, x->comm);
	return perf_tasks__in_scope(&s->tasks, s->scope, x->tgid, x->tid, x->comm) &&
	       scope_check__cgroup(s->scope, x->cgroup);
}

static void put_row(void *ctx, const struct cpu_cache_sample *row)
{
	struct source *s = ctx;

	if (in_scope(s, row))
		sink__put(s->sink, &row->head);
}

static int cpu_cache__fd(struct source *s)
{
	return s->epoll_fd;
}

static void end_interval(struct source *s)
{
	u64 now_ns = clock__monotonic_ns();
	double wall =
		(double)(now_ns - s->tick_ns) * (double)MAX(sysconf(_SC_NPROCESSORS_ONLN), 1L);

	s->interval_samples = s->samples - s->samples_before;
	s->samples_before = s->samples;
	if (wall > 0)
		s->cost_pct = 100.0 * (double)s->interval_samples * SAMPLE_COST_NS / wall;
	s->tick_ns = now_ns;
}

static void cpu_cache__drain(struct source *s, bool tick, const struct sample_sink *sink)
{
	each_counter(s, read_ring);
	if (!tick)
		return;
	each_counter(s, read_counts);
	s->sink = sink;
	sink__put(sink, &s->state.head);
	cpu_cache_sums__flush(&s->sums, put_row, s);
	for (u32 i = 0; i < CPU_CACHES; i++)
		s->state.of[i].estimated = false;
	end_interval(s);
}

static void cpu_cache__health(struct source *s, struct health *h)
{
	h->samples = s->interval_samples;
	h->samples_total = s->samples;
	h->lost = s->lost + s->sums.full;
	h->map_full = s->sums.full;
	h->cost_pct = s->cost_pct;
	copy_str(h->tier, sizeof(h->tier), "perf");
	copy_str(h->event, sizeof(h->event),
		 s->state.of[s->state.of[CPU_CACHE_LLC].known ? CPU_CACHE_LLC : CPU_CACHE_TLB]
			 .events);
}

const struct source_ops source_cpu_cache = {
	.name = "perf",
	.title = "counters of the last-level cache and the TLB",
	.open = cpu_cache__open,
	.close = cpu_cache__close,
	.set_scope = cpu_cache__set_scope,
	.set_sampling = cpu_cache__set_sampling,
	.renew = cpu_cache__renew,
	.fd = cpu_cache__fd,
	.drain = cpu_cache__drain,
	.health = cpu_cache__health,
};
