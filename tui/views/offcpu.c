// SPDX-License-Identifier: GPL-2.0-only
/* View offcpu: who waits, where and what for, with stacks and wakers in place. */
#include "tui/views/offcpu.h"

#include <stdio.h>

#include "base/arena.h"
#include "models/flame.h"
#include "models/frames.h"
#include "tui/views/heat.h"
#include "tui/views/terms.h"

QUERY_RUN(offcpu__run, waits__query, MODEL_WAITS)

/* --- grouping and window --- */

static const struct group_keys offcpu_keys = {waits_group_names, NULL, WAITS_GROUPS,
					      false};

/* --- rows --- */

static bool is_column(const struct column *c, const char *name)
{
	return !strcmp(c->name, name);
}

/* Who merely sleeps does not look like somebody in trouble, however long it is. */
static enum role bar_role(const struct waits_row *r)
{
	switch (offcpu__reason_role(r->why, r->class)) {
	case ROLE_HOT:
		return ROLE_TEXT; /* by how much it is */
	case ROLE_WARM:
		return ROLE_WARM;
	default:
		return ROLE_COOL;
	}
}

/* What is harmful stands out: the reason, an uninterruptible sleep, who is to blame. */
static enum role offcpu__role(const struct listing *l, u32 row, u32 column)
{
	const struct waits_row *r = &offcpu__result(l)->rows[row];
	const struct column *c = &l->result->table.columns[column];

	if (r->class == CLASS_IDLE)
		return ROLE_DIM;
	if (is_column(c, "reason"))
		return offcpu__reason_role(r->why, r->class);
	if (is_column(c, "class"))
		return r->class == CLASS_HARMFUL ? ROLE_STRONG : ROLE_DIM;
	if (is_column(c, "state"))
		return *r->state == 'D' ? ROLE_HOT : ROLE_TEXT;
	if (is_column(c, "ended_by"))
		return ROLE_STRONG;
	return c->flags & COLUMN_BAR ? bar_role(r) : ROLE_TEXT;
}

/* What led into the wait: the kernel's function only where that is not known. */
static u32 offcpu__function(const struct listing *l, u32 row)
{
	const struct waits_row *r = &offcpu__result(l)->rows[row];
	u32 func = 0;

	if (!(offcpu__of(l)->query.groups & WAITS_BIT(WAITS_BY_STACK)))
		return 0;
	func = stack__caller_func(r->entry->ustack, r->symbols);
	return func ? func : stack__func(r->entry->kstack, r->symbols);
}

static bool offcpu__term(const struct listing *l, u32 row, char *buf, size_t size)
{
	return offcpu_terms__exclude(&offcpu__result(l)->rows[row], offcpu__of(l)->query.groups,
				     buf, size);
}

/* --- drilling --- */

/* "nginx 12 futex_wait_queue": what the row's keys say, the process's name before its number. */
static void row_words(const struct waits_row *r, char *buf, size_t size)
{
	static const u8 order[] = {WAITS_BY_PID,   WAITS_BY_TID,    WAITS_BY_CGROUP, WAITS_BY_STACK,
				   WAITS_BY_STATE, WAITS_BY_REASON, WAITS_BY_WAKER, WAITS_BY_HOST};
	size_t n = (size_t)snprintf(buf, size, "%s", r->comm);

	for (u32 i = 0; i < ARRAY_SIZE(order) && n < size; i++) {
		const char *text = r->text[order[i]];

		if (text)
			n += (size_t)snprintf(buf + n, size - n, "%s%s", n ? " " : "",
					      text + strspn(text, " "));
	}
}

static bool offcpu__drill(struct listing *l, struct listing_place at)
{
	const struct waits_row *r = &offcpu__result(l)->rows[at.row];
	bool of_task = offcpu__of(l)->query.groups & (WAITS_BIT(WAITS_BY_PID) | WAITS_BIT(WAITS_BY_TID));
	char what[160], term[80];
	const struct scope *narrow = of_task ? listing__narrow_to_row(l, at.row, term, sizeof(term)) : NULL;

	row_words(r, what, sizeof(what));
	host__push(l->base.host, offcpu_chain__open(l->base.host, &offcpu__of(l)->query, r->key, what,
						    narrow ? narrow : l->query_client.extra_scope));
	scope__put(narrow);
	return true;
}

static const struct listing_view the_view;

/* Waits are kept as sums of a thread at a place: those whose longest is in the cell, of the
 * interval where that is still known, else since start. */
static struct screen *offcpu__list(const struct heat_view *v, struct host *h, const void *query,
				   const struct heat_pick *pick, const struct scope *extra)
{
	static const char *const states[] = {"", "state=D", "state=S", "state=R"};
	const struct scope *scope = extra ? extra : host__scope(h);
	struct offcpu_screen *s = (struct offcpu_screen *)listing__new(&the_view, h, query);
	char range[64];

	s->query.window = pick->newest ? WINDOW_LAST : WINDOW_TOTAL;
	s->query.idle = true;
	s->query.longest_lo_ns = pick->range.lo_ns;
	s->query.longest_hi_ns = pick->range.hi_ns;
	s->list.query_client.extra_scope = *states[pick->kind]
						   ? terms__scope(scope, states[pick->kind])
					   : extra ? scope__get(extra)
						   : NULL;
	heat__range(range, sizeof(range), &pick->range);
	snprintf(s->list.narrowed, sizeof(s->list.narrowed), "longest %s%s%s", range,
		 *states[pick->kind] ? " " : "", states[pick->kind]);
	return &s->list.base;
}

