// SPDX-License-Identifier: GPL-2.0-only
/* View cpu: hot functions, or processes, threads, objects ..., with call chains in place. */
#include "tui/views/cpu.h"

#include "base/arena.h"
#include "models/flame.h"
#include "tui/views/code_role.h"
#include "tui/views/cpu_terms.h"
#include "tui/views/terms.h"

static const struct listing_view the_view;

struct query_result *cpu__run(const struct frame *f, const void *query, const struct scope *scope)
{
	return &profile__query((const void *)f->snaps[MODEL_PROFILE], query, scope)->base;
}

/* Of so few samples one is a share of 5 %. */
#define FEW_SAMPLES 20

static bool cpu__few(const struct listing *l)
{
	return l->result && cpu__rows(l)->count < FEW_SAMPLES;
}

/* --- grouping and window --- */

static const struct group_keys cpu_keys = {profile_group_names, NULL, GROUPS, false};

/* --- rows --- */

static enum code_kind row_code_kind(const struct listing *l, const struct profile_row *row)
{
	const struct symbols *symbols = host__symbols(l->base.host);

	return row->func ? symbols__func(symbols, row->func)->kind
			 : symbols__object(symbols, row->object)->kind;
}

static enum role cpu__role(const struct listing *l, u32 row, u32 column)
{
	const struct profile_row *r = &cpu__rows(l)->rows[row];
	const struct column *c = &l->result->table.columns[column];

	if (!(c->flags & COLUMN_KEY) && strcmp(c->name, "kind"))
		return ROLE_TEXT;
	if (!strcmp(r->kind, "inlined"))
		return ROLE_INLINED;
	if (r->ended)
		return ROLE_DIM;
	return r->func || r->object ? code__role(row_code_kind(l, r), false) : ROLE_TEXT;
}

static u32 cpu__function(const struct listing *l, u32 row)
{
	return cpu__rows(l)->rows[row].func;
}

static bool cpu__term(const struct listing *l, u32 row, char *buf, size_t size)
{
	return cpu_terms__exclude(&cpu__rows(l)->rows[row], cpu__of(l)->query.groups, buf, size);
}

/* --- drilling --- */

/* Enter on a row that is no function: the functions of that row. */
static void open_narrow(struct listing *l, const struct profile_row *r)
{
	struct profile_query q = cpu__of(l)->query;
	const struct scope *narrow = NULL;
	char terms[TERMS_MAX];

	if (cpu_terms__select(r, q.groups, terms, sizeof(terms)))
		narrow = listing__narrow(l, terms);
	if (!narrow) {
		host__message(l->base.host, ROLE_WARN,
			      "nothing to drill into: this row's %s is not known",
			      cpu__rows(l)->grouping);
		return;
	}
	q.groups = GROUP_BIT(GROUP_SYMBOL);
	host__push(l->base.host, &listing__drill_to(&the_view, l, &q, terms, narrow)->base);
}

/* Enter on a function: its callers and callees, in the task that the row is about. */
static void open_callers(struct listing *l, const struct profile_row *r, u32 func)
{
	const struct profile_query *q = &cpu__of(l)->query;
	const struct scope *extra = NULL;
	char terms[TERMS_MAX];

	if (!cpu_terms__select(r, q->groups & GROUPS_TASK, terms, sizeof(terms)))
		host__message(l->base.host, ROLE_WARN,
			      "not all of the row's %s is known: callers of more",
			      cpu__rows(l)->grouping);
	if (*terms)
		extra = listing__narrow(l, terms);
	host__push(l->base.host, cpu_callers__open(l->base.host, q, func,
						   extra ? extra : l->query_client.extra_scope));
	scope__put(extra);
}

static bool cpu__drill(struct listing *l, struct listing_place at)
{
	const struct profile_row *r = &cpu__rows(l)->rows[at.row];
	u32 func = at.node != UINT32_MAX ? l->result->nodes[at.node].func : r->func;

	if (func)
		open_callers(l, r, func);
	else if (!(cpu__of(l)->query.groups & GROUP_BIT(GROUP_SYMBOL)))
		open_narrow(l, r);
	else
		host__message(l->base.host, ROLE_WARN, "no function is known for this row");
	return true;
}

