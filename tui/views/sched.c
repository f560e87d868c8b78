// SPDX-License-Identifier: GPL-2.0-only
/* View sched: how long threads wait for a CPU, how they use it, and what the CPUs do. */
#include "tui/views/sched.h"

#include <stdio.h>

#include "base/arena.h"
#include "tui/views/heat.h"
#include "tui/views/terms.h"

static const struct listing_view the_view;

QUERY_RUN(sched__run, sched__query, MODEL_SCHED)

/* --- grouping and window --- */

static const struct group_keys sched_keys = {sched_group_names, NULL, SCHED_GROUPS, true};

/* --- drilling --- */

/* The row's key as a term of the filter language; false when it has none. */
static bool sched__term(const struct listing *l, u32 row, char *buf, size_t size)
{
	const struct sched_row *r = &sched__rows(l)->rows[row];

	if (r->cpu)
		return term__id("cpu", r->cpu->cpu, buf, size);
	if (!r->task)
		return false;
	switch (sched__rows(l)->query.group) {
	case SCHED_BY_TID:
		return term__id("tid", r->task->task.tid, buf, size);
	case SCHED_BY_PID:
		if (r->starts)
			return term__name("comm", r->comm, buf, size);
		return term__id("pid", r->task->task.tgid, buf, size);
	case SCHED_BY_COMM:
		return term__name("comm", r->comm, buf, size);
	default:
		return term__cgroup(r->task->task.cgroup, r->cgroup_name, buf, size);
	}
}

/* The same table with the threads of one row. */
static void open_threads(struct listing *l, struct sched_query q, const char *what,
			 const struct scope *narrow)
{
	q.group = SCHED_BY_TID;
	host__push(l->base.host, &listing__drill_to(&the_view, l, &q, what, narrow)->base);
}

static void open_cpu(struct listing *l, const struct sched_cpu *cpu)
{
	struct sched_query q = sched__of(l)->query;
	char what[32];

	snprintf(what, sizeof(what), "ran last on CPU %u", cpu->cpu);
	q.by_cpu = true;
	q.cpu = cpu->cpu;
	open_threads(l, q, what, NULL);
}

static void open_group(struct listing *l, u32 row)
{
	char term[TERM_MAX];
	const struct scope *narrow = listing__narrow_to_row(l, row, term, sizeof(term));

	if (narrow)
		open_threads(l, sched__of(l)->query, term, narrow);
	else
		host__message(l->base.host, ROLE_WARN,
			      "the threads of this row are not known apart");
}

static bool sched__drill(struct listing *l, struct listing_place at)
{
	const struct sched_row *r = &sched__rows(l)->rows[at.row];

	if (r->cpu)
		open_cpu(l, r->cpu);
	else if (r->task && sched__rows(l)->query.group == SCHED_BY_TID &&
		 r->task->task.tid != PROFILE_MERGED)
		host__push(l->base.host, sched_thread__open(l->base.host, &r->task->task,
							    sched__of(l)->query.window));
	else
		open_group(l, at.row);
	return true;
}

const struct heat_view heat_view_sched = {.source = &heat_sched, .list = sched_delays__list};

static const struct listing_ops sched_listing = {
	.ask = {.size = sizeof(struct sched_query), .model = MODEL_SCHED, .run = sched__run},
	.keys = &sched_keys,
	.at.group = LISTING_AT(struct sched_query, group),
	.at.window = LISTING_AT(struct sched_query, window),
	.heat = &heat_view_sched,
	.headline = sched__headline,
	.above = sched__above,
	.empty = sched__empty,
	.cell_role = sched__role,
	.drill = sched__drill,
	.selection = sched__selection,
	.term = sched__term,
	.report = sched__report,
};

/* --- the screen --- */

static bool next_columns(struct sched_screen *s)
{
	if (s->query.group == SCHED_BY_CPU)
		host__message(s->list.base.host, ROLE_WARN, "CPUs have one set of columns");
	else
		s->query.show = (s->query.show + 1) % SCHED_SHOWS;
	return true;
}

static bool toggle_all(struct sched_screen *s)
{
	s->query.all = !s->query.all;
	return true;
}

static bool sched__action(struct screen *base, enum action a)
{
	struct sched_screen *s = (struct sched_screen *)base;

	switch (a) {
	case ACTION_COLUMNS:
		return next_columns(s);
	case ACTION_ALL:
		return toggle_all(s);
	case ACTION_SLOWEST:
		host__push(base->host,
			   sched_delays__open(base->host, s->list.query_client.extra_scope));
		return true;
	default:
		return listing__action(base, a);
	}
}

static const struct screen_ops sched_screen_ops = {
	LISTING_SCREEN,
	.section = "sched",
	.free = listing__free,
	.action = sched__action,
	.hints = (const enum action[]){ACTION_DRILL, ACTION_COLUMNS, ACTION_SLOWEST,
				       ACTION_HEATMAP, ACTION_GROUP_NEXT, ACTION_WINDOW, ACTION_FILTER,
				       ACTION_PICK_PROCESS, ACTION_PAUSE, ACTION_NONE},
};

/* Programs want the sleeping ones too: their states sum to the interval as well. */
static void fit(void *query, bool batch)
{
	((struct sched_query *)query)->all = batch;
}

static const struct listing_view the_view = {
	LISTING_VIEW(struct sched_screen, &sched_screen_ops, &sched_listing),
	.groups = 1u << SCHED_BY_TID,
	.window = WINDOW_DECAY,
	.fit = fit,
};

/* One in a hundred waits for a CPU for longer than somebody at a keyboard notices. */
static bool sched__alert(const struct frame *f)
{
	const struct sched_snap *s = (const void *)f->snaps[MODEL_SCHED];

	return s && sched_hist__quantile(&s->hists[WINDOW_LAST][SCHED_DELAY], 0.99, UINT64_MAX) >=
			    20 * NSEC_PER_MSEC;
}

const struct view_ops view_sched = {
	.name = "sched",
	.title = "scheduler: waits for a CPU, time on it, states, CPUs",
	.models = 1ULL << MODEL_SCHED,
	.feed = MODEL_SCHED,
	.screens = "delays thread",
	.terms = SCOPE_TERM_TASK | SCOPE_TERM_SCHED,
	.offers = 1u << EXPORT_EVENTS,
	.groups = "tid pid comm cgroup cpu",
	.one_group = true,
	LISTING_VIEW_OPS(&the_view),
	.alert = sched__alert,
};