const struct heat_view heat_view_offcpu = {.source = &heat_waits, .list = offcpu__list};

static int offcpu__choose(struct listing *l, enum choice what, const char *value,
			   struct status *st)
{
	if (what != CHOICE_IDLE)
		return -ENOTSUP;
	return choice__on(value, &offcpu__of(l)->query.idle, st);
}

static const struct listing_ops offcpu_listing = {
	.ask = {.size = sizeof(struct waits_query), .model = MODEL_WAITS, .run = offcpu__run},
	LISTING_UNFOLDED(struct waits_query),
	.keys = &offcpu_keys,
	.at.groups = LISTING_AT(struct waits_query, groups),
	.at.window = LISTING_AT(struct waits_query, window),
	.choose = offcpu__choose,
	.stacks = &flame_waits,
	.heat = &heat_view_offcpu,
	.headline = offcpu__headline,
	.above = offcpu__above,
	.empty = offcpu__empty,
	.cell_role = offcpu__role,
	.drill = offcpu__drill,
	.selection = offcpu__selection,
	.function = offcpu__function,
	.term = offcpu__term,
	.report = offcpu__report,
};

/* --- the screen --- */

/* Of the selected row's thread when rows tell threads apart, else of its process. */
static bool open_split(struct listing *l)
{
	const struct waits_query *q = &offcpu__of(l)->query;
	const struct waits_row *row;
	const struct task_ident *t;
	struct listing_place at;

	if (!listing__at(l, &at)) {
		host__message(l->base.host, ROLE_WARN, "no row is selected");
		return true;
	}
	row = &offcpu__result(l)->rows[at.row];
	t = &row->entry->task;
	if (t->host) {
		host__message(l->base.host, ROLE_WARN, "wall clocks are of one machine: open its recording alone");
		return true;
	}
	if (row->starts || t->tgid == PROFILE_MERGED || t->tid == PROFILE_MERGED) {
		host__message(l->base.host, ROLE_WARN, "whose waits these are was not kept");
		return true;
	}
	host__push(l->base.host,
		   offcpu_split__open(l->base.host, t->tgid,
				      q->groups & WAITS_BIT(WAITS_BY_TID) ? t->tid : 0, q->window));
	return true;
}

static bool offcpu__action(struct screen *base, enum action a)
{
	struct offcpu_screen *s = (struct offcpu_screen *)base;

	if (listing__action(base, a))
		return true;
	switch (a) {
	case ACTION_CALL_ORDER:
		s->query.caller_first = !s->query.caller_first;
		return true;
	case ACTION_WAKERS:
		s->query.wakers = !s->query.wakers;
		return true;
	case ACTION_IDLE:
		s->query.idle = !s->query.idle;
		return true;
	case ACTION_WALL:
		return open_split(&s->list);
	default:
		return false;
	}
}

static void offcpu__health(const struct screen *base, struct health *h)
{
	const struct waits_result *a = offcpu__result((const struct listing *)base);

	if (a)
		h->truncated_pct = a->truncated_pct;
}

static const struct screen_ops offcpu_screen_ops = {
	LISTING_SCREEN,
	.section = "offcpu",
	.free = listing__free,
	.action = offcpu__action,
	.health = offcpu__health,
	.hints = (const enum action[]){ACTION_DRILL, ACTION_RIGHT, ACTION_WALL, ACTION_IDLE,
				       ACTION_GROUP_NEXT, ACTION_WAKERS, ACTION_HEATMAP,
				       ACTION_WINDOW, ACTION_FILTER, ACTION_PAUSE, ACTION_SNAPSHOT,
				       ACTION_NONE},
};

/* Programs choose themselves what is idle: they get all rows. */
static void fit(void *query, bool batch)
{
	((struct waits_query *)query)->idle = batch;
}

static const struct listing_view the_view = {
	LISTING_VIEW(struct offcpu_screen, &offcpu_screen_ops, &offcpu_listing),
	.groups = WAITS_BIT(WAITS_BY_PID) | WAITS_BIT(WAITS_BY_STACK),
	.window = WINDOW_DECAY,
	.batch_groups = WAITS_BIT(WAITS_BY_TID) | WAITS_BIT(WAITS_BY_STACK),
	.fit = fit,
};

const struct view_ops view_offcpu = {
	.name = "offcpu",
	.title = "waits: where threads are held up, what for, and by whom",
	.models = 1ULL << MODEL_WAITS,
	.feed = MODEL_WAITS,
	.screens = "chain wall",
	.terms = SCOPE_TERMS_ALL & ~SCOPE_TERM_MOMENT,
	.groups = "stack tid pid comm cgroup state reason waker",
	LISTING_VIEW_OPS(&the_view),
};
