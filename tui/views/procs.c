// SPDX-License-Identifier: GPL-2.0-only
/* View procs: processes, what they use, and where their wall time goes. */
#include "tui/views/procs.h"

#include <stdio.h>

#include "base/arena.h"
#include "tui/views/terms.h"
#include "widgets/parts.h"

static const struct listing_view the_view;

QUERY_RUN(procs__run, procs__query, MODEL_PROCS)

/* --- grouping and window --- */

static const struct group_keys procs_keys = {procs_group_names, NULL, PROCS_GROUPS, true};

/* --- drilling --- */

bool procs__row_term(const struct procs_result *a, const struct procs_row *r, char *buf,
		     size_t size)
{
	const struct procs_entry *e = r->e;

	switch (a->query.group) {
	case PROCS_BY_COMM:
		return term__name("comm", e->comm, buf, size);
	case PROCS_BY_CGROUP:
		return term__cgroup(e->cgroup, r->cgroup_name, buf, size);
	case PROCS_BY_USER:
	case PROCS_BY_CONTAINER:
		return false;
	default:
		break;
	}
	if (e->kind == PROCS_BRIEF)
		return term__name("comm", e->comm, buf, size);
	if (e->kind != PROCS_THREAD)
		return false;
	if (a->query.group == PROCS_BY_TID)
		return term__id("tid", e->tid, buf, size);
	return term__id("pid", e->tgid, buf, size);
}

static bool procs__term(const struct listing *l, u32 row, char *buf, size_t size)
{
	return procs__row_term(procs__rows(l), &procs__rows(l)->rows[row], buf, size);
}

/* Which view explains a part. */
static const struct part_view {
	const char *name, *view, *what;
} part_views[PROCS_PARTS] = {
	[PROCS_USER] = {"user", "cpu", "functions of its own that are hot"},
	[PROCS_SYSTEM] = {"kernel", "syscalls", "what it asks the kernel for"},
	[PROCS_RUNQ] = {"run queue", "sched", "how long it waits for a CPU, and who has it"},
	[PROCS_DISK] = {"disk", "io", "its requests, and how long devices take"},
	[PROCS_LOCK] = {"lock", "offcpu", "which locks, and who lets go of them"},
	[PROCS_WAIT] = {"other waits", "offcpu", "where it waits, and who ends that"},
	[PROCS_SLEEP] = {"sleep", "offcpu", "what wakes it"},
};

struct explained {
	char term[TERM_MAX];
};

static void explain_part(struct host *h, void *ctx, u32 part)
{
	const struct explained *x = ctx;

	if (!host__look_at(h, part_views[part].view, "pid tid tree comm cgroup", x->term))
		host__message(h, ROLE_WARN, "there is no view %s", part_views[part].view);
}

/* Straight to the view of one part. */
static bool explain_one(struct listing *l, const struct procs_row *r, u32 part)
{
	struct explained x;

	if (procs__row_term(procs__rows(l), r, x.term, sizeof(x.term)))
		explain_part(l->base.host, &x, part);
	else
		host__message(l->base.host, ROLE_WARN, "no filter says what this row is");
	return true;
}

/* What sleeps all the time has nothing else to explain. */
static u32 greatest_part(const struct procs_row *r)
{
	u32 best = PROCS_SLEEP;

	for (u32 p = 0; p < PROCS_PARTS; p++)
		if (p != PROCS_SLEEP && r->pct[p] > 0 && (best == PROCS_SLEEP || r->pct[p] > r->pct[best]))
			best = p;
	return best;
}

/* The parts of its time, the greatest first, each with the view that explains it. */
static bool explain(struct listing *l, const struct procs_row *r)
{
	struct menu_item items[PROCS_PARTS];
	char texts[PROCS_PARTS][64], title[48], pct[16];
	bool taken[PROCS_PARTS] = {false};
	struct explained *x = xcalloc(1, sizeof(*x));

	if (!procs__row_term(procs__rows(l), r, x->term, sizeof(x->term))) {
		free(x);
		host__message(l->base.host, ROLE_WARN, "no filter says what this row is");
		return true;
	}
	for (u32 i = 0; i < PROCS_PARTS; i++) {
		u32 best = PROCS_PARTS;

		for (u32 p = 0; p < PROCS_PARTS; p++)
			if (!taken[p] && (best == PROCS_PARTS || r->pct[p] > r->pct[best]))
				best = p;
		taken[best] = true;
		format__pct(pct, sizeof(pct), r->pct[best]);
		snprintf(texts[i], sizeof(texts[i]), "%-11s %6s%%  %s", part_views[best].name, pct,
			 part_views[best].view);
		items[i] = (struct menu_item){texts[i], part_views[best].what, best};
	}
	snprintf(title, sizeof(title), "where its time goes: %.24s", r->e->comm);
	host__menu(l->base.host, title, items, PROCS_PARTS, explain_part, x);
	return true;
}

/* The same table with the processes of one row. */
static bool open_group(struct listing *l, u32 row)
{
	struct procs_query q = procs__of(l)->query;
	char term[TERM_MAX];
	const struct scope *narrow = listing__narrow_to_row(l, row, term, sizeof(term));

	if (!narrow) {
		host__message(l->base.host, ROLE_WARN, "no filter says what this row is");
		return true;
	}
	q.group = PROCS_BY_PID;
	host__push(l->base.host, &listing__drill_to(&the_view, l, &q, term, narrow)->base);
	return true;
}

