// SPDX-License-Identifier: GPL-2.0-only
/* Counters: opens perf events on each CPU for the programs, which say whose the counts are; of the CPU's own
 * caches by pairs. */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/cpus.h"
#include "bpf/counters.h"
#include "samples/counters.h"
#include "sources/bpf_util.h"
#include "sources/counter_list.h"
#include "sources/counters.h"
#include "sources/events.h"
#include "sources/measures.h"
#include "sources/perf_open.h"
#include "sources/shared_cache.h"

_Static_assert(COUNTER_EVENTS <= COUNTERS_MAX, "each event has its place in the map");

struct counters {
	const struct measure *m;
	u32 ncpus; /* possible ones */
	u32 *online, nonline;
	struct counter {
		const char *name;
		int *fds;      /* by place in online; NULL: it cannot be had */
		bool switches; /* it counts context switches */
	} v[COUNTERS_MAX];
	u32 n, nopened;
	struct counter_list chosen;
	struct status wrong; /* with what was chosen */
	int flush_fd;
	char without[256]; /* names that cannot be had */
	int err;	   /* why the first of them */
	u64 unflushed;
	struct shared_cache *caches; /* by CPU, of view hwcache */
};

/* --- opening --- */

static void counter__close(const struct counters *s, struct counter *c)
{
	for (u32 i = 0; i < s->nonline && c->fds; i++)
		if (c->fds[i] >= 0)
			close(c->fds[i]);
	free(c->fds);
	c->fds = NULL;
}

static bool is_switches(const struct perf_event_attr *a)
{
	return a->type == PERF_TYPE_SOFTWARE && a->config == PERF_COUNT_SW_CONTEXT_SWITCHES && !a->exclude_kernel;
}

/* On all CPUs, or -errno. name: as event__resolve takes it. with: counted when, and only when, that one is; NULL: by
 * itself. */
static int counter__open(const struct counters *s, struct counter *c, const char *name, const struct counter *with)
{
	struct perf_event_attr attr = {.size = sizeof(attr)};
	struct status st = {0};
	int err = event__resolve(name, event__tracefs(), &attr, &st);

	attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	*c = (struct counter){name, xcalloc(s->nonline, sizeof(*c->fds)), is_switches(&attr)};
	for (u32 i = 0; i < s->nonline; i++) {
		c->fds[i] = err ? -1
				: perf__open_with(&attr, -1, (int)s->online[i], with ? with->fds[i] : -1);
		if (c->fds[i] < 0 && !err)
			err = c->fds[i];
	}
	if (err)
		counter__close(s, c);
	return err;
}

static void note_missing(struct counters *s, const char *name, int err)
{
	size_t len = strlen(s->without);

	snprintf(s->without + len, sizeof(s->without) - len, "%s%s", len ? ", " : "", name);
	s->err = s->err ? s->err : err;
}

/* called: its name in rows; name: what is opened. */
static int open_named(struct counters *s, const char *called, const char *name, const struct counter *leader)
{
	int err = counter__open(s, &s->v[s->n], name, leader);

	if (err)
		note_missing(s, called, err);
	else
		s->v[s->n++].name = called;
	return err;
}

/* The pipeline's slots by what became of them: one counter has them all, and counts them for a group alone. */
static void open_topdown(struct counters *s)
{
	const char *pmu = perf__core_pmu();
	const struct counter *leader = NULL;
	char name[64];

	for (u32 i = COUNTER_TOPDOWN; i < COUNTER_EVENTS; i++) {
		snprintf(name, sizeof(name), "%s/%s/", pmu ? pmu : "cpu", counter_events[i]);
		if (open_named(s, counter_events[i], name, leader) && !leader)
			return;
		leader = leader ? leader : &s->v[s->n - 1];
	}
}

static struct counters *counters__new(const struct measure *m)
{
	struct counters *s = xcalloc(1, sizeof(*s));

	s->m = m;
	s->ncpus = (u32)MAX(libbpf_num_possible_cpus(), 1);
	s->nonline = cpus__online(&s->online);
	return s;
}

/* With more of the hardware's than it has counters for they take turns. */
static void open_usual(struct counters *s)
{
	for (u32 i = 0; i < COUNTER_TOPDOWN; i++)
		open_named(s, counter_events[i], counter_events[i], NULL);
	open_topdown(s);
}

