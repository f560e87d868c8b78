// SPDX-License-Identifier: GPL-2.0-only
/* The slowest delays: who waited how long for which CPU, and who held it where. */
#include <stdio.h>

#include "base/arena.h"
#include "tui/views/heat.h"
#include "tui/views/sched.h"

struct delays_screen {
	struct listing list;
	struct sched_delays_query query;
	struct heat_pick pick; /* with a range, or not at all */
};

static const struct delays_screen *screen_of(const struct listing *l)
{
	return container_of(l, struct delays_screen, list);
}

static const struct sched_delays_answer *delays(const struct listing *l)
{
	return container_of(l->answer, struct sched_delays_answer, base);
}

static struct answer *delays__run(const struct frame *f, const void *query,
				  const struct scope *scope)
{
	return &sched__delays((const void *)f->snaps[MODEL_SCHED], query, scope)->base;
}

static void delays__unfolded(struct listing *l, const u64 *keys, u32 n)
{
	struct sched_delays_query *q = &container_of(l, struct delays_screen, list)->query;

	q->nunfolded = n;
	memcpy(q->unfolded, keys, sizeof(q->unfolded));
}

static void delays__headline(struct listing *l, struct headline *line)
{
	if (heat_range__is_set(&screen_of(l)->query.range)) {
		heat_pick__headline(&screen_of(l)->pick, l, l->answer ? delays(l)->nrows : 0,
				    "waits", line);
		return;
	}
	headline__addf(line, ROLE_STRONG, "slowest waits for a CPU in the last %d s",
		       SCHED_DELAYS_S);
	if (l->answer)
		headline__addf(line, ROLE_DIM, " · %u waits", delays(l)->nrows);
	headline__add(line, ROLE_DIM, " · unfold a row for the stack of who held the CPU");
}

static void delays__empty(const struct listing *l, char *buf, size_t size)
{
	if (sched__waiting(l, buf, size))
		return;
	if (heat_range__is_set(&screen_of(l)->query.range))
		snprintf(buf, size,
			 "none of these waits is kept: of each 10 s the %d slowest are, for %d s",
			 SCHED_MAX_DELAYS, SCHED_DELAYS_S);
	else
		snprintf(buf, size, "no thread in scope has waited long for a CPU in the last %d s",
			 SCHED_DELAYS_S);
}

static bool is_holder(const char *column)
{
	return !strncmp(column, "holder", 6);
}

static enum role delays__role(const struct listing *l, u32 row, u32 column)
{
	const struct sched_delay *d = delays(l)->rows[row];
	const char *name = l->answer->table.columns[column].name;
	const struct task_ident *t = is_holder(name) ? &d->holder : &d->task;

	if (is_holder(name) && !d->holder.tid)
		return ROLE_DIM;
	return t->kthread && (!strcmp(name, "comm") || !strcmp(name, "holder_comm")) ? ROLE_KERNEL
										     : ROLE_TEXT;
}

static void select_frame(const struct listing *l, const struct tree_node *n, char *buf, size_t size)
{
	snprintf(buf, size, "%s  %s", n->name, n->object_name);
}

static void delays__selection(const struct listing *l, struct listing_place at, char *buf,
			      size_t size)
{
	const struct sched_delay *d = delays(l)->rows[at.row];
	char delay[16], ran[16];

	if (at.node != UINT32_MAX) {
		select_frame(l, &l->answer->nodes[at.node], buf, size);
		return;
	}
	format__ns(delay, sizeof(delay), d->delay_ns);
	format__ns(ran, sizeof(ran), d->holder_ran_ns);
	if (d->holder.tid)
		snprintf(buf, size,
			 "%s tid %u waited %s for CPU %u; %s tid %u had run there for %s",
			 d->task.comm, d->task.tid, delay, d->cpu, d->holder.comm, d->holder.tid,
			 ran);
	else
		snprintf(buf, size, "%s tid %u waited %s for CPU %u, which was idle before",
			 d->task.comm, d->task.tid, delay, d->cpu);
}

static bool delays__drill(struct listing *l, struct listing_place at)
{
	const struct sched_delay *d = delays(l)->rows[at.row];

	host__push(l->base.host, sched_thread__open(l->base.host, &d->task, WINDOW_DECAY));
	return true;
}

static const struct event_form delay_form = {
	.what = "waits for a CPU",
	.end = "t_ns",
	.length = "delay_ns",
	.pid = "pid",
	.tid = "tid",
	.comm = "comm",
};

static void delays__events(const struct report *r,
			   void (*emit)(void *ctx, const struct row_table *rows,
					const struct event_form *form),
			   void *ctx)
{
	emit(ctx, r->rows, &delay_form);
}

void sched_delays__events(const struct report *r,
			  void (*emit)(void *ctx, const struct row_table *rows,
				       const struct event_form *form),
			  void *ctx)
{
	const struct sched_answer *a = container_of(r->asked, struct sched_answer, base.table);
	const struct sched_delays_query q = {0};
	struct sched_delays_answer *d = sched__delays((const void *)a->base.snap, &q, r->priv);

	emit(ctx, &d->base.table, &delay_form);
	answer__free(&d->base);
}

static void delays__report(const struct answer *a, const struct frame *f, struct report *r)
{
	r->events = delays__events;
	r->view = "sched-delays";
	r->window = "last minute";
	r->group = "delay";
	r->health = f->feeds[MODEL_SCHED].health;
}

static const struct listing_ops delays_listing = {
	.ask = {.size = sizeof(struct sched_delays_query),
		.model = MODEL_SCHED,
		.run = delays__run},
	.unfolded = delays__unfolded,
	.headline = delays__headline,
	.events = true,
	.empty = delays__empty,
	.cell_role = delays__role,
	.drill = delays__drill,
	.selection = delays__selection,
	.report = delays__report,
};

static void delays__free(struct screen *base)
{
	listing__fini((struct listing *)base);
	free(base);
}

static const struct screen_ops delays_ops = {
	LISTING_SCREEN,
	.section = "delays",
	.free = delays__free,
	.action = listing__action,
	.hints = (const enum action[]){ACTION_RIGHT, ACTION_UNFOLD_ALL, ACTION_DRILL, ACTION_BACK,
				       ACTION_PAUSE, ACTION_SNAPSHOT, ACTION_NONE},
};

static struct delays_screen *delays__new(struct host *h, const char *narrowed,
					 const struct scope *extra)
{
	struct delays_screen *s = xcalloc(1, sizeof(*s));

	s->list.base = (struct screen){.ops = &delays_ops, .host = h};
	listing__init(&s->list, h, &delays_listing, &s->query);
	s->list.asker.extra_scope = extra ? scope__get(extra) : NULL;
	copy_str(s->list.narrowed, sizeof(s->list.narrowed), narrowed);
	return s;
}

struct screen *sched_delays__open(struct host *h, const struct scope *extra)
{
	return &delays__new(h, "slowest", extra)->list.base;
}

struct screen *sched_delays__list(struct host *h, const void *query, const struct heat_pick *pick,
				  const struct scope *extra)
{
	struct delays_screen *s;

	(void)query;
	if (pick->kind != SCHED_DELAY) {
		host__message(h, ROLE_WARN,
			      "only waits for a CPU are kept one by one, as far as they are slow");
		return NULL;
	}
	s = delays__new(h, "cell", extra);
	s->query.range = pick->range;
	s->pick = *pick;
	return &s->list.base;
}
