// SPDX-License-Identifier: GPL-2.0-only
/* The views of questions: events, pairs and held. Rows of all questions of a kind; Enter leads to a
 * screen of one question, which is that of any measure. */
#include <stdio.h>

#include "models/asked.h"
#include "models/flame.h"
#include "models/windows.h"
#include "tui/views/ask_lines.h"
#include "tui/views/burst_strip.h"
#include "tui/views/measure.h"
#include "tui/views/terms.h"
#include "tui/views/window.h"

struct asked_screen {
	struct listing list;
	struct asked_query query;
	enum ask_kind kind;
};

LISTING_OF(of, struct asked_screen, rows_of, struct asked_result)

/* --- one question's own screens --- */

/* For good, as measures are. */
struct question_view {
	struct question_view *next;
	struct measure_view view;
};

static struct query_result *run_one(const struct frame *f, const void *query, const struct scope *scope)
{
	const struct measure_query *q = query;

	return asked__query_one(f->snaps[measure__model(q->asked)], q, scope);
}

/* Spans are kept one by one, other events are not. */
static struct screen *list_cell(const struct heat_view *v, struct host *h, const void *query,
				const struct heat_pick *pick, const struct scope *scope)
{
	const struct measure *m = ((const struct measure_query *)query)->asked;

	if (m->shape == MEASURE_SHAPE_SPAN)
		return measure_slow__list(v, h, query, pick, scope);
	host__message(h, ROLE_WARN, "events are not kept one by one: list EVENT, ... does");
	return NULL;
}

static const struct measure_view *view_of(const struct measure *m)
{
	static struct question_view *all;
	struct question_view *v = all;

	while (v && v->view.measure != m)
		v = v->next;
	if (v)
		return &v->view;
	v = xcalloc(1, sizeof(*v));
	v->view.stacks = measure__model(m) == MODEL_EVENTS ? &flame_events
			 : measure__model(m) == MODEL_PAIRS ? &flame_pairs
							    : &flame_held;
	v->view.heat = (struct heat_view){
		measure__model(m) == MODEL_PAIRS ? &heat_pairs : &heat_events, list_cell};
	v->view.run = run_one;
	measure_view__init(&v->view, m, measure__model(m));
	v->next = all;
	all = v;
	return &v->view;
}

static struct screen *open_sums(struct host *h, const struct measure *m,
				    enum time_window window, const struct measure_narrow *narrow,
				    u32 groups)
{
	struct measure_query q;

	memset(&q, 0, sizeof(q));
	q.asked = m;
	q.groups = groups;
	q.window = window;
	if (narrow)
		q.narrow = *narrow;
	return measure__new(h, view_of(m), &q, m->drills);
}

/* --- what it says --- */

static void asked__headline(struct listing *l, struct headline *line)
{
	static const char *const nouns[ASK_KINDS] = {
		[ASK_EVENTS] = "events", [ASK_PAIRS] = "spans", [ASK_HELD] = "acquired"};
	char rate[16];

	headline__addf(line, ROLE_STRONG, "%u question%s", l->result ? rows_of(l)->n : 0,
		       l->result && rows_of(l)->n == 1 ? "" : "s");
	headline__addf(line, ROLE_DIM, " · %s", window__text(of(l)->query.window));
	if (!l->result || !l->result->window_ns)
		return;
	format__count(rate, sizeof(rate),
		      window__per_second(rows_of(l)->count, l->result->window_ns));
	headline__addf(line, ROLE_TEXT, " · %s %s/s", rate,
		       nouns[of(l)->kind]);
	if (rows_of(l)->dropped)
		headline__addf(line, ROLE_WARN, " · %llu more were dropped",
			       (unsigned long long)rows_of(l)->dropped);
}

static const struct ask_line_row *line_at(const struct listing *l, u32 row)
{
	return asked__at(rows_of(l), row).line;
}

/* Where a burst is all that is asked. */
static int asked__above(struct listing *l, struct canvas *c, struct rect area)
{
	if (!l->result || rows_of(l)->n != 1 || !l->result->table.nrows || !line_at(l, 0))
		return 0;
	return burst_strip__draw(l, measure__form(asked__at(rows_of(l), 0).measure), line_at, c, area);
}

#define HOW ":ask QUESTION asks, as --ask 'QUESTION' does from the start:\n"

