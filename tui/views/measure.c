// SPDX-License-Identifier: GPL-2.0-only
/* The view of any measure: rows by its labels, drills down to single events. */
#include "tui/views/measure.h"

#include <stdio.h>

#include "base/arena.h"
#include "models/flame.h"
#include "models/measure_columns.h"
#include "models/windows.h"
#include "scope/filter.h"
#include "tui/views/terms.h"
#include "tui/views/window.h"

/* --- query --- */

static bool measure__unfolds(const struct listing *l, u32 row)
{
	const struct measure_result *a = measure__rows(l);

	return measure__is_by_stack(a->measure, a->query.groups) &&
	       callstack__nlocs(a->rows[row].stack);
}

static void measure__weigh(const struct listing_ops *ops, void *query, const char *column)
{
	const struct measure_view *v = container_of(ops, struct measure_view, list);

	((struct measure_query *)query)->weight = measure__weight_of(v->measure, column);
}

/* --- rows as terms and narrowings --- */

static u32 measure__function(const struct listing *l, u32 row)
{
	return measure_row__function(measure__rows(l), &measure__rows(l)->rows[row]);
}

static bool measure__called(const struct listing *l, u32 row, char *buf, size_t size)
{
	const struct measure_result *a = measure__rows(l);

	return measure__called_of(a->measure, a->rows[row].who, a->rows[row].texts, buf, size);
}

static bool watched(const struct listing *l, u32 row, char *buf, size_t size)
{
	const struct measure_result *a = measure__rows(l);

	return measure__watched(a->measure, a->rows[row].who, a->rows[row].texts, buf, size);
}

/* What has no name is what does not match any. */
static bool label__term(const char *label, const char *text, char *buf, size_t size)
{
	if (!filter__is_label(label, strlen(label)))
		return false;
	return term__name(label, text, buf, size);
}

/* One label of a row as a term of the filter language. */
static bool term_of(const struct measure_result *a, const struct measure_row *r, u32 i, char *buf,
		    size_t size)
{
	switch (a->measure->labels[i].kind) {
	case LABEL_PID:
		return term__id("pid", r->who->tgid, buf, size);
	case LABEL_TID:
		return term__id("tid", r->who->tid, buf, size);
	case LABEL_COMM:
		return term__name("comm", r->who->comm, buf, size);
	case LABEL_CGROUP:
		return term__cgroup(r->who->cgroup, r->texts[i], buf, size);
	case LABEL_STACK:
		return false;
	default:
		return label__term(a->measure->labels[i].name, r->texts[i], buf, size);
	}
}

/* The first label of a row that is a term: of all, or of those that a drill does not narrow by. */
static bool first_term(const struct measure_result *a, const struct measure_row *r, bool of_tasks,
		       char *buf, size_t size)
{
	for (u32 i = 0; !r->rest && i < a->measure->nlabels; i++)
		if ((a->query.groups & (1u << i)) &&
		    !(of_tasks && a->measure->labels[i].kind <= LABEL_DERIVED) &&
		    term_of(a, r, i, buf, size))
			return true;
	return false;
}

static bool measure__term(const struct listing *l, u32 row, char *buf, size_t size)
{
	return first_term(measure__rows(l), &measure__rows(l)->rows[row], false, buf, size);
}

/* Adds what the row is about to a narrowing, in words to `text`. */
static void narrow_by_row(const struct measure_result *a, const struct measure_row *r,
			  struct measure_narrow *n, char *text, size_t size)
{
	for (u32 i = 0; i < a->measure->nlabels; i++) {
		enum label_kind kind = a->measure->labels[i].kind;
		size_t len = strlen(text);

		if (!measure__differs(a->measure, a->query.groups, i) || kind > LABEL_DERIVED)
			continue;
		n->hashes[i] = kind == LABEL_DERIVED ? measure__text_hash(r->texts[i]) : r->hashes[i];
		if (!i)
			n->first = measure__text_hash(r->texts[i]);
		if (!(a->query.groups & (1u << i)))
			continue;
		snprintf(text + len, size - len, "%s%s", len ? " " : "",
			 *r->texts[i] ? r->texts[i] : "[none]");
	}
}