static bool procs__drill(struct listing *l, struct listing_place at)
{
	const struct procs_row *r = &procs__rows(l)->rows[at.row];

	return procs__of(l)->query.group > PROCS_BY_TID ? open_group(l, at.row) : explain(l, r);
}

/* A click on a part of a bar: which one of which row; false: it was elsewhere. */
static bool part_at(struct listing *l, const struct input *in, u32 *row, u32 *part)
{
	struct table_source src = listing__source(l);
	struct value v;
	u32 child;

	for (u32 i = 0; i < l->table.nplaces; i++) {
		const struct column_place *at = &l->table.places[i];
		int x = in->x - l->table.area.x - at->x;

		if (src.rows->columns[at->column].type != VALUE_SPLIT || x < 0 || x >= at->w ||
		    !table__selected(&l->table, &src, row, &child) ||
		    !src.rows->cell(src.rows, *row, at->column, &v) || v.type != VALUE_SPLIT)
			continue;
		*part = parts__at(v.shares, v.n, (u32)at->w, (u32)x);
		return *part < v.n;
	}
	return false;
}

static void procs__click(struct listing *l, const struct input *in)
{
	u32 row, part;

	if (part_at(l, in, &row, &part))
		explain_one(l, &procs__rows(l)->rows[row], part);
}

static const struct listing_ops procs_listing = {
	.ask = {.size = sizeof(struct procs_query), .model = MODEL_PROCS, .run = procs__run},
	.keys = &procs_keys,
	.at.group = LISTING_AT(struct procs_query, group),
	.at.window = LISTING_AT(struct procs_query, window),
	.headline = procs__headline,
	.above = procs__above,
	.empty = procs__empty,
	.cell_role = procs__role,
	.drill = procs__drill,
	.click = procs__click,
	.selection = procs__selection,
	.term = procs__term,
	.report = procs__report,
};

/* --- the screen --- */

static bool toggle_tree(struct procs_screen *s)
{
	if (s->query.group != PROCS_BY_PID)
		s->query.group = PROCS_BY_PID;
	s->query.tree = !s->query.tree;
	return true;
}

static bool follow(struct procs_screen *s)
{
	struct listing_place at;

	if (!listing__at(&s->list, &at))
		return true;
	s->list.table.user_moved = true;
	host__message(s->list.base.host, ROLE_OK, "the cursor stays on %s; Home lets it go",
		      procs__rows(&s->list)->rows[at.row].e->comm);
	return true;
}

static bool explain_most(struct procs_screen *s)
{
	struct listing_place at;
	const struct procs_row *r;

	if (!listing__at(&s->list, &at))
		return true;
	r = &procs__rows(&s->list)->rows[at.row];
	return explain_one(&s->list, r, greatest_part(r));
}

static bool explain_selected(struct procs_screen *s)
{
	struct listing_place at;

	if (listing__at(&s->list, &at))
		explain(&s->list, &procs__rows(&s->list)->rows[at.row]);
	return true;
}

static bool procs__action(struct screen *base, enum action a)
{
	struct procs_screen *s = (struct procs_screen *)base;

	switch (a) {
	case ACTION_COLUMNS:
		s->query.show = (s->query.show + 1) % PROCS_SHOWS;
		return true;
	case ACTION_TREE:
		return toggle_tree(s);
	case ACTION_FOLLOW:
		return follow(s);
	case ACTION_EXPLAIN_MOST:
		return explain_most(s);
	case ACTION_EXPLAIN:
		return explain_selected(s);
	default:
		return procs__act(&s->list, a) || listing__action(base, a);
	}
}

static const struct screen_ops procs_screen_ops = {
	LISTING_SCREEN,
	.section = "procs",
	.free = listing__free,
	.action = procs__action,
	.hints = (const enum action[]){ACTION_DRILL, ACTION_TREE, ACTION_GROUP_NEXT, ACTION_COLUMNS,
				       ACTION_SIGNAL, ACTION_RENICE, ACTION_AFFINITY,
				       ACTION_SORT_NEXT, ACTION_FILTER, ACTION_PAUSE, ACTION_NONE},
};

static void fit(void *query, bool batch)
{
	if (batch)
		((struct procs_query *)query)->show = PROCS_SHOW_PARTS;
}

static const struct listing_view the_view = {
	LISTING_VIEW(struct procs_screen, &procs_screen_ops, &procs_listing),
	.groups = 1u << PROCS_BY_PID,
	.window = WINDOW_LAST,
	.fit = fit,
};

const struct view_ops view_procs = {
	.name = "procs",
	.title = "processes: CPU, memory, I/O, and where their wall time goes",
	.models = 1ULL << MODEL_PROCS,
	.feed = MODEL_PROCS,
	.terms = SCOPE_TERM_TASK | SCOPE_TERM_SCHED,
	.groups = "pid tid comm user cgroup container",
	.one_group = true,
	LISTING_VIEW_OPS(&the_view),
};
