// SPDX-License-Identifier: GPL-2.0-only
/* The heat logs of each model that keeps one. */
#include <stdio.h>

#include "models/cache.h"
#include "models/heat.h"
#include "models/io_result.h"
#include "models/io_who.h"
#include "models/sched.h"
#include "models/waits.h"

/* --- sched: series are its kinds of histograms --- */

static const struct heat_kind sched_kinds[SCHED_HISTS] = {
	[SCHED_DELAY] = {"waits for a CPU", "waits"},
	[SCHED_ON] = {"runs on a CPU", "runs"},
	[SCHED_OFF] = {"times off the CPU", "waits"},
};

static bool sched_counts(const struct snap *snap, const void *query, u32 kind, u32 part, u32 series)
{
	return series == kind;
}

const struct heat_source heat_sched = {
	.view = "sched",
	.model = MODEL_SCHED,
	.kinds = sched_kinds,
	.nkinds = SCHED_HISTS,
	.terms = SCOPE_TERM_TASK,
	.query_size = sizeof(struct sched_query),
	.nbuckets = HIST_BUCKETS,
	.lo = sched_hist__lo,
	.counts = sched_counts,
};

/* --- offcpu: series are states --- */

enum { WAITS_ALL, WAITS_DISK, WAITS_SLEEP, WAITS_PREEMPTED, WAITS_KINDS };

static const struct heat_kind waits_kinds[WAITS_KINDS] = {
	[WAITS_ALL] = {"waits", "waits"},
	[WAITS_DISK] = {"uninterruptible waits (D)", "waits"},
	[WAITS_SLEEP] = {"interruptible waits (S)", "waits"},
	[WAITS_PREEMPTED] = {"preemptions (R)", "waits"},
};

static u64 waits_lo(u32 bucket)
{
	return hist__octave_lo(bucket);
}

/* A kernel thread without work waits for nothing. */
static bool waits_counts(const struct snap *snap, const void *query, u32 kind, u32 part, u32 series)
{
	static const u8 states[WAITS_KINDS] = {[WAITS_DISK] = TASK_STATE_DISK,
					       [WAITS_SLEEP] = TASK_STATE_SLEEP,
					       [WAITS_PREEMPTED] = TASK_STATE_RUNNABLE};

	return kind == WAITS_ALL ? series != TASK_STATE_IDLE : series == states[kind];
}

const struct heat_source heat_waits = {
	.view = "offcpu",
	.model = MODEL_WAITS,
	.kinds = waits_kinds,
	.nkinds = WAITS_KINDS,
	.terms = SCOPE_TERM_TASK | SCOPE_TERM_STATE | SCOPE_TERM_TIME,
	.query_size = sizeof(struct waits_query),
	.nbuckets = HIST_OCTAVES,
	.lo = waits_lo,
	.counts = waits_counts,
};

/* --- io: series are stages of what a device does --- */

static const struct heat_kind io_kinds[IO_STAGES] = {
	[IO_TOTAL] = {"total time", "requests"},
	[IO_QUEUED] = {"queued time", "requests"},
	[IO_DEVICE] = {"device time", "requests"},
};

static u64 io_lo(u32 bucket)
{
	return block__lo(bucket * IO_HEAT_MERGED);
}

static bool in_query(const struct io_heat_part *p, const struct io_query *q)
{
	return q->by_dev ? io__of_device(&p->device, q->dev) : true;
}

/* All of a whole disk has what its partitions did. */
static bool is_counted_once(const struct io_heat_part *p, const struct io_query *q)
{
	return q->by_dev ? io_device__id(&p->device) == q->dev : p->device.dev == p->device.disk;
}

static bool io_counts(const struct snap *snap, const void *query, u32 kind, u32 part, u32 series)
{
	const struct io_snap *s = (const void *)snap;
	u32 i = series / IO_STAGES;

	if (i >= s->nheat_parts || series % IO_STAGES != kind)
		return false;
	return part ? i + 1 == part : is_counted_once(&s->heat_parts[i], query);
}

static u32 io_parts(const struct snap *snap, const void *query, u32 *out)
{
	const struct io_snap *s = (const void *)snap;
	u32 n = 0;

	for (u32 i = 0; i < s->nheat_parts && n < HEAT_MAX_PARTS; i++)
		if (in_query(&s->heat_parts[i], query))
			out[n++] = i + 1;
	return n;
}

static void io_part_name(const struct snap *snap, u32 part, char *buf, size_t size)
{
	const struct io_snap *s = (const void *)snap;
	const struct io_heat_part *p;
	const char *host;

	*buf = '\0';
	if (part > s->nheat_parts)
		return;
	p = &s->heat_parts[part - 1];
	host = io_device__host(&p->device);
	snprintf(buf, size, "%s%s%s %s", host ? host : "", host ? " " : "", p->device.name, io_op_names[p->op]);
}

static u32 io_kind(const void *query)
{
	return ((const struct io_query *)query)->stage;
}

const struct heat_source heat_io = {
	.view = "io",
	.model = MODEL_IO,
	.kinds = io_kinds,
	.nkinds = IO_STAGES,
	.query_size = sizeof(struct io_query),
	.nbuckets = BLOCK_BUCKETS / IO_HEAT_MERGED,
	.lo = io_lo,
	.counts = io_counts,
	.parts = io_parts,
	.all_parts = "all devices",
	.part_name = io_part_name,
	.kind = io_kind,
};

/* --- cache: one series --- */

static const struct heat_kind cache_kinds[] = {
	{"ages of what was read ahead, at its first use", "pages"},
};

_Static_assert(sizeof(struct cache_query) <= HEAT_MAX_QUERY, "it is copied");

static bool cache_counts(const struct snap *snap, const void *query, u32 kind, u32 part, u32 series)
{
	return !series;
}

static u64 cache_lo(u32 bucket)
{
	return hist__octave_lo(bucket);
}

const struct heat_source heat_cache = {
	.view = "cache",
	.model = MODEL_CACHE,
	.kinds = cache_kinds,
	.nkinds = 1,
	.query_size = sizeof(struct cache_query),
	.nbuckets = CACHE_AGES,
	.lo = cache_lo,
	.counts = cache_counts,
};
