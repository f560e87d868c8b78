// SPDX-License-Identifier: GPL-2.0-only
/* The slowest requests: who began them where, and what held them up. */
#include <stdio.h>

#include "base/arena.h"
#include "tui/views/flame.h"
#include "tui/views/heat.h"
#include "tui/views/io.h"

struct slow_screen {
	struct listing list;
	struct io_slow_query query;
	struct heat_pick pick; /* with a range, or not at all */
};

static const struct slow_screen *screen_of(const struct listing *l)
{
	return container_of(l, struct slow_screen, list);
}

static const struct io_slow_answer *slow(const struct listing *l)
{
	return container_of(l->answer, struct io_slow_answer, base);
}

static struct answer *slow__run(const struct frame *f, const void *query, const struct scope *scope)
{
	return &io__slow((const void *)f->snaps[MODEL_IO], query, scope)->base;
}

static void slow__unfolded(struct listing *l, const u64 *keys, u32 n)
{
	struct io_slow_query *q = &container_of(l, struct slow_screen, list)->query;

	q->nunfolded = n;
	memcpy(q->unfolded, keys, sizeof(q->unfolded));
}

static void slow__headline(struct listing *l, struct headline *line)
{
	if (heat_range__is_set(&screen_of(l)->query.range)) {
		heat_pick__headline(&screen_of(l)->pick, l, l->answer ? slow(l)->nrows : 0,
				    "requests", line);
		return;
	}
	headline__addf(line, ROLE_STRONG, "slowest requests of the last %d s", IO_SLOW_S);
	if (l->answer)
		headline__addf(line, ROLE_DIM, " · %u", slow(l)->nrows);
	headline__add(line, ROLE_DIM,
		      " · unfold a row for the stack that began it · min= in the filter sets the "
		      "limit");
}

static void slow__empty(const struct listing *l, char *buf, size_t size)
{
	if (io__waiting(l, buf, size))
		return;
	if (heat_range__is_set(&screen_of(l)->query.range))
		snprintf(
			buf, size,
			"none of these requests is kept: of each 10 s the %d slowest are, for %d s",
			IO_MAX_SLOW, IO_SLOW_S);
	else
		snprintf(buf, size, "no request in scope was slow in the last %d s", IO_SLOW_S);
}

static enum role slow__role(const struct listing *l, u32 row, u32 column)
{
	const struct io_slow_sample *s = &slow(l)->rows[row]->s;
	const struct column *c = &l->answer->table.columns[column];

	if (!strcmp(c->name, "total_ns"))
		return io__latency_role(s->total_ns);
	if (!strcmp(c->name, "device_ns"))
		return io__latency_role(s->device_ns);
	if (!strcmp(c->name, "queued"))
		return s->queued_ns ? io__latency_role(s->queued_ns) : ROLE_DIM;
	return (c->flags & COLUMN_KEY) && s->kthread ? ROLE_KERNEL : ROLE_TEXT;
}

static void slow__selection(const struct listing *l, struct listing_place at, char *buf,
			    size_t size)
{
	const struct io_slow_sample *s = &slow(l)->rows[at.row]->s;
	char total[16], bytes[16];

	if (at.node != UINT32_MAX) {
		const struct tree_node *n = &l->answer->nodes[at.node];

		snprintf(buf, size, "%s  %s", n->name, n->object_name);
		return;
	}
	format__ns(total, sizeof(total), s->total_ns);
	if (!s->bytes) {
		snprintf(buf, size, "%s pid %u tid %u: %s of %s took %s", s->comm, s->tgid, s->tid,
			 io_op_names[s->op], s->device.name, total);
		return;
	}
	format__bytes(bytes, sizeof(bytes), s->bytes);
	snprintf(buf, size, "%s pid %u tid %u: %s of %s at sector %llu of %s took %s%s%s", s->comm,
		 s->tgid, s->tid, io_op_names[s->op], bytes, (unsigned long long)s->sector,
		 s->device.name, total, *s->file ? "  file " : "", s->file);
}

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

