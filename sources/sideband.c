// SPDX-License-Identifier: GPL-2.0-only
/*
 * What processes do to their names and address spaces: a dummy event per CPU that samples
 * nothing and only carries fork, exec, comm, exit and mmap records.
 */
#include <stdio.h>
#include <time.h>

#include "base/arena.h"
#include "base/log.h"
#include "sources/command_lines.h"
#include "sources/perf_open.h"
#include "sources/perf_ring.h"
#include "sources/side_events.h"
#include "sources/source.h"

#define PAGES	    128 /* 512 KiB a CPU: some 5000 records */
#define SAMPLE_TYPE (PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU)

extern const struct source_ops source_sideband;

struct source {
	struct perf_ring ring;
	struct side_events events;
	struct command_reader *commands;
	u64 lost;
};

static const struct perf_event_attr sideband_attr = {
	.type = PERF_TYPE_SOFTWARE,
	.size = sizeof(sideband_attr),
	.config = PERF_COUNT_SW_DUMMY,
	.sample_type = SAMPLE_TYPE,
	.sample_id_all = 1,
	.disabled = 1,
	.mmap = 1, /* executable mappings only: data ones have a bit of their own */
	.mmap2 = 1,
	.comm = 1,
	.comm_exec = 1,
	.task = 1,
	.use_clockid = 1,
	.clockid = CLOCK_MONOTONIC,
	.exclude_kernel = 1,
};

static int open_ring(struct perf_ring *ring, struct status *st)
{
	int err = perf_ring__open(ring, &sideband_attr, NULL, 0, PAGES);

	if (err)
		status__set(st, exit_code__from_errno(err), err,
			    "new processes and their libraries cannot be watched (%s): run with "
			    "sudo, or sysctl kernel.perf_event_paranoid=-1",
			    strerror(-err));
	return err;
}

static struct source *sideband__open(const struct sampling *how, const struct scope *scope,
				     struct status *st)
{
	struct source *s = xcalloc(1, sizeof(*s));

	if (open_ring(&s->ring, st)) {
		free(s);
		return NULL;
	}
	s->commands = command_reader__new();
	return s;
}

static void sideband__close(struct source *s)
{
	perf_ring__close(&s->ring);
	side_events__fini(&s->events);
	command_reader__free(s->commands);
	free(s);
}

static void on_record(void *ctx, const struct perf_event_header *h)
{
	struct source *s = ctx;
	struct perf_record r;

	if (perf_record__decode(&r, h, h->size, SAMPLE_TYPE) ||
	    !perf_ring__holds(&s->ring, r.t_ns))
		return;
	s->lost += r.lost;
	side_events__add(&s->events, &r);
}

static int sideband__renew(struct source *s, struct status *st)
{
	struct perf_ring fresh;
	int err = open_ring(&fresh, st);

	if (!err)
		perf_ring__succeed(&s->ring, &fresh, on_record, s);
	return err;
}

static int sideband__fd(struct source *s)
{
	return s->ring.epoll_fd;
}

/* The sink of all others, which the reader of command lines listens to. */
struct side_sink {
	struct command_reader *commands;
	const struct sample_sink *sink;
};

static void put_event(void *ctx, const struct sample *s)
{
	const struct side_sink *to = ctx;

	sink__put(to->sink, s);
	command_reader__event(to->commands, container_of(s, struct proc_event, head), to->sink);
}

static void sideband__drain(struct source *s, bool tick, const struct sample_sink *sink)
{
	struct side_sink to = {s->commands, sink};
	u64 lost = s->lost;

	perf_ring__read(&s->ring, on_record, s);
	side_events__flush(&s->events, &(struct sample_sink){put_event, &to});
	if (tick)
		command_reader__tick(s->commands, sink);
	if (s->lost > lost)
		log__add(LOG_WARN,
			 "%llu records of new processes and mappings lost: names of new "
			 "code may be missing",
			 (unsigned long long)(s->lost - lost));
}

static void sideband__health(struct source *s, struct health *h)
{
	h->side_lost += s->lost;
	if (s->lost)
		snprintf(h->note, sizeof(h->note), "%llu records of new processes and code lost",
			 (unsigned long long)s->lost);
}

/* Whatever the scope: a process may come into it later, and then its maps must be known. */
static int sideband__set_scope(struct source *s, const struct scope *scope, struct status *st)
{
	return 0;
}

static int sideband__set_sampling(struct source *s, const struct sampling *how, struct status *st)
{
	return 0;
}

const struct source_ops source_sideband = {
	.name = "sideband",
	.title = "perf dummy event: new processes, names and mappings",
	.open = sideband__open,
	.close = sideband__close,
	.set_scope = sideband__set_scope,
	.set_sampling = sideband__set_sampling,
	.renew = sideband__renew,
	.fd = sideband__fd,
	.drain = sideband__drain,
	.health = sideband__health,
};