/* A name that nobody knows is refused; what this machine does not count is left out, with a group that it leads. */
static void open_chosen(struct counters *s, const char *text)
{
	const struct counter *opened[COUNTERS_MAX] = {0};
	const struct counter_list *l = &s->chosen;
	struct perf_event_attr attr;

	if (counter_list__parse(&s->chosen, text, &s->wrong))
		return;
	for (u32 i = 0; i < l->n; i++) {
		bool leads = l->leaders[i] == i;
		const struct counter *next = &s->v[s->n];

		if (event__resolve(l->names[i], event__tracefs(), &attr, &s->wrong))
			return;
		if (!leads && !opened[l->leaders[i]])
			note_missing(s, l->names[i], -ENODEV);
		else if (!open_named(s, l->names[i], l->names[i], leads ? NULL : opened[l->leaders[i]]))
			opened[i] = next;
	}
}

static void *counters__begin(const struct measure *m, const struct sampling *how)
{
	struct counters *s = counters__new(m);

	if (*how->counters)
		open_chosen(s, how->counters);
	else
		open_usual(s);
	s->nopened = s->n;
	return s;
}

static bool counters__other(const struct sampling *was, const struct sampling *wanted)
{
	return strcmp(was->counters, wanted->counters);
}

/* Both or none. The pair at `at` is there in any case: what it is called is by its place. */
static int pair__open(struct counters *s, u32 at, const char *const *names)
{
	int err = counter__open(s, &s->v[at], names[0], NULL);

	if (!err)
		err = counter__open(s, &s->v[at + 1], names[1], &s->v[at]);
	if (err)
		counter__close(s, &s->v[at]);
	else
		s->nopened += 2;
	return err;
}

void *hwcache__begin_with(const struct measure *m, const struct hwcache_events *events, u32 n)
{
	struct counters *s = counters__new(m);

	s->n = 2 * (HWCACHES - 1);
	s->caches = xcalloc(s->ncpus, sizeof(*s->caches));
	for (u32 i = 0; i < s->ncpus; i++)
		shared_cache__of(&s->caches[i], SHARED_CACHE_CPUS, i);
	for (u32 cache = 1; cache < HWCACHES; cache++) {
		const char *first = NULL;
		int err = -ENODEV;

		for (u32 i = 0; i < n && err; i++) {
			if (events[i].cache != cache)
				continue;
			first = first ? first : events[i].names[1];
			err = pair__open(s, 2 * (cache - 1), events[i].names);
		}
		if (err && first)
			note_missing(s, first, err);
	}
	return s;
}

/* The generic names stand for what the CPU's maker calls the last level. */
static void *hwcache__begin(const struct measure *m, const struct sampling *how)
{
	static const struct hwcache_events hardware[] = {
		{HWCACHE_LLC, {"cache-references", "cache-misses"}},
		{HWCACHE_LLC, {"LLC-loads", "LLC-load-misses"}},
		{HWCACHE_TLB, {"dTLB-loads", "dTLB-load-misses"}},
	};

	return hwcache__begin_with(m, hardware, ARRAY_SIZE(hardware));
}

static void counters__end(void *ctx)
{
	struct counters *s = ctx;

	for (u32 i = 0; i < s->n; i++)
		counter__close(s, &s->v[i]);
	free(s->online);
	free(s->caches);
	free(s);
}

static const char *why_missing(int err)
{
	if (err == -EACCES || err == -EPERM)
		return "run with sudo, or sysctl kernel.perf_event_paranoid=-1";
	if (!perf__core_pmu())
		return "this machine has no hardware counters (a virtual one: qemu -cpu host,pmu=on)";
	return "the CPU, or what runs this virtual machine, does not count them";
}

/* --- programs --- */

static int counters__prepare(void *ctx, struct bpf_object *obj, struct status *st)
{
	struct counters *s = ctx;
	u32 switches = COUNTERS_MAX;

	if (*s->wrong.msg) {
		*st = s->wrong;
		return -EINVAL;
	}
	if (!s->nopened)
		return status__set(st, s->err == -EACCES || s->err == -EPERM ? EXIT_CODE_PERMISSION
									    : EXIT_CODE_UNSUPPORTED,
				   s->err, "no event can be counted: %s", why_missing(s->err));
	for (u32 i = 0; i < s->n; i++)
		if (s->v[i].switches)
			switches = i;
	measure_programs__set(obj, "counters_n", &s->n, sizeof(s->n));
	measure_programs__set(obj, "counters_cpus", &s->ncpus, sizeof(s->ncpus));
	measure_programs__set(obj, "counters_switches", &switches, sizeof(switches));
	bpf_map__set_max_entries(bpf_object__find_map_by_name(obj, "counters"), s->n * s->ncpus);
	bpf_program__set_autoattach(bpf_object__find_program_by_name(obj, "counters_flush"), false);
	return 0;
}