static void slow__events(const struct report *r,
			 void (*emit)(void *ctx, const struct row_table *rows,
				      const struct event_form *form),
			 void *ctx)
{
	emit(ctx, r->rows, &slow_form);
}

void io_slow__events(const struct report *r,
		     void (*emit)(void *ctx, const struct row_table *rows,
				  const struct event_form *form),
		     void *ctx)
{
	const struct io_answer *a = container_of(r->asked, struct io_answer, base.table);
	const struct io_slow_query q = {.by_dev = a->query.by_dev, .dev = a->query.dev};
	struct io_slow_answer *rows = io__slow((const void *)a->base.snap, &q, r->priv);

	emit(ctx, &rows->base.table, &slow_form);
	answer__free(&rows->base);
}

static void slow__report(const struct answer *a, const struct frame *f, struct report *r)
{
	r->events = slow__events;
	(void)a;
	r->view = "io-slowest";
	r->window = "last minute";
	r->group = "request";
	r->health = f->feeds[MODEL_IO].health;
}

static const struct listing_ops slow_listing = {
	.ask = {.size = sizeof(struct io_slow_query), .model = MODEL_IO, .run = slow__run},
	.unfolded = slow__unfolded,
	.headline = slow__headline,
	.events = true,
	.empty = slow__empty,
	.cell_role = slow__role,
	.selection = slow__selection,
	.report = slow__report,
};

/* As of the view's table, of this device. */
static bool slow__action(struct screen *base, enum action a)
{
	const struct slow_screen *s = (const struct slow_screen *)base;
	const struct io_query q = {.by_dev = s->query.by_dev, .dev = s->query.dev};

	if (a != ACTION_FLAME)
		return listing__action(base, a);
	host__push(base->host, flame__open(base->host, &flame_io, &q, s->list.asker.extra_scope));
	return true;
}

static void slow__free(struct screen *base)
{
	listing__fini((struct listing *)base);
	free(base);
}

static const struct screen_ops slow_ops = {
	LISTING_SCREEN,
	.section = "requests",
	.free = slow__free,
	.action = slow__action,
	.hints = (const enum action[]){ACTION_RIGHT, ACTION_UNFOLD_ALL, ACTION_FILTER, ACTION_BACK,
				       ACTION_PAUSE, ACTION_SNAPSHOT, ACTION_NONE},
};

static struct slow_screen *slow__new(struct host *h, u32 dev, const struct scope *extra)
{
	struct slow_screen *s = xcalloc(1, sizeof(*s));

	s->list.base = (struct screen){.ops = &slow_ops, .host = h};
	s->query.by_dev = dev != 0;
	s->query.dev = dev;
	listing__init(&s->list, h, &slow_listing, &s->query);
	s->list.asker.extra_scope = extra ? scope__get(extra) : NULL;
	return s;
}

struct screen *io_slow__open(struct host *h, u32 dev, const char *narrowed,
			     const struct scope *extra)
{
	struct slow_screen *s = slow__new(h, dev, extra);

	snprintf(s->list.narrowed, sizeof(s->list.narrowed), "slowest%s%s", *narrowed ? " " : "",
		 narrowed);
	return &s->list.base;
}

struct screen *io_slow__list(struct host *h, const void *query, const struct heat_pick *pick,
			     const struct scope *extra)
{
	const struct io_snap *snap = (const void *)host__frame(h)->snaps[MODEL_IO];
	const struct io_heat_part *part = NULL;
	const struct io_query *q = query;
	struct slow_screen *s;

	if (pick->part && snap && pick->part <= snap->nheat_parts)
		part = &snap->heat_parts[pick->part - 1];
	s = slow__new(h, part ? part->device.dev : q->by_dev ? q->dev : 0, extra);
	s->query.by_op = part != NULL;
	s->query.op = part ? part->op : 0;
	s->query.stage = pick->kind;
	s->query.range = pick->range;
	s->pick = *pick;
	copy_str(s->list.narrowed, sizeof(s->list.narrowed), "cell");
	return &s->list.base;
}