/* Ids are a host's own. */
static void add_host(const struct measure_result *a, const struct measure_row *r, char *terms, size_t size)
{
	int i = measure__label_of_kind(a->measure, LABEL_HOST);
	size_t len = strlen(terms);

	if (i >= 0 && r->texts[i] && !(a->query.groups & (1u << i)) && len + 2 < size) {
		terms[len++] = ' ';
		term_of(a, r, (u32)i, terms + len, size - len);
	}
}

static const struct scope *scope_of_row(struct listing *l, u32 row, char *text, size_t size)
{
	const struct measure_result *a = measure__rows(l);
	char term[2 * TERM_MAX];
	size_t len = strlen(text);

	if (!first_term(a, &a->rows[row], true, term, TERM_MAX))
		return l->query_client.extra_scope ? scope__get(l->query_client.extra_scope) : NULL;
	add_host(a, &a->rows[row], term, sizeof(term));
	if (len && len < size - 1)
		text[len++] = ' ';
	copy_str(text + len, size - len, term);
	return listing__narrow(l, term);
}

static void push_slow(struct listing *l, const struct measure_narrow *n, const char *text,
		      const struct scope *scope)
{
	struct measure_slow_query q = {.narrow = *n, .asked = measure__of(l)->query.asked};
	bool narrowed = false;

	for (u32 i = 0; i < MEASURE_MAX_LABELS; i++)
		narrowed |= n->hashes[i] != 0;
	q.working = !narrowed;
	host__push(l->base.host, measure_slow__open(l->base.host, measure__of(l)->view, &q, text, scope));
}

/* What rows by a derived label are made of: that label, and the others of the default grouping that
 * are not in hand; 0: there is no derived one. */
static u32 labels_below(const struct measure *m, u32 groups)
{
	for (u32 i = 0; i < m->nlabels; i++)
		if (m->labels[i].kind == LABEL_DERIVED && (groups & (1u << i)))
			return 1u << m->labels[i].of | (m->by & ~groups);
	return 0;
}

/* What rows are by already is passed over. */
static const u32 *next_drill(const struct measure_screen *s)
{
	const u32 *drill = s->drill;

	while (drill && *drill && *drill == s->query.groups)
		drill++;
	return drill;
}

static bool measure__drill(struct listing *l, struct listing_place at)
{
	struct measure_screen *s = measure__of(l), *next;
	const struct measure_result *a = measure__rows(l);
	const struct measure_row *r = &a->rows[at.row];
	struct measure_query q = s->query;
	u32 of_derived = labels_below(a->measure, q.groups);
	const u32 *drill = next_drill(s);
	const struct scope *scope;
	char text[160];

	/* A stack narrows nothing: its frames are what is below it. */
	if (measure__is_by_stack(a->measure, q.groups))
		return listing__action(&l->base, ACTION_RIGHT);
	if (r->rest) {
		host__message(l->base.host, ROLE_WARN, "what is in [rest] is not known apart");
		return true;
	}
	copy_str(text, sizeof(text), l->narrowed);
	narrow_by_row(a, r, &q.narrow, text, sizeof(text));
	scope = scope_of_row(l, at.row, text, sizeof(text));
	if (of_derived || (drill && *drill)) {
		q.groups = of_derived ? of_derived : *drill++;
		q.nunfolded = 0;
		next = (struct measure_screen *)measure__new(l->base.host, s->view, &q, drill);
		copy_str(next->list.narrowed, sizeof(next->list.narrowed), text);
		next->list.query_client.extra_scope = scope ? scope__get(scope) : NULL;
		host__push(l->base.host, &next->list.base);
	} else if (s->view->measure->shape == MEASURE_SHAPE_SPAN) {
		push_slow(l, &q.narrow, text, scope);
	}
	scope__put(scope);
	return true;
}

/* --- the screen --- */

/* What belongs to no thread has no stacks, and none is reported by itself. */
static bool is_of_threads(const struct measure *m)
{
	return measure__label_of_kind(m, LABEL_PID) >= 0;
}

static bool slowest(struct measure_screen *s)
{
	if (s->view->measure->shape != MEASURE_SHAPE_SPAN || !is_of_threads(s->view->measure))
		return false;
	push_slow(&s->list, &s->query.narrow, s->list.narrowed, s->list.query_client.extra_scope);
	return true;
}