static const char *const examples[ASK_KINDS] = {
	[ASK_EVENTS] = HOW
		"  count sched:sched_switch by prev_comm\n"
		"  count page-faults by comm\n"
		"  count syscalls:sys_enter_* by comm\n"
		"  count block:block_rq_issue by comm hist bytes bytes\n"
		"  list sched:sched_process_exec show filename\n"
		"  burst sched:sched_switch every 1ms",
	[ASK_PAIRS] = HOW
		"  span raw_syscalls:sys_enter -> raw_syscalls:sys_exit by comm\n"
		"  span irq:softirq_entry -> irq:softirq_exit on cpu by vec",
	[ASK_HELD] = HOW
		"  hold kmem:kmalloc -> kmem:kfree on ptr size bytes_alloc by stack",
};

static void asked__empty(const struct listing *l, char *buf, size_t size)
{
	static const struct feed_words words = {"to the events of questions", "answer",
						"listening to the events of questions"};

	if (l->result && !rows_of(l)->n)
		snprintf(buf, size, "nothing is asked; %s", examples[of(l)->kind]);
	else if (!listing__waiting(l, &words, buf, size))
		snprintf(buf, size, "none of the events that are asked for came in the window");
}

static enum role asked__role(const struct listing *l, u32 row, u32 column)
{
	const struct row_table *t = &l->result->table;
	const struct asked_place at = asked__at(rows_of(l), row);
	const struct measure_who *who = at.line ? &at.line->line->who : at.row->who;
	struct value v;

	if (!t->cell(t, row, column, &v))
		return ROLE_TEXT;
	if (t->columns[column].flags & COLUMN_KEY)
		return who->kthread ? ROLE_KERNEL : ROLE_TEXT;
	if (at.line)
		return ROLE_TEXT;
	if (v.type == VALUE_COUNT && !v.u)
		return ROLE_DIM;
	if (v.type == VALUE_NS && v.u && at.measure->shape == MEASURE_SHAPE_SPAN &&
	    !(t->columns[column].flags & COLUMN_SUM))
		return measure__time_role(v.u);
	return ROLE_TEXT;
}

static void asked__selection(const struct listing *l, struct listing_place at, char *buf,
			     size_t size)
{
	const struct asked_place of_row = asked__at(rows_of(l), at.row);
	const struct measure *m = of_row.measure;
	size_t len;

	if (of_row.line) {
		ask_line__describe(of_row.line, buf, size);
		return;
	}
	len = (size_t)snprintf(buf, size, "%s", m->name);
	for (u32 i = 0; i < m->nlabels && len < size; i++)
		if (of_row.row->texts[i] && *of_row.row->texts[i])
			len += (size_t)snprintf(buf + len, size - len, "  %s %s",
						m->labels[i].name, of_row.row->texts[i]);
}

/* The row that the cursor is on in the question's own screen, too. */
static struct screen *open_row(struct listing *l, struct listing_place at)
{
	const struct asked_place place = asked__at(rows_of(l), at.row);
	const struct row_table *t = place.sums ? &place.sums->base.table : NULL;
	struct host *h = l->base.host;
	struct screen *s;

	if (!t)
		return ask_lines__open(h, place.measure, of(l)->query.window);
	s = open_sums(h, place.measure, of(l)->query.window, NULL, place.sums->query.groups);
	((struct listing *)s)->table.selected = t->key(t, (u32)(place.row - place.sums->rows));
	((struct listing *)s)->table.user_moved = l->table.user_moved;
	return s;
}

static bool asked__drill(struct listing *l, struct listing_place at)
{
	host__push(l->base.host, open_row(l, at));
	return true;
}

static void asked__report(const struct query_result *base, const struct frame *f, struct report *r,
			  enum ask_kind kind)
{
	const struct asked_result *a = container_of(base, struct asked_result, base);

	r->view = ask_kind__view(kind);
	r->window = window__text(a->query.window);
	r->group = *a->query.group ? a->query.group : "as asked";
	r->health = f->feeds[asked__model(kind)].health;
	report__sum_number(r, "questions", VALUE_COUNT, a->n);
	report__sum_number(r, "count", VALUE_COUNT, a->count);
	report__sum_number(r, "dropped", VALUE_COUNT, a->dropped);
	report__sum_number(r, "window_ns", VALUE_NS, base->window_ns);
	if (a->query.slowest && kind == ASK_PAIRS)
		report__sum(r, "slowest", asked__slowest(a));
}

/* --- the screen --- */

/* What the row's question has on a screen of its own alone: there. */
static bool act_on_question(struct listing *l, enum action a)
{
	struct listing_place at;
	struct screen *s;

	if (!listing__at(l, &at))
		return false;
	s = open_row(l, at);
	host__push(l->base.host, s);
	if (s->ops->action(s, a))
		return true;
	host__pop(l->base.host);
	return false;
}