static int counters__loaded(void *ctx, struct bpf_object *obj, struct status *st)
{
	struct counters *s = ctx;
	int map = bpf_object__find_map_fd_by_name(obj, "counters"), err = 0;

	s->flush_fd = bpf_program__fd(bpf_object__find_program_by_name(obj, "counters_flush"));
	for (u32 i = 0; i < s->n * s->nonline && !err; i++) {
		struct counter *c = &s->v[i / s->nonline];
		u32 at = i % s->nonline, key = i / s->nonline * s->ncpus + s->online[at];

		if (c->fds && bpf_map_update_elem(map, &key, &c->fds[at], BPF_ANY))
			err = -errno;
	}
	return err ? bpf_util__failed(err, "counters of BPF programs", st) : 0;
}

/* What CPUs have counted since they last switched threads. */
static void counters__flush(void *ctx)
{
	struct counters *s = ctx;

	for (u32 i = 0; i < s->nonline; i++) {
		LIBBPF_OPTS(bpf_test_run_opts, opts, .flags = BPF_F_TEST_RUN_ON_CPU,
			    .cpu = s->online[i]);

		if (bpf_prog_test_run_opts(s->flush_fd, &opts))
			s->unflushed++;
	}
}

/* --- what is handed out --- */

static bool counters__text(void *ctx, u32 label, const struct measure_value *v, char *buf, size_t size)
{
	const struct counters *s = ctx;

	if (s->m->labels[label].word != COUNTERS_LABEL_EVENT || !v->value ||
	    v->value > s->n)
		return false;
	copy_str(buf, size, s->v[v->value - 1].name);
	return true;
}

static const struct shared_cache *cache_of(const struct counters *s, u32 label, u64 cpu)
{
	return !strcmp(s->m->labels[label].name, HWCACHE_SHARED) && cpu < s->ncpus ? &s->caches[cpu] : NULL;
}

static bool hwcache__text(void *ctx, u32 label, const struct measure_value *v, char *buf, size_t size)
{
	const struct shared_cache *c = cache_of(ctx, label, v->value);

	if (c)
		copy_str(buf, size, c->cpus);
	return c;
}

static u64 hwcache__same(void *ctx, u32 label, u64 value)
{
	const struct shared_cache *c = cache_of(ctx, label, value);

	return c ? c->first : value;
}

static void counters__cell(void *ctx, struct measure_cell *c)
{
	c->count = counter__scaled(c->count, c->sums[COUNTERS_ENABLED], c->sums[COUNTERS_RUNNING]);
}

static void hwcache__cell(void *ctx, struct measure_cell *c)
{
	u64 *sums = (u64 *)c->sums;

	sums[COUNTERS_SECOND] = counter__scaled(sums[COUNTERS_SECOND], sums[COUNTERS_ENABLED], sums[COUNTERS_RUNNING]);
	counters__cell(ctx, c);
	sums[COUNTERS_REST] = c->count - MIN(c->count, sums[COUNTERS_SECOND]);
}

static void counters__health(void *ctx, struct health *h)
{
	const struct counters *s = ctx;

	health__note(h, s->unflushed, "looks at CPUs failed: what threads without a switch counted comes later");
	if (*s->without)
		health__say(h, "%s: not counted: %s", why_missing(s->err), s->without);
}

const struct measure_hooks counters_hooks = {
	.begin = counters__begin,
	.end = counters__end,
	.other = counters__other,
	.prepare = counters__prepare,
	.loaded = counters__loaded,
	.flush = counters__flush,
	.text = counters__text,
	.cell = counters__cell,
	.health = counters__health,
};

const struct measure_hooks hwcache_hooks = {
	.begin = hwcache__begin,
	.end = counters__end,
	.prepare = counters__prepare,
	.loaded = counters__loaded,
	.flush = counters__flush,
	.text = hwcache__text,
	.same = hwcache__same,
	.cell = hwcache__cell,
	.health = counters__health,
};