static bool measure__action(struct screen *base, enum action a)
{
	struct measure_screen *s = (struct measure_screen *)base;

	if (a == ACTION_DISTRIBUTION)
		return measure_dist__next(s);
	if (a == ACTION_LOCK_ORDERS && s->view->measure == measure_table[MEASURE_LOCKS])
		return host__toggle_lock_orders(base->host);
	if (a == ACTION_SAMPLE_BYTES && s->view->measure->shape == MEASURE_SHAPE_HOLDING)
		return host__offer_sample_bytes(base->host);
	return a == ACTION_SLOWEST ? slowest(s) : listing__action(base, a);
}

static const struct measure *measure__question(const struct screen *s)
{
	return measure__of((const struct listing *)s)->query.asked;
}

bool measure__has_stacks(const struct measure *m)
{
	return measure__label_of_kind(m, LABEL_STACK) >= 0;
}

/* They differ in what the keys of the hint line lead to. */
#define MEASURE_SCREEN(id, ...)                                                                    \
	static const struct screen_ops id = {                                                      \
		LISTING_SCREEN,                                                                    \
		.section = "measure",                                                              \
		.free = listing__free,                                                             \
		.action = measure__action,                                                         \
		.question = measure__question,                                                     \
		.hints = (const enum action[]){ACTION_DRILL, ACTION_GROUP_NEXT, __VA_ARGS__,       \
					       ACTION_FILTER, ACTION_PAUSE, ACTION_NONE},          \
	};
MEASURE_SCREEN(durations_and_stacks, ACTION_SLOWEST, ACTION_FLAME, ACTION_HEATMAP, ACTION_WINDOW)
MEASURE_SCREEN(durations, ACTION_SLOWEST, ACTION_HEATMAP, ACTION_WINDOW)
MEASURE_SCREEN(durations_of_no_thread, ACTION_HEATMAP, ACTION_WINDOW)
MEASURE_SCREEN(stacks, ACTION_FLAME, ACTION_UNFOLD_ALL, ACTION_WINDOW)
MEASURE_SCREEN(neither, ACTION_WINDOW)
#undef MEASURE_SCREEN

static const struct screen_ops *screen_ops_of(const struct measure *m)
{
	if (m->shape != MEASURE_SHAPE_SPAN)
		return measure__has_stacks(m) && is_of_threads(m) ? &stacks : &neither;
	if (!is_of_threads(m))
		return &durations_of_no_thread;
	return measure__has_stacks(m) ? &durations_and_stacks : &durations;
}

struct screen *measure__new(struct host *h, const struct measure_view *v,
			    const struct measure_query *q, const u32 *drill)
{
	struct measure_screen *s = xcalloc(1, sizeof(*s));

	s->list.base = (struct screen){.ops = screen_ops_of(v->measure), .host = h};
	s->view = v;
	s->query = *q;
	s->drill = drill;
	listing__init(&s->list, h, &v->list, &s->query);
	return &s->list.base;
}

/* --- one of each --- */

#define GROUP_LABELS (ACTION_GROUP_LABEL_6 - ACTION_GROUP_LABEL_1 + 1) /* that have keys */

static enum action action_of(const struct measure *m, u32 label)
{
	switch (m->labels[label].kind) {
	case LABEL_PID:
		return ACTION_GROUP_PID;
	case LABEL_TID:
		return ACTION_GROUP_TID;
	case LABEL_COMM:
		return ACTION_GROUP_COMM;
	case LABEL_CGROUP:
		return ACTION_GROUP_CGROUP;
	case LABEL_STACK:
		return ACTION_GROUP_STACK;
	case LABEL_HOST:
		return ACTION_GROUP_HOST;
	default:
		return label < GROUP_LABELS ? ACTION_GROUP_LABEL_1 + label : ACTION_NONE;
	}
}

/* Of spans their time, of events that are asked for a value in ns. */
static bool measure__has_heat(const struct measure *m)
{
	if (m->shape == MEASURE_SHAPE_SPAN)
		return true;
	return m->asked && m->shape == MEASURE_SHAPE_COUNT && !m->is_signed && m->value && !strcmp(m->value, "ns");
}

