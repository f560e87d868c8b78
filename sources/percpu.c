// SPDX-License-Identifier: GPL-2.0-only
/*
 * What each CPU does: perf counts events on each, the kernel's own files have the rest. No program runs for
 * an event. Of a counter its growth is handed out; what cannot be had is unknown.
 */
#include <fcntl.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/cpus.h"
#include "base/file.h"
#include "samples/percpu.h"
#include "sources/events.h"
#include "sources/perf_open.h"
#include "sources/percpu_parse.h"
#include "sources/source.h"

extern const struct source_ops source_percpu;

#define TEXT_BYTES (4 << 20) /* /proc/interrupts of many CPUs and devices */

/* A figure's events on one CPU. */
struct counter {
	enum percpu_figure figure;
	u32 cpu;
	int fd;
};

struct source {
	struct counter *counters;
	u32 ncounters, counters_cap;
	struct percpu_counts now, before; /* by CPU */
	char *text;
	u64 tick_ns, handed_out;
};

/* --- counters --- */

static void open_on(struct source *s, enum percpu_figure f, struct perf_event_attr *attr, u32 cpu)
{
	int fd = perf__open(attr, -1, (int)cpu);

	if (fd < 0)
		return;
	s->counters = xgrow(s->counters, s->ncounters, &s->counters_cap, sizeof(*s->counters));
	s->counters[s->ncounters++] = (struct counter){f, cpu, fd};
}

static void open_event(struct source *s, enum percpu_figure f, const char *name, const u32 *cpus, u32 n)
{
	struct perf_event_attr attr;

	if (event__resolve(name, event__tracefs(), &attr, NULL))
		return;
	attr.size = sizeof(attr);
	for (u32 i = 0; i < n; i++)
		open_on(s, f, &attr, cpus[i]);
}

static void close_events(struct source *s)
{
	for (u32 i = 0; i < s->ncounters; i++)
		close(s->counters[i].fd);
	s->ncounters = 0;
}

static void open_events(struct source *s)
{
	u32 *cpus, n = cpus__online(&cpus);

	for (u32 f = 0; f < PERCPU_FIGURES; f++) {
		char names[128], *at = names, *name;

		if (percpu_rows[f].from != PERCPU_FROM_EVENT)
			continue;
		copy_str(names, sizeof(names), percpu_rows[f].what);
		while ((name = strsep(&at, " ")))
			open_event(s, f, name, cpus, n);
	}
	free(cpus);
}

static void read_events(struct source *s)
{
	u64 n;

	for (u32 i = 0; i < s->ncounters; i++)
		if (read(s->counters[i].fd, &n, sizeof(n)) == sizeof(n))
			percpu_counts__add(&s->now, s->counters[i].cpu, s->counters[i].figure, n);
}

/* --- the whole --- */

static const char *read_text(struct source *s, const char *path)
{
	file__read(AT_FDCWD, path, s->text, TEXT_BYTES);
	return s->text;
}

static void read_all(struct source *s)
{
	percpu_counts__clear(&s->now);
	percpu__parse_stat(read_text(s, "/proc/stat"), s->tick_ns, &s->now);
	percpu__parse_interrupts(read_text(s, "/proc/interrupts"), &s->now);
	percpu__parse_softirqs(read_text(s, "/proc/softirqs"), &s->now);
	read_events(s);
}

static void put_cpu(struct source *s, u32 cpu, const struct sample_sink *sink)
{
	const struct percpu_count *now = &s->now.v[cpu], *before = percpu_counts__at(&s->before, cpu);
	struct percpu_sample out = {.head.type = SAMPLE_PERCPU, .cpu = cpu};

	if (!before)
		return;
	out.known = now->known & before->known;
	for (u32 i = 0; i < PERCPU_FIGURES; i++)
		if (out.known >> i & 1 && now->n[i] > before->n[i])
			out.values[i] = now->n[i] - before->n[i];
	if (!out.known)
		return;
	s->handed_out++;
	sink__put(sink, &out.head);
}

static void percpu__drain(struct source *s, bool tick, const struct sample_sink *sink)
{
	struct percpu_counts last;

	if (!tick)
		return;
	read_all(s);
	for (u32 i = 0; i < s->now.n; i++)
		put_cpu(s, i, sink);
	last = s->before;
	s->before = s->now;
	s->now = last;
}

static void percpu__close(struct source *s)
{
	close_events(s);
	free(s->counters);
	percpu_counts__fini(&s->now);
	percpu_counts__fini(&s->before);
	free(s->text);
	free(s);
}

static void begin(struct source *s)
{
	struct percpu_counts last = s->before;

	open_events(s);
	read_all(s);
	s->before = s->now;
	s->now = last;
}

static struct source *percpu__open(const struct sampling *how, const struct scope *scope,
				   struct status *st)
{
	struct source *s = xcalloc(1, sizeof(*s));

	s->text = xmalloc(TEXT_BYTES);
	s->tick_ns = NSEC_PER_SEC / (u64)MAX(sysconf(_SC_CLK_TCK), 1L);
	begin(s);
	if (s->before.n)
		return s;
	status__set(st, EXIT_CODE_FAILURE, -ENOENT, "/proc/stat cannot be read: is /proc mounted?");
	percpu__close(s);
	return NULL;
}

/* Counters of a CPU that went have ended: all begin anew. */
static int percpu__renew(struct source *s, struct status *st)
{
	close_events(s);
	begin(s);
	return 0;
}

static int percpu__set_scope(struct source *s, const struct scope *scope, struct status *st)
{
	return 0; /* the machine's, whatever the scope */
}

static int percpu__set_sampling(struct source *s, const struct sampling *how, struct status *st)
{
	return 0;
}

static void percpu__health(struct source *s, struct health *h)
{
	copy_str(h->tier, sizeof(h->tier), s->ncounters ? "perf" : "proc");
	copy_str(h->event, sizeof(h->event), "counters");
	h->samples_total = s->handed_out;
}

const struct source_ops source_percpu = {
	.name = "percpu",
	.title = "what each CPU does: counters of perf, /proc/stat, interrupts and softirqs",
	.open = percpu__open,
	.close = percpu__close,
	.renew = percpu__renew,
	.set_scope = percpu__set_scope,
	.set_sampling = percpu__set_sampling,
	.drain = percpu__drain,
	.health = percpu__health,
};