static bool asked__action(struct screen *base, enum action a)
{
	if (listing__action(base, a))
		return true;
	return (a == ACTION_DISTRIBUTION || a == ACTION_SLOWEST || a == ACTION_HEATMAP) &&
	       act_on_question((struct listing *)base, a);
}

static const struct measure *asked__question(const struct screen *s)
{
	const struct listing *l = (const struct listing *)s;
	struct listing_place at;

	return listing__at(l, &at) ? asked__at(rows_of(l), at.row).measure : NULL;
}

static const struct screen_ops asked_screen_ops = {
	LISTING_SCREEN,
	.section = "measure",
	.free = listing__free,
	.action = asked__action,
	.question = asked__question,
	.hints = (const enum action[]){ACTION_DRILL, ACTION_EDIT_QUESTION, ACTION_WINDOW, ACTION_FILTER,
				       ACTION_PAUSE, ACTION_NONE},
};

static void query__init(struct asked_query *q, const struct view_args *args,
			enum time_window window)
{
	memset(q, 0, sizeof(*q));
	q->window = window;
	if (args->group)
		copy_str(q->group, sizeof(q->group), args->group);
}

/* What a view of questions is made of. */
struct asked_view {
	enum ask_kind kind;
	const struct listing_ops *list;
};

/* Of one question alone. */
static struct screen *open_one(struct host *h, const struct measure *m)
{
	const struct ask_form *form = measure__form(m);

	return form->lists == ASK_SUMS ? open_sums(h, m, WINDOW_DECAY, NULL, m->by)
				       : ask_lines__open(h, m, WINDOW_DECAY);
}

static struct screen *asked__open(const struct view_ops *v, struct host *h,
				  const struct view_args *args)
{
	const struct asked_view *of = v->of;
	struct asked_screen *s;

	if (args->question)
		return open_one(h, args->question);
	s = xcalloc(1, sizeof(*s));
	s->list.base = (struct screen){.ops = &asked_screen_ops, .host = h};
	s->kind = of->kind;
	query__init(&s->query, args, WINDOW_DECAY);
	listing__init(&s->list, h, of->list, &s->query);
	return &s->list.base;
}

static int asked__batch(const struct view_ops *v, const struct frame *f, const struct view_args *args,
			const struct scope *scope, struct report *r)
{
	struct asked_query q;

	query__init(&q, args, WINDOW_LAST);
	q.oldest_first = q.slowest = true;
	return listing__batch(((const struct asked_view *)v->of)->list, f, args, &q, scope, r);
}

#define ASKED(name_, id, title_, groups_)                                                                  \
	static struct query_result *run_##name_(const struct frame *f, const void *query,                \
					  const struct scope *scope)                               \
	{                                                                                          \
		return asked__query(f->snaps[MODEL_##id], query, scope);                           \
	}                                                                                          \
	static void report_##name_(const struct query_result *a, const struct frame *f, struct report *r) \
	{                                                                                          \
		asked__report(a, f, r, ASK_##id);                                                  \
	}                                                                                          \
	static const struct listing_ops listing_##name_ = {                                        \
		.ask = {.size = sizeof(struct asked_query), .model = MODEL_##id, .run = run_##name_}, \
		.at.window = LISTING_AT(struct asked_query, window),                               \
		.stacks = &flame_all_##name_,                                                      \
		.headline = asked__headline,                                                       \
		.above = asked__above,                                                             \
		.empty = asked__empty,                                                             \
		.cell_role = asked__role,                                                          \
		.drill = asked__drill,                                                             \
		.selection = asked__selection,                                                     \
		.report = report_##name_,                                                          \
	};                                                                                         \
	static const struct asked_view of_##name_ = {ASK_##id, &listing_##name_};                  \
	const struct view_ops view_##name_ = {                                                     \
		.name = #name_,                                                                    \
		.title = title_,                                                                   \
		.groups = groups_,                                                                 \
		.any_group = true,                                                                 \
		.models = 1ULL << MODEL_##id,                                                      \
		.feed = MODEL_##id,                                                                \
		.screens = "measure slowest",                                                      \
		.terms = SCOPE_TERM_TIME | SCOPE_TERM_TASK | SCOPE_TERM_SCHED | SCOPE_TERM_MOMENT, \
		.of = &of_##name_,                                                                 \
		.open = asked__open,                                                               \
		.report = asked__batch,                                                            \
		.report_free = listing__report_free,                                               \
	}

ASKED(events, EVENTS, "events that are asked for: how often, with which values",
      "event pid tid comm cgroup stack");
ASKED(pairs, PAIRS, "pairs of events that are asked for: how long from one to the other",
      "pair pid tid comm cgroup stack");
ASKED(held, HELD, "what is acquired and not released, as asked for",
      "stack pid tid comm cgroup");