static int set_mode(struct profile_query *q, const char *value, struct status *st)
{
	bool both = !strcmp(value, "both");

	if (!both && strcmp(value, "user") && strcmp(value, "kernel"))
		return choice__refuse(st, value, "both, user, kernel");
	q->user = both || value[0] == 'u';
	q->kernel = both || value[0] == 'k';
	return 0;
}

static int cpu__choose(struct listing *l, enum choice what, const char *value, struct status *st)
{
	bool on;

	if (what == CHOICE_MODE)
		return set_mode(&cpu__of(l)->query, value, st);
	if (what != CHOICE_IDLE)
		return -ENOTSUP;
	if (choice__on(value, &on, st))
		return -EINVAL;
	if (on != host__idle(l->base.host))
		host__toggle_idle(l->base.host);
	return 0;
}

static const struct listing_ops cpu_listing = {
	.ask = {.size = sizeof(struct profile_query), .model = MODEL_PROFILE, .run = cpu__run},
	LISTING_UNFOLDED(struct profile_query),
	.few = cpu__few,
	.keys = &cpu_keys,
	.at.groups = LISTING_AT(struct profile_query, groups),
	.at.window = LISTING_AT(struct profile_query, window),
	.choose = cpu__choose,
	.stacks = &flame_profile,
	.headline = cpu__headline,
	.empty = cpu__empty,
	.cell_role = cpu__role,
	.drill = cpu__drill,
	.selection = cpu__selection,
	.function = cpu__function,
	.term = cpu__term,
	.report = cpu__report,
};

/* --- the screen --- */

static bool next_mode(struct profile_query *q)
{
	bool both = q->user && q->kernel;

	if (both)
		q->kernel = false;
	else if (q->user)
		q->user = false, q->kernel = true;
	else
		q->user = true;
	return true;
}

static bool cpu__action(struct screen *base, enum action a)
{
	struct cpu_screen *s = (struct cpu_screen *)base;

	if (listing__action(base, a))
		return true;
	switch (a) {
	case ACTION_CALL_ORDER: s->query.callee_first = !s->query.callee_first; return true;
	case ACTION_INLINED: s->query.inlined = !s->query.inlined; return true;
	case ACTION_MODE: return next_mode(&s->query);
	case ACTION_IDLE: return host__toggle_idle(base->host);
	default: return false;
	}
}

static void cpu__health(const struct screen *base, struct health *h)
{
	const struct profile_rows *rows = cpu__rows((const struct listing *)base);

	if (rows)
		h->truncated_pct = rows->truncated_pct;
}

static const struct screen_ops cpu_screen_ops = {
	LISTING_SCREEN,
	.section = "cpu",
	.free = listing__free,
	.action = cpu__action,
	.health = cpu__health,
	.hints = (const enum action[]){ACTION_DRILL, ACTION_RIGHT, ACTION_GROUP_NEXT, ACTION_WINDOW,
				       ACTION_FILTER, ACTION_PICK_PROCESS, ACTION_PAUSE,
				       ACTION_TIME, ACTION_SNAPSHOT, ACTION_NONE},
};

static void fit(void *query, bool batch)
{
	struct profile_query *q = query;

	q->user = q->kernel = true;
}

static const struct listing_view the_view = {
	LISTING_VIEW(struct cpu_screen, &cpu_screen_ops, &cpu_listing),
	.groups = GROUP_BIT(GROUP_SYMBOL),
	.window = WINDOW_DECAY,
	.fit = fit,
};

const struct view_ops view_cpu = {
	.name = "cpu",
	.title = "hot functions: where the CPUs' time goes",
	.models = 1ULL << MODEL_PROFILE,
	.feed = MODEL_PROFILE,
	.screens = "callers annotate",
	.terms = SCOPE_TERM_STACK | SCOPE_TERM_SCHED | SCOPE_TERM_MOMENT,
	.offers = 1u << EXPORT_STACKS,
	.groups = "symbol object comm pid tid cgroup cpu",
	LISTING_VIEW_OPS(&the_view),
};
