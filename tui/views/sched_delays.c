// SPDX-License-Identifier: GPL-2.0-only
/* The slowest delays: who waited how long for which CPU, and who held it where. */
#include <stdio.h>

#include "tui/views/sched.h"
#include "tui/views/slow.h"

static const struct sched_delays_result *delays(const struct listing *l)
{
	return container_of(l->result, struct sched_delays_result, base);
}

QUERY_RUN(delays__run, sched__delays, MODEL_SCHED)

static bool is_holder(const char *column)
{
	return !strncmp(column, "holder", 6);
}

static enum role delays__role(const struct listing *l, u32 row, u32 column)
{
	const struct sched_delay *d = delays(l)->rows[row];
	const char *name = l->result->table.columns[column].name;
	const struct task_ident *t = is_holder(name) ? &d->holder : &d->task;

	if (is_holder(name) && !d->holder.tid)
		return ROLE_DIM;
	return t->kthread && (!strcmp(name, "comm") || !strcmp(name, "holder_comm")) ? ROLE_KERNEL
										     : ROLE_TEXT;
}

static void delays__describe(const struct listing *l, u32 row, char *buf, size_t size)
{
	const struct sched_delay *d = delays(l)->rows[row];
	char delay[16], ran[16];

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

static const struct slow_words delay_words = {
	.what = "waits",
	.title = "slowest waits for a CPU in the last",
	.counted = " waits",
	.hint = "unfold a row for the stack of who held the CPU",
	.none = "no thread in scope has waited long for a CPU in the last",
	.seconds = SCHED_DELAYS_S,
	.max = SCHED_MAX_DELAYS,
	.waiting = sched__waiting,
	.describe = delays__describe,
};

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

void sched_delays__events(const struct report *r, const struct event_sink *out)
{
	const struct sched_result *a = container_of(r->asked, struct sched_result, base.table);
	const struct sched_delays_query q = {0};
	struct sched_delays_result *d = sched__delays((const void *)a->base.snap, &q, r->priv);

	out->put(out->ctx, &d->base.table, &delay_form);
	query_result__free(&d->base);
}

static void delays__report(const struct query_result *a, const struct frame *f, struct report *r)
{
	slow__report(r, "sched-delays", "delay", f, MODEL_SCHED, &delay_form);
}

static const struct listing_ops delays_listing = {
	SLOW_LISTING,
	.function = slow__function,
	.ask = {.size = sizeof(struct sched_delays_query),
		.model = MODEL_SCHED,
		.run = delays__run},
	.cell_role = delays__role,
	.drill = delays__drill,
	.report = delays__report,
};

static const struct screen_ops delays_ops = {
	LISTING_SCREEN,
	.section = "delays",
	.free = slow_screen__free,
	.action = listing__action,
	.hints = (const enum action[]){ACTION_RIGHT, ACTION_UNFOLD_ALL, ACTION_DRILL, ACTION_BACK,
				       ACTION_PAUSE, ACTION_SNAPSHOT, ACTION_NONE},
};

static struct screen *delays__new(struct host *h, const struct heat_pick *pick,
				  const struct scope *extra)
{
	const struct sched_delays_query q = {0};

	return &slow_screen__new(h, &delays_ops, &delays_listing, &delay_words, &q, pick, "", extra)
			->list.base;
}

struct screen *sched_delays__open(struct host *h, const struct scope *extra)
{
	return delays__new(h, NULL, extra);
}

struct screen *sched_delays__list(const struct heat_view *v, struct host *h, const void *query,
			     const struct heat_pick *pick, const struct scope *extra)
{
	if (pick->kind == SCHED_DELAY)
		return delays__new(h, pick, extra);
	host__message(h, ROLE_WARN,
		      "only waits for a CPU are kept one by one, as far as they are slow");
	return NULL;
}
