// SPDX-License-Identifier: GPL-2.0-only
/* The slowest of a measure, one by one: what each was, and where it was begun. */
#include <stdio.h>

#include "base/arena.h"
#include "tui/views/flame.h"
#include "tui/views/measure.h"

struct slow_screen {
	struct listing list;
	const struct measure_view *view;
	struct measure_slow_query query;
	struct heat_pick pick; /* with a range, or not at all */
};

static struct slow_screen *of(const struct listing *l)
{
	return container_of(l, struct slow_screen, list);
}

static const struct measure_slow_answer *rows_of(const struct listing *l)
{
	return container_of(l->answer, struct measure_slow_answer, base);
}

static void slow__unfolded(struct listing *l, const u64 *keys, u32 n)
{
	struct measure_slow_query *q = &of(l)->query;

	q->nunfolded = n;
	memcpy(q->unfolded, keys, sizeof(q->unfolded));
}

static void slow__headline(struct listing *l, struct headline *line)
{
	const struct measure *m = of(l)->view->measure;

	if (heat_range__is_set(&of(l)->query.range)) {
		heat_pick__headline(&of(l)->pick, l, l->answer ? rows_of(l)->nrows : 0, m->noun,
				    line);
		return;
	}
	headline__addf(line, ROLE_STRONG, "slowest %s of the last %d s", m->noun, MEASURE_SLOW_S);
	if (l->answer)
		headline__addf(line, ROLE_DIM, " · %u", rows_of(l)->nrows);
	headline__add(line, ROLE_DIM, " · unfold a row for its stack · min= in the filter sets the "
				      "limit");
}

static void slow__empty(const struct listing *l, char *buf, size_t size)
{
	const struct measure *m = of(l)->view->measure;

	if (measure__waiting(l, m, buf, size))
		return;
	if (heat_range__is_set(&of(l)->query.range))
		snprintf(buf, size,
			 "none of these %s is kept: of each 10 s the %d slowest are, for %d s",
			 m->noun, MEASURE_MAX_SLOW, MEASURE_SLOW_S);
	else
		snprintf(buf, size, "none of these %s in scope was slow in the last %d s", m->noun,
			 MEASURE_SLOW_S);
}

static enum role slow__role(const struct listing *l, u32 row, u32 column)
{
	const struct measure_slow_sample *s = &rows_of(l)->rows[row].slow->s;
	const struct column *c = &l->answer->table.columns[column];

	if (s->waits)
		return ROLE_DIM;
	if (!strcmp(c->name, "total_ns"))
		return measure__time_role(s->ns);
	return (c->flags & COLUMN_KEY) && s->who.kthread ? ROLE_KERNEL : ROLE_TEXT;
}

static void slow__selection(const struct listing *l, struct listing_place at, char *buf,
			    size_t size)
{
	const struct measure_slow_row *r = &rows_of(l)->rows[at.row];
	char took[16];

	if (at.node != UINT32_MAX) {
		const struct tree_node *n = &l->answer->nodes[at.node];

		snprintf(buf, size, "%s  %s", n->name, n->object_name);
		return;
	}
	format__ns(took, sizeof(took), r->slow->s.ns);
	snprintf(buf, size, "%s pid %u tid %u: %s took %s", r->slow->s.who.comm,
		 r->slow->s.who.tgid, r->slow->s.who.tid, r->name, took);
}

static const struct event_form slow_form = {
	.what = "",
	.name = "text",
	.end = "t_ns",
	.length = "total_ns",
	.pid = "pid",
	.tid = "tid",
	.comm = "comm",
};

static void slow__events(const struct report *r,
			 void (*emit)(void *ctx, const struct row_table *rows,
				      const struct event_form *form),
			 void *ctx)
{
	emit(ctx, r->rows, &slow_form);
}

void measure_slow__events(const struct report *r,
			  void (*emit)(void *ctx, const struct row_table *rows,
				       const struct event_form *form),
			  void *ctx)
{
	const struct measure_answer *a = container_of(r->asked, struct measure_answer, base.table);
	const struct measure_slow_query q = {.narrow = a->query.narrow};
	struct measure_slow_answer *rows = measure__slow((const void *)a->base.snap, &q, r->priv);

	emit(ctx, &rows->base.table, &slow_form);
	answer__free(&rows->base);
}

