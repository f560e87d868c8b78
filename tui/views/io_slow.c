// SPDX-License-Identifier: GPL-2.0-only
/* The slowest requests: who began them where, and what held them up. */
#include <stdio.h>

#include "tui/views/flame.h"
#include "tui/views/io.h"
#include "tui/views/slow.h"

static const struct io_slow_result *slow(const struct listing *l)
{
	return container_of(l->result, struct io_slow_result, base);
}

QUERY_RUN(slow__run, io__slow, MODEL_IO)

static enum role slow__role(const struct listing *l, u32 row, u32 column)
{
	const struct io_slow_sample *s = &slow(l)->rows[row]->s;
	const struct column *c = &l->result->table.columns[column];

	if (!strcmp(c->name, "total_ns"))
		return io__latency_role(s->total_ns);
	if (!strcmp(c->name, "device_ns"))
		return io__latency_role(s->device_ns);
	if (!strcmp(c->name, "queued"))
		return s->queued_ns ? io__latency_role(s->queued_ns) : ROLE_DIM;
	return (c->flags & COLUMN_KEY) && s->who.kthread ? ROLE_KERNEL : ROLE_TEXT;
}

static void slow__describe(const struct listing *l, u32 row, char *buf, size_t size)
{
	const struct io_slow_sample *s = &slow(l)->rows[row]->s;
	char total[16], bytes[16];

	format__ns(total, sizeof(total), s->total_ns);
	if (!s->bytes) {
		snprintf(buf, size, "%s pid %u tid %u: %s of %s took %s", s->who.comm, s->who.tgid, s->who.tid,
			 io_op_names[s->who.op], s->who.device.name, total);
		return;
	}
	format__bytes(bytes, sizeof(bytes), s->bytes);
	snprintf(buf, size, "%s pid %u tid %u: %s of %s at sector %llu of %s took %s%s%s", s->who.comm,
		 s->who.tgid, s->who.tid, io_op_names[s->who.op], bytes, (unsigned long long)s->sector,
		 s->who.device.name, total, *s->who.file ? "  file " : "", s->who.file);
}

static const struct slow_words slow_words = {
	.what = "requests",
	.title = "slowest requests of the last",
	.counted = "",
	.hint = "unfold a row for the stack that began it · min= in the filter sets the limit",
	.none = "no request in scope was slow in the last",
	.seconds = IO_SLOW_S,
	.max = IO_MAX_SLOW,
	.waiting = io__waiting,
	.describe = slow__describe,
};

static const struct event_form slow_form = {
	.what = "",
	.name = "op",
	.end = "t_ns",
	.length = "total_ns",
	.pid = "pid",
	.tid = "tid",
	.comm = "comm",
	.overlaps = true,
};

void io_slow__events(const struct report *r, const struct event_sink *out)
{
	const struct io_result *a = container_of(r->asked, struct io_result, base.table);
	const struct io_slow_query q = {.by_dev = a->query.by_dev, .dev = a->query.dev};
	struct io_slow_result *rows = io__slow((const void *)a->base.snap, &q, r->priv);

	out->put(out->ctx, &rows->base.table, &slow_form);
	query_result__free(&rows->base);
}

static void report(const struct query_result *a, const struct frame *f, struct report *r)
{
	slow__report(r, "io-slowest", "request", f, MODEL_IO, &slow_form);
}

static const struct listing_ops slow_listing = {
	SLOW_LISTING,
	.function = slow__function,
	.drill = slow__drill,
	.ask = {.size = sizeof(struct io_slow_query), .model = MODEL_IO, .run = slow__run},
	.cell_role = slow__role,
	.report = report,
};

/* As of the view's table, of this device. */
static bool slow__action(struct screen *base, enum action a)
{
	const struct slow_screen *s = (const struct slow_screen *)base;
	const struct io_slow_query *of = s->query;
	const struct io_query q = {.by_dev = of->by_dev, .dev = of->dev};

	if (a != ACTION_FLAME)
		return listing__action(base, a);
	host__push(base->host,
		   flame__open(base->host, &flame_io_slow, &q, s->list.query_client.extra_scope));
	return true;
}

static const struct screen_ops slow_ops = {
	LISTING_SCREEN,
	.section = "requests",
	.free = slow_screen__free,
	.action = slow__action,
	.hints = (const enum action[]){ACTION_DRILL, ACTION_UNFOLD_ALL, ACTION_FILTER, ACTION_BACK,
				       ACTION_PAUSE, ACTION_SNAPSHOT, ACTION_NONE},
};

struct screen *io_slow__open(struct host *h, u64 dev, const char *narrowed,
			     const struct scope *extra)
{
	const struct io_slow_query q = {.by_dev = dev != 0, .dev = dev};

	return &slow_screen__new(h, &slow_ops, &slow_listing, &slow_words, &q, NULL, narrowed,
				 extra)
			->list.base;
}

struct screen *io_slow__list(const struct heat_view *v, struct host *h, const void *query,
			     const struct heat_pick *pick, const struct scope *extra)
{
	const struct io_snap *snap = (const void *)host__frame(h)->snaps[MODEL_IO];
	const struct io_heat_part *part = NULL;
	const struct io_query *of = query;
	struct io_slow_query q = {.stage = pick->kind};

	if (pick->part && snap && pick->part <= snap->nheat_parts)
		part = &snap->heat_parts[pick->part - 1];
	q.dev = part ? io_device__id(&part->device) : of->by_dev ? of->dev : 0;
	q.by_dev = q.dev != 0;
	q.by_op = part != NULL;
	q.op = part ? part->op : 0;
	return &slow_screen__new(h, &slow_ops, &slow_listing, &slow_words, &q, pick, "", extra)
			->list.base;
}
