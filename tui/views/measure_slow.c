// SPDX-License-Identifier: GPL-2.0-only
/* The slowest of a measure, one by one: what each was, and where it was begun. */
#include <stdio.h>

#include "models/asked.h"
#include "tui/views/flame.h"
#include "tui/views/measure.h"

static const struct measure_view *view_of(const struct listing *l)
{
	return container_of(l->ops, struct measure_view, slow);
}

static const struct measure_slow_result *rows_of(const struct listing *l)
{
	return container_of(l->result, struct measure_slow_result, base);
}

static enum role slow__role(const struct listing *l, u32 row, u32 column)
{
	const struct measure_slow_sample *s = &rows_of(l)->rows[row].slow->s;
	const struct column *c = &l->result->table.columns[column];

	if (s->waits)
		return ROLE_DIM;
	if (!strcmp(c->name, "total_ns"))
		return measure__time_role(s->ns);
	return (c->flags & COLUMN_KEY) && s->who.kthread ? ROLE_KERNEL : ROLE_TEXT;
}

static bool slow__waiting(const struct listing *l, char *buf, size_t size)
{
	return measure__waiting(l, view_of(l)->measure, buf, size);
}

static void slow__describe(const struct listing *l, u32 row, char *buf, size_t size)
{
	const struct measure_slow_row *r = &rows_of(l)->rows[row];
	char took[16];

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

void measure_slow__events(const struct report *r, const struct event_sink *out)
{
	const struct measure_result *a = container_of(r->asked, struct measure_result, base.table);
	const struct measure_slow_query q = {.narrow = a->query.narrow};
	struct measure_slow_result *rows = measure__slow((const void *)a->base.snap, &q, r->priv);

	out->put(out->ctx, &rows->base.table, &slow_form);
	query_result__free(&rows->base);
}

static void report(const struct query_result *base, const struct frame *f, struct report *r)
{
	const struct measure_slow_result *a = container_of(base, struct measure_slow_result, base);
	static _Thread_local char view[64];

	snprintf(view, sizeof(view), "%s-slowest", measure__view(a->measure));
	slow__report(r, view, "event", f, measure__model(a->measure), &slow_form);
}

/* As of the view's table, of what this is narrowed to. */
static bool slow__action(struct screen *base, enum action a)
{
	const struct slow_screen *s = (const struct slow_screen *)base;
	const struct measure_view *v = view_of(&s->list);
	const struct measure_slow_query *of = s->query;
	const struct measure_query q = {.groups = v->measure->by, .narrow = of->narrow};

	if (a != ACTION_FLAME)
		return listing__action(base, a);
	host__push(base->host,
		   flame__open(base->host, v->stacks, &q, s->list.query_client.extra_scope));
	return true;
}

static const struct screen_ops slow_ops = {
	LISTING_SCREEN,
	.section = "slowest",
	.free = slow_screen__free,
	.action = slow__action,
	.hints = (const enum action[]){ACTION_DRILL, ACTION_UNFOLD_ALL, ACTION_FILTER, ACTION_BACK,
				       ACTION_PAUSE, ACTION_SNAPSHOT, ACTION_NONE},
};

struct screen *measure_slow__open(struct host *h, const struct measure_view *v,
				  const struct measure_slow_query *q, const char *narrowed,
				  const struct scope *scope)
{
	return &slow_screen__new(h, &slow_ops, &v->slow, &v->words, q, NULL, narrowed, scope)
			->list.base;
}

struct screen *measure_slow__list(const struct heat_view *heat, struct host *h, const void *query,
				  const struct heat_pick *pick, const struct scope *extra)
{
	const struct measure_view *v = container_of(heat, struct measure_view, heat);
	const struct measure_query *of_view = query;
	const struct snap *base = host__frame(h)->snaps[measure__model(v->measure)];
	const struct measure_snap *snap =
		of_view->asked && base ? asked__find(base, of_view->asked) : (const void *)base;
	struct measure_slow_query q = {.narrow = of_view->narrow, .asked = of_view->asked};

	if (pick->part && snap && pick->part <= snap->nheat_names)
		q.narrow.hashes[0] = measure__text_hash(snap->heat_names[pick->part - 1]);
	return &slow_screen__new(h, &slow_ops, &v->slow, &v->words, &q, pick, "", extra)->list.base;
}

#define MEASURE(id, name, ...) QUERY_RUN(run_##name, measure__slow, MODEL_##id)
#include "measures/measures.def"
#undef MEASURE

static struct query_result *run_asked(const struct frame *f, const void *query,
				      const struct scope *scope)
{
	const struct measure_slow_query *q = query;

	return asked__slow_one(f->snaps[measure__model(q->asked)], q, scope);
}

static bool slow__watched(const struct listing *l, u32 row, char *buf, size_t size)
{
	const struct measure_slow_row *r = &rows_of(l)->rows[row];

	return measure__watched(rows_of(l)->measure, &r->slow->s.who, r->labels, buf, size);
}

/* What is the slow one, where that is a function; else where it was begun. */
static bool slow__called(const struct listing *l, u32 row, char *buf, size_t size)
{
	const struct measure_slow_row *r = &rows_of(l)->rows[row];

	return measure__called_of(rows_of(l)->measure, &r->slow->s.who, r->labels, buf, size);
}

static u32 measure_slow__function(const struct listing *l, u32 row)
{
	return measure__label(rows_of(l)->measure, "function") < 0 ? slow__function(l, row) : 0;
}

static bool is_timed(const struct measure *m)
{
	const struct ask_form *form = measure__form(m);

	return form && form->is_timed;
}

/* What came within it, where that is known; else its stack. */
static bool measure_slow__drill(struct listing *l, struct listing_place at)
{
	const struct measure_slow_row *r = &rows_of(l)->rows[at.row];

	if (!r->slow->s.timed)
		return measure__has_stacks(rows_of(l)->measure) && slow__drill(l, at);
	host__push(l->base.host, measure_timeline__open(l->base.host, rows_of(l)->measure, r->slow, r->name));
	return true;
}

static bool never_unfolds(const struct listing *l, u32 row)
{
	return false;
}

static const char *hint_of(const struct measure *m)
{
	if (is_timed(m))
		return "Enter: what came within it · min= in the filter sets the limit";
	return measure__has_stacks(m) ? "unfold a row for its stack · min= in the filter sets the limit"
			     : "min= in the filter sets the limit";
}

void measure_slow__init(struct measure_view *v)
{
	static struct query_result *(*const runs[MODEL_COUNT])(
		const struct frame *f, const void *query, const struct scope *scope) = {
#define MEASURE(id, name, ...) [MODEL_##id] = run_##name,
#include "measures/measures.def"
#undef MEASURE
	};
	enum model_id model = measure__model(v->measure);

	snprintf(v->title, sizeof(v->title), "slowest %s of the last", v->measure->noun);
	snprintf(v->none, sizeof(v->none), "none of these %s in scope was slow in the last",
		 v->measure->noun);
	v->words = (struct slow_words){
		.what = v->measure->noun,
		.title = v->title,
		.counted = "",
		.hint = hint_of(v->measure),
		.none = v->none,
		.seconds = MEASURE_SLOW_S,
		.max = MEASURE_MAX_SLOW,
		.waiting = slow__waiting,
		.describe = slow__describe,
	};
	v->slow = (struct listing_ops){
		SLOW_LISTING,
		.unfolds = measure__has_stacks(v->measure) ? NULL : never_unfolds,
		.drill = measure_slow__drill,
		.ask = {.size = sizeof(struct measure_slow_query),
			.model = model,
			.run = v->measure->asked ? run_asked : runs[model]},
		.cell_role = slow__role,
		.function = measure_slow__function,
		.called = slow__called,
		.watched = slow__watched,
		.report = report,
	};
}