static void slow__report(const struct answer *base, const struct frame *f, struct report *r)
{
	const struct measure_slow_answer *a =
		container_of(base, struct measure_slow_answer, base);
	static _Thread_local char view[64];

	snprintf(view, sizeof(view), "%s-slowest", a->measure->name);
	r->events = slow__events;
	r->view = view;
	r->window = "last minute";
	r->group = "event";
	r->health = f->feeds[measure__model(a->measure)].health;
}

/* As of the view's table, of what this is narrowed to. */
static bool slow__action(struct screen *base, enum action a)
{
	const struct slow_screen *s = (const struct slow_screen *)base;
	const struct measure_query q = {.groups = s->view->measure->by,
					.narrow = s->query.narrow};

	if (a != ACTION_FLAME)
		return listing__action(base, a);
	host__push(base->host,
		   flame__open(base->host, s->view->stacks, &q, s->list.asker.extra_scope));
	return true;
}

static void slow__free(struct screen *base)
{
	listing__fini((struct listing *)base);
	free(base);
}

static const struct screen_ops slow_ops = {
	LISTING_SCREEN,
	.section = "slowest",
	.free = slow__free,
	.action = slow__action,
	.hints = (const enum action[]){ACTION_RIGHT, ACTION_UNFOLD_ALL, ACTION_FILTER, ACTION_BACK,
				       ACTION_PAUSE, ACTION_SNAPSHOT, ACTION_NONE},
};

static struct slow_screen *slow__new(struct host *h, const struct measure_view *v,
				     const struct measure_slow_query *q, const struct scope *extra)
{
	struct slow_screen *s = xcalloc(1, sizeof(*s));

	s->list.base = (struct screen){.ops = &slow_ops, .host = h};
	s->view = v;
	s->query = *q;
	listing__init(&s->list, h, &v->slow, &s->query);
	s->list.asker.extra_scope = extra ? scope__get(extra) : NULL;
	return s;
}

struct screen *measure_slow__open(struct host *h, const struct measure_view *v,
				  const struct measure_slow_query *q, const char *narrowed,
				  const struct scope *scope)
{
	struct slow_screen *s = slow__new(h, v, q, scope);

	snprintf(s->list.narrowed, sizeof(s->list.narrowed), "slowest%s%s", *narrowed ? " " : "",
		 narrowed);
	return &s->list.base;
}

struct screen *measure_slow__list(struct host *h, const struct measure_view *v, const void *query,
				  const struct heat_pick *pick, const struct scope *extra)
{
	const struct measure_query *of_view = query;
	const struct measure_snap *snap =
		(const void *)host__frame(h)->snaps[measure__model(v->measure)];
	struct measure_slow_query q = {.narrow = of_view->narrow, .range = pick->range};
	struct slow_screen *s;

	if (pick->part && snap && pick->part <= snap->nheat_names)
		q.narrow.hashes[0] = measure__text_hash(snap->heat_names[pick->part - 1]);
	s = slow__new(h, v, &q, extra);
	s->pick = *pick;
	copy_str(s->list.narrowed, sizeof(s->list.narrowed), "cell");
	return &s->list.base;
}

static struct answer *run(const struct frame *f, const void *query, const struct scope *scope,
			  enum model_id model)
{
	return &measure__slow((const void *)f->snaps[model], query, scope)->base;
}

#define MEASURE(id, name, ...)                                                                     \
	static struct answer *run_##name(const struct frame *f, const void *query,                 \
					 const struct scope *scope)                                \
	{                                                                                          \
		return run(f, query, scope, MODEL_##id);                                           \
	}
#include "measures/measures.def"
#undef MEASURE

void measure_slow__init(struct measure_view *v)
{
	static struct answer *(*const runs[])(const struct frame *f, const void *query,
					      const struct scope *scope) = {
#define MEASURE(id, name, ...) [MODEL_##id] = run_##name,
#include "measures/measures.def"
#undef MEASURE
	};
	enum model_id model = measure__model(v->measure);

	v->slow = (struct listing_ops){
		.ask = {.size = sizeof(struct measure_slow_query),
			.model = model,
			.run = runs[model]},
		.unfolded = slow__unfolded,
		.headline = slow__headline,
		.events = true,
		.empty = slow__empty,
		.cell_role = slow__role,
		.selection = slow__selection,
		.report = slow__report,
	};
}
