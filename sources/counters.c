// SPDX-License-Identifier: GPL-2.0-only
/* Counters: opens perf events on each CPU for the programs, which say whose the counts are. */
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
#include "sources/events.h"
#include "sources/measures.h"
#include "sources/perf_open.h"

#define SWITCHES "context-switches"

struct counters {
	u32 ncpus; /* possible ones */
	u32 *online, nonline;
	struct counter {
		const char *name;
		int *fds; /* by place in online */
	} v[COUNTERS_MAX];
	u32 n;
	int flush_fd;
	char without[256]; /* names that cannot be had */
	int err;	   /* why the last of them */
	u64 unflushed;
};

/* --- opening --- */

static void counter__close(const struct counters *s, struct counter *c)
{
	for (u32 i = 0; i < s->nonline; i++)
		if (c->fds[i] >= 0)
			close(c->fds[i]);
	free(c->fds);
}

/* On all CPUs, or -errno. */
static int counter__open(const struct counters *s, struct counter *c, const char *name)
{
	struct perf_event_attr attr = {.size = sizeof(attr)};
	struct status st = {0};
	int err = event__resolve(name, NULL, &attr, &st);

	attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	*c = (struct counter){name, xcalloc(s->nonline, sizeof(*c->fds))};
	for (u32 i = 0; i < s->nonline; i++) {
		c->fds[i] = err ? -1 : perf__open(&attr, -1, (int)s->online[i]);
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
	s->err = err;
}

static void *counters__begin(const struct measure *m, const struct sampling *how)
{
	struct counters *s = xcalloc(1, sizeof(*s));

	s->ncpus = (u32)MAX(libbpf_num_possible_cpus(), 1);
	s->nonline = cpus__online(&s->online);
	/* With more of the hardware's than it has counters for they take turns. */
	for (u32 i = 0; i < COUNTER_EVENTS && s->n < COUNTERS_MAX; i++) {
		int err = counter__open(s, &s->v[s->n], counter_events[i]);

		if (err)
			note_missing(s, counter_events[i], err);
		else
			s->n++;
	}
	return s;
}

static void counters__end(void *ctx)
{
	struct counters *s = ctx;

	for (u32 i = 0; i < s->n; i++)
		counter__close(s, &s->v[i]);
	free(s->online);
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

	if (!s->n)
		return status__set(st, s->err == -EACCES || s->err == -EPERM ? EXIT_CODE_PERMISSION
									    : EXIT_CODE_UNSUPPORTED,
				   s->err, "no event can be counted: %s", why_missing(s->err));
	for (u32 i = 0; i < s->n; i++)
		if (!strcmp(s->v[i].name, SWITCHES))
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

		if (bpf_map_update_elem(map, &key, &c->fds[at], BPF_ANY))
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

	if (measure_table[MEASURE_COUNTERS]->labels[label].word != COUNTERS_LABEL_EVENT || !v->value ||
	    v->value > s->n)
		return false;
	copy_str(buf, size, s->v[v->value - 1].name);
	return true;
}

static void counters__cell(void *ctx, struct measure_cell *c)
{
	c->count = counter__scaled(c->count, c->sums[COUNTERS_ENABLED], c->sums[COUNTERS_RUNNING]);
}

static void counters__health(void *ctx, struct health *h)
{
	const struct counters *s = ctx;

	health__note(h, s->unflushed, "looks at CPUs failed: what threads without a switch counted comes later");
	if (*s->without)
		health__say(h, "not counted: %s: %s", s->without, why_missing(s->err));
}

const struct measure_hooks counters_hooks = {
	.begin = counters__begin,
	.end = counters__end,
	.prepare = counters__prepare,
	.loaded = counters__loaded,
	.flush = counters__flush,
	.text = counters__text,
	.cell = counters__cell,
	.health = counters__health,
};