static int above(struct listing *l, struct canvas *c, struct rect area)
{
	static int (*const parts[])(struct listing *l, struct canvas *c, struct rect area) = {
		measure__levels, measure_chain__draw, measure_dist__draw};
	int used = 0;

	for (u32 i = 0; i < ARRAY_SIZE(parts); i++) {
		int lines = parts[i](l, c, area);

		area.y += lines;
		area.h -= lines;
		used += lines;
	}
	return used;
}

void measure_view__init(struct measure_view *v, const struct measure *m, enum model_id model)
{
	v->measure = m;
	for (u32 i = 0; i < m->nlabels; i++) {
		v->names[i] = m->labels[i].name;
		v->actions[i] = action_of(m, i);
	}
	v->keys = (struct group_keys){v->names, v->actions, m->nlabels, false};
	v->list = (struct listing_ops){
		.ask = {.size = sizeof(struct measure_query), .model = model, .run = v->run},
		LISTING_UNFOLDED(struct measure_query),
		.unfolds = measure__unfolds,
		.keys = &v->keys,
		.at.groups = LISTING_AT(struct measure_query, groups),
		.at.window = LISTING_AT(struct measure_query, window),
		.stacks = measure__has_stacks(m) ? v->stacks : NULL,
		.weigh = measure__weigh,
		.heat = measure__has_heat(m) && v->heat.source ? &v->heat : NULL,
		.headline = measure__headline,
		.above = above,
		.empty = measure__empty,
		.cell_role = measure__role,
		.drill = measure__drill,
		.selection = measure__selection,
		.term = measure__term,
		.function = measure__function,
		.called = measure__called,
		.watched = watched,
		.report = measure__report,
	};
	measure_slow__init(v);
}

static void query__init(struct measure_query *q, const struct measure *m,
			const struct view_args *args, enum time_window window)
{
	memset(q, 0, sizeof(*q));
	q->window = window;
	if (!args->group || !measure__parse_groups(m, args->group, &q->groups))
		q->groups = m->by;
}

/* Of one of the measures that are built in; made when it is asked for first. */
static const struct measure_view *view_of(const struct view_ops *ops)
{
	struct measure_view *v = (void *)ops->of;

	for (u32 i = 0; !v->measure; i++)
		if (measure__model(measure_table[i]) == ops->feed)
			measure_view__init(v, measure_table[i], ops->feed);
	return v;
}

static struct screen *measure__open(const struct view_ops *ops, struct host *h,
				    const struct view_args *args)
{
	const struct measure_view *v = view_of(ops);
	struct measure_query q;

	query__init(&q, v->measure, args, WINDOW_DECAY);
	return measure__new(h, v, &q, v->measure->drills);
}

static int measure__batch(const struct view_ops *ops, const struct frame *f,
			  const struct view_args *args, const struct scope *scope, struct report *r)
{
	const struct measure_view *v = view_of(ops);
	struct measure_query q;

	query__init(&q, v->measure, args, WINDOW_LAST);
	return listing__batch(&v->list, f, args, &q, scope, r);
}

/* Of spans, the longest are listed. */
enum { OFFERS_COUNT = 0, OFFERS_SPAN = 1, OFFERS_HOLDING = 0 };

#define MEASURE(id, name_, key, shape, title_, groups_)                                            \
	QUERY_RUN(run_##name_, measure__query, MODEL_##id)                                         \
	static struct measure_view of_##name_ = {                                                  \
		.heat = {&heat_measure_##name_, measure_slow__list},                               \
		.stacks = &flame_measure_##name_,                                                  \
		.run = run_##name_,                                                                \
	};                                                                                         \
	const struct view_ops view_##name_ = {                                                     \
		.name = #name_,                                                                    \
		.title = title_,                                                                   \
		.groups = groups_,                                                                 \
		.models = 1ULL << MODEL_##id,                                                      \
		.feed = MODEL_##id,                                                                \
		.screens = "measure slowest",                                                      \
		.terms = SCOPE_TERM_TIME | SCOPE_TERM_TASK | SCOPE_TERM_SCHED | SCOPE_TERM_MOMENT, \
		.labels = groups_,                                                                 \
		.offers = (u32)OFFERS_##shape << EXPORT_EVENTS,                                    \
		.of = &of_##name_,                                                                 \
		.open = measure__open,                                                             \
		.report = measure__batch,                                                          \
		.report_free = listing__report_free,                                               \
	};
#include "measures/measures.def"
#undef MEASURE
