/* SPDX-License-Identifier: GPL-2.0-only */
/* View cpu: hot functions, or processes, threads, objects ..., with call chains in place. */
#include "tui/views/cpu.h"

#include <limits.h>
#include <stdio.h>

#include "core/arena.h"
#include "tui/views/cpu_group.h"
#include "tui/views/cpu_terms.h"
#include "tui/views/fold.h"
#include "tui/views/profile_job.h"
#include "tui/views/table_keys.h"
#include "widgets/paragraph.h"
#include "widgets/table.h"
#include "widgets/text.h"

struct cpu_screen {
	struct screen base;
	struct profile_query query;
	struct profile_asker asker;
	struct profile_answer *answer; /* what is shown; NULL at first */
	struct table table;
	struct fold fold;
	bool adding;	    /* the next key adds to the grouping */
	char narrowed[160]; /* what a drilled screen is about: "pid=12"; "" the root */
};

static const struct profile_rows *cpu__rows(const struct cpu_screen *s)
{
	return s->answer ? s->answer->rows : NULL;
}

/* --- the table's callbacks --- */

static u32 cpu__children(void *ctx, u32 row)
{
	struct cpu_screen *s = ctx;

	return fold__lines(&s->fold, row);
}

static void node_text(const struct cpu_screen *s, const struct chain_node *n,
		      struct table_child *out)
{
	const struct sym_func *f = symbols__func(host__symbols(s->base.host), n->func);

	out->text = n->name;
	out->note = n->inlined ? "inlined" : n->object_name;
	out->role = n->func ? cpu__kind_role(f->kind, n->inlined) : ROLE_DIM;
}

static bool cpu__child(void *ctx, u32 row, u32 line, struct table_child *out)
{
	struct cpu_screen *s = ctx;
	const struct profile_rows *r = cpu__rows(s);
	u32 node = fold__node(&s->fold, row, line);
	const struct chain_node *n = &r->nodes[node];

	*out = (struct table_child){
		.key = n->key,
		.depth = n->depth,
		.last = fold__last(r, row, node),
		.has_children = n->nchildren > 0,
		.open = fold__open(&s->fold, n),
		.pct = n->pct,
	};
	node_text(s, n, out);
	return true;
}

static enum code_kind row_code_kind(const struct cpu_screen *s, const struct profile_row *row)
{
	const struct symbols *symbols = host__symbols(s->base.host);

	return row->func ? symbols__func(symbols, row->func)->kind
			 : symbols__object(symbols, row->object)->kind;
}

static enum role cpu__role(void *ctx, u32 row, u32 column)
{
	struct cpu_screen *s = ctx;
	const struct profile_row *r = &cpu__rows(s)->rows[row];
	const struct column *c = &cpu__rows(s)->table.columns[column];

	if (!(c->flags & COLUMN_KEY) && strcmp(c->name, "kind"))
		return ROLE_TEXT;
	if (!strcmp(r->kind, "inlined"))
		return ROLE_INLINED;
	return r->func || r->object ? cpu__kind_role(row_code_kind(s, r), false) : ROLE_TEXT;
}

static bool cpu__is_open(void *ctx, u64 key)
{
	return fold__row_open(&((struct cpu_screen *)ctx)->fold, key);
}

static struct table_source cpu__source(struct cpu_screen *s)
{
	return (struct table_source){
		.rows = &cpu__rows(s)->table,
		.children = cpu__children,
		.child = cpu__child,
		.role = cpu__role,
		.open = cpu__is_open,
		.ctx = s,
	};
}

/* --- life --- */

static void cpu__ready(void *owner, struct profile_answer *answer)
{
	struct cpu_screen *s = owner;

	/* Columns may change with the grouping: the sort column is that grouping's again. */
	if (!s->answer || s->answer->rows->query.groups != answer->rows->query.groups) {
		s->table.sort = answer->rows->table.sort;
		s->table.descending = true;
	}
	profile_answer__free(s->answer);
	s->answer = answer;
	fold__layout(&s->fold, answer->rows);
	host__redraw(s->base.host);
}

static void cpu__update(struct screen *base)
{
	struct cpu_screen *s = (struct cpu_screen *)base;

	s->query.nunfolded = fold__rows(&s->fold, s->query.unfolded);
	profile_asker__ask(&s->asker, &s->query);
}

static void cpu__free(struct screen *base)
{
	struct cpu_screen *s = (struct cpu_screen *)base;

	profile_asker__fini(&s->asker);
	profile_answer__free(s->answer);
	table__fini(&s->table);
	fold__fini(&s->fold);
	free(s);
}

/* --- drawing --- */

const char *cpu__window_text(enum profile_window w)
{
	static const char *const texts[WINDOWS] = {
		[WINDOW_LAST] = "last interval",
		[WINDOW_DECAY] = "decaying",
		[WINDOW_TOTAL] = "since start",
	};

	return texts[w];
}

bool cpu__next_window(struct host *h, struct profile_query *q)
{
	q->window = (q->window + 1) % WINDOWS;
	host__message(h, ROLE_OK, "window: %s", cpu__window_text(q->window));
	return true;
}

u64 cpu__window_start(const struct profile_rows *rows)
{
	return rows->query.window == WINDOW_TOTAL ? rows->snap->since_ns
						  : rows->snap->base.t0_ns;
}

static const char *mode_text(const struct profile_query *q)
{
	return !q->user ? "kernel only" : !q->kernel ? "user only" : "user+kernel";
}

struct headline {
	struct canvas *c;
	struct rect r;
	int x;
};

/* Whole or not at all, what comes behind it moves up. */
static void headline__add(struct headline *l, enum role role, const char *text)
{
	int w;

	text__fit(text, INT_MAX, &w);
	if (l->x + w <= l->r.x + l->r.w)
		l->x += draw__text(l->c, l->x, l->r.y, w, role, text);
}

static void headline__samples(struct headline *l, const struct profile_rows *rows)
{
	char text[64], count[16];

	format__count(count, sizeof(count), rows->count);
	snprintf(text, sizeof(text), " · %s samples", count);
	headline__add(l, ROLE_DIM, text);
	snprintf(text, sizeof(text), " · %u%s rows", rows->nrows, rows->rows_left_out ? "+" : "");
	headline__add(l, ROLE_DIM, text);
}

static void cpu__headline(struct cpu_screen *s, struct canvas *c, struct rect r)
{
	const struct profile_query *q = &s->query;
	struct headline l = {c, r, r.x};
	char key[16], text[128], grouping[GROUPS_TEXT];

	profile_groups__text(q->groups, grouping, sizeof(grouping));
	snprintf(text, sizeof(text), "by %s%s", grouping, s->adding ? "+?" : "");
	headline__add(&l, ROLE_STRONG, text);
	host__key(s->base.host, ACTION_GROUP_NEXT, key, sizeof(key));
	snprintf(text, sizeof(text), " [%s] · %s", key, cpu__window_text(q->window));
	headline__add(&l, ROLE_DIM, text);
	snprintf(text, sizeof(text), " · %s", mode_text(q));
	headline__add(&l, ROLE_DIM, text);
	snprintf(text, sizeof(text), " · chains: %s", q->callee_first ? "callees" : "callers");
	headline__add(&l, ROLE_DIM, text);
	if (q->inlined)
		headline__add(&l, ROLE_DIM, " · inlined split");
	if (cpu__rows(s))
		headline__samples(&l, cpu__rows(s));
}

static bool is_clock(const char *event)
{
	return !strncmp(event, "cycles", 6) || !strncmp(event, "cpu-c", 5) ||
	       !strncmp(event, "task-clock", 10);
}

void cpu__waiting(const struct host *h, char *buf, size_t size)
{
	const struct frame *f = host__frame(h);
	const struct feed *feed = f ? &f->feeds[MODEL_PROFILE] : NULL;
	char key[16], clear[16];

	if (!feed || feed->state == FEED_OFF || feed->state == FEED_OPENING)
		snprintf(buf, size, "attaching the sampler ...");
	else if (feed->state == FEED_FAILED)
		snprintf(buf, size, "cannot sample: %s", feed->reason);
	else if (!f->snaps[MODEL_PROFILE])
		snprintf(buf, size, "sampling; the first interval is not over yet");
	else
		snprintf(buf, size,
			 "no samples here: %s (%s clears the filter, %s widens the window)%s%s",
			 is_clock(feed->health.event) ? "nothing in scope ran on a CPU"
						      : "the event did not happen in scope",
			 host__key(h, ACTION_CLEAR_FILTER, clear, sizeof(clear)),
			 host__key(h, ACTION_WINDOW, key, sizeof(key)), feed->reason[0] ? "; " : "",
			 feed->reason[0] ? feed->health.note : "");
}

static void cpu__draw(struct screen *base, struct canvas *c, struct rect area)
{
	struct cpu_screen *s = (struct cpu_screen *)base;
	const struct profile_rows *rows = cpu__rows(s);
	struct rect body = {area.x, area.y + 1, area.w, area.h - 1};

	if (area.h < 2)
		return;
	cpu__headline(s, c, (struct rect){area.x, area.y, area.w, 1});
	if (!rows || !rows->nrows) {
		char text[700];

		cpu__waiting(base->host, text, sizeof(text));
		draw__paragraph(c, (struct rect){body.x + 1, body.y + 1, body.w - 2, body.h - 1},
				ROLE_TEXT, text);
		return;
	}
	struct table_source src = cpu__source(s);

	table__layout(&s->table, &src, body);
	table__draw(&s->table, &src, c);
}

/* --- selection --- */

static const struct profile_row *cpu__selected(const struct cpu_screen *s, u32 *node)
{
	struct table_source src;
	u32 row, child;

	if (!cpu__rows(s) || !cpu__rows(s)->nrows)
		return NULL;
	src = cpu__source((struct cpu_screen *)s);
	if (!table__selected(&s->table, &src, &row, &child))
		return NULL;
	*node = child == UINT32_MAX ? UINT32_MAX : fold__node(&s->fold, row, child);
	return &cpu__rows(s)->rows[row];
}

static void selection_func(const struct cpu_screen *s, u32 func, double pct, char *buf, size_t size)
{
	const struct symbols *symbols = host__symbols(s->base.host);
	const struct sym_func *f = symbols__func(symbols, func);
	const struct sym_object *o = symbols__object(symbols, f->object);
	const struct sym_object_info *info = symbols__object_info(symbols, f->object);

	snprintf(buf, size, "%.2f%% %s  %s%s%s", pct, f->name, *o->path ? o->path : o->name,
		 info && info->note[0] ? "  ! " : "", info ? info->note : "");
}

static void selection_row(const struct cpu_screen *s, const struct profile_row *r, char *buf,
			  size_t size)
{
	u32 groups = cpu__rows(s)->query.groups;
	char task[512];
	size_t n;

	cpu_terms__task(r, groups, task, sizeof(task));
	if (!(groups & GROUPS_CODE)) {
		snprintf(buf, size, "%.2f%% %s", r->self_pct, task);
		return;
	}
	if (r->func)
		selection_func(s, r->func, r->self_pct, buf, size);
	else
		snprintf(buf, size, "%.2f%% %s", r->self_pct, r->name);
	n = strlen(buf);
	if (*task)
		snprintf(buf + n, size - n, "  in %s", task);
}

static void cpu__selection(const struct screen *base, char *buf, size_t size)
{
	const struct cpu_screen *s = (const struct cpu_screen *)base;
	u32 node;
	const struct profile_row *r = cpu__selected(s, &node);

	*buf = '\0';
	if (!r)
		return;
	if (node != UINT32_MAX)
		selection_func(s, cpu__rows(s)->nodes[node].func, cpu__rows(s)->nodes[node].pct,
			       buf, size);
	else
		selection_row(s, r, buf, size);
}

static void cpu__crumb(const struct screen *base, char *buf, size_t size)
{
	copy_str(buf, size, ((const struct cpu_screen *)base)->narrowed);
}

static bool cpu__exclude(const struct screen *base, char *buf, size_t size)
{
	const struct cpu_screen *s = (const struct cpu_screen *)base;
	u32 node;
	const struct profile_row *r = cpu__selected(s, &node);

	buf[0] = '!';
	return r && cpu_terms__exclude(r, s->query.groups, buf + 1, size - 1);
}

/* --- actions --- */

static struct cpu_screen *cpu__new(struct host *h, const struct profile_query *q);

/* The screen's scope with more terms; NULL when they make none. */
static const struct scope *cpu__narrowed(const struct cpu_screen *s, const char *terms)
{
	const struct scope *scope = profile_asker__scope(&s->asker);
	const struct scope *narrow = cpu_terms__scope(scope, terms);

	scope__put(scope);
	return narrow;
}

/* Enter on a row that is no function: the functions of that row. */
static void cpu__narrow(struct cpu_screen *s, const struct profile_row *r)
{
	struct profile_query q = s->query;
	const struct scope *narrow = NULL;
	char terms[CPU_TERMS_MAX];
	struct cpu_screen *next;

	if (cpu_terms__select(r, s->query.groups, terms, sizeof(terms)))
		narrow = cpu__narrowed(s, terms);
	if (!narrow) {
		host__message(s->base.host, ROLE_WARN, "nothing to drill into: this row's %s is not known",
			      cpu__rows(s)->grouping);
		return;
	}
	q.groups = GROUP_BIT(GROUP_SYMBOL);
	next = cpu__new(s->base.host, &q);
	copy_str(next->narrowed, sizeof(next->narrowed), terms);
	next->asker.extra_scope = narrow;
	host__push(s->base.host, &next->base);
}

/* Enter on a function: its callers and callees, in the task that the row is about. */
static void cpu__open_callers(struct cpu_screen *s, const struct profile_row *r, u32 func)
{
	u32 task = s->query.groups & GROUPS_TASK;
	const struct scope *extra = NULL;
	char terms[CPU_TERMS_MAX];

	if (!cpu_terms__select(r, task, terms, sizeof(terms)))
		host__message(s->base.host, ROLE_WARN, "not all of the row's %s is known: callers of more",
			      cpu__rows(s)->grouping);
	if (*terms)
		extra = cpu__narrowed(s, terms);
	host__push(s->base.host, cpu_callers__open(s->base.host, &s->query, func,
						   extra ? extra : s->asker.extra_scope));
	scope__put(extra);
}

static bool cpu__drill(struct cpu_screen *s)
{
	u32 node, func;
	const struct profile_row *r = cpu__selected(s, &node);

	if (!r)
		return false;
	func = node != UINT32_MAX ? cpu__rows(s)->nodes[node].func : r->func;
	if (func)
		cpu__open_callers(s, r, func);
	else if (!(s->query.groups & GROUP_BIT(GROUP_SYMBOL)))
		cpu__narrow(s, r);
	else
		host__message(s->base.host, ROLE_WARN, "no function is known for this row");
	return true;
}

/* Right unfolds, left folds what is selected; left on a node that is folded goes up. */
static bool cpu__fold(struct cpu_screen *s, bool open)
{
	u32 node;
	const struct profile_row *r = cpu__selected(s, &node);

	if (!r)
		return true;
	if (node == UINT32_MAX) {
		if (!fold__set_row(&s->fold, r->key, open))
			host__message(s->base.host, ROLE_WARN,
				      "at most %d rows can be unfolded at once",
				      PROFILE_MAX_UNFOLDED);
	} else {
		const struct chain_node *n = &cpu__rows(s)->nodes[node];
		bool was = fold__open(&s->fold, n) && n->nchildren;

		if (open || was)
			fold__set(&s->fold, n, open);
		else
			s->table.selected = n->parent == UINT32_MAX
						    ? r->key
						    : cpu__rows(s)->nodes[n->parent].key;
		s->table.user_moved = true;
	}
	fold__layout(&s->fold, cpu__rows(s));
	return true;
}

static bool cpu__unfold_all(struct cpu_screen *s)
{
	const struct profile_rows *r = cpu__rows(s);

	if (!r)
		return true;
	if (!fold__clear(&s->fold))
		for (u32 i = 0; i < r->nrows && i < PROFILE_MAX_UNFOLDED; i++)
			fold__set_row(&s->fold, r->rows[i].key, true);
	fold__layout(&s->fold, r);
	return true;
}

/* --- grouping --- */

static bool cpu__set_groups(struct cpu_screen *s, u32 groups)
{
	if (!groups) {
		host__message(s->base.host, ROLE_WARN, "rows have to be grouped by one key at least");
		return true;
	}
	s->query.groups = groups;
	fold__clear(&s->fold);
	s->table.selected = 0;
	s->table.user_moved = false;
	return true;
}

static bool cpu__begin_adding(struct cpu_screen *s)
{
	char keys[200];

	host__message(s->base.host, ROLE_STRONG, "add to the grouping: %s",
		      cpu_group__keys(s->base.host, keys, sizeof(keys)));
	s->adding = true;
	return true;
}

/* The action after group-add; false when it is done as always. */
static bool cpu__add_group(struct cpu_screen *s, enum action a)
{
	u32 group = cpu_group__of_action(a);

	if (!s->adding)
		return false;
	s->adding = false;
	if (group)
		return cpu__set_groups(s, s->query.groups ^ group);
	/* Whoever changes their mind does not mean to leave the screen. */
	return a == ACTION_BACK || a == ACTION_GROUP_ADD;
}

static bool cpu__mode(struct profile_query *q)
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

static bool cpu__query_action(struct cpu_screen *s, enum action a)
{
	struct profile_query *q = &s->query;

	if (cpu_group__of_action(a))
		return cpu__set_groups(s, cpu_group__of_action(a));
	switch (a) {
	case ACTION_GROUP_NEXT: return cpu__set_groups(s, cpu_group__next(q->groups));
	case ACTION_GROUP_ADD: return cpu__begin_adding(s);
	case ACTION_WINDOW: q->window = (q->window + 1) % WINDOWS; return true;
	case ACTION_CALL_ORDER: q->callee_first = !q->callee_first; return true;
	case ACTION_INLINED: q->inlined = !q->inlined; return true;
	case ACTION_MODE: return cpu__mode(q);
	default: return false;
	}
}

static bool cpu__action(struct screen *base, enum action a)
{
	struct cpu_screen *s = (struct cpu_screen *)base;
	struct table_source src;

	if (cpu__add_group(s, a) || cpu__query_action(s, a))
		return true;
	if (a == ACTION_IDLE)
		return host__toggle_idle(base->host);
	if (!cpu__rows(s))
		return false;
	src = cpu__source(s);
	switch (a) {
	case ACTION_RIGHT: return cpu__fold(s, true);
	case ACTION_LEFT: return cpu__fold(s, false);
	case ACTION_UNFOLD_ALL: return cpu__unfold_all(s);
	case ACTION_DRILL: return cpu__drill(s);
	case ACTION_SEARCH_NEXT: return table__search(&s->table, &src, 1);
	case ACTION_SEARCH_PREVIOUS: return table__search(&s->table, &src, -1);
	default: return table__action(&s->table, &src, a);
	}
}

static void cpu__mouse(struct screen *base, const struct input *in)
{
	struct cpu_screen *s = (struct cpu_screen *)base;
	struct table_source src;

	s->adding = false;
	if (!cpu__rows(s))
		return;
	src = cpu__source(s);
	if (table__mouse(&s->table, &src, in) && in->mouse == MOUSE_DOUBLE)
		cpu__drill(s);
}

static bool cpu__search(struct screen *base, const char *text, int dir)
{
	struct cpu_screen *s = (struct cpu_screen *)base;
	struct table_source src;

	copy_str(s->table.search, sizeof(s->table.search), text);
	if (!cpu__rows(s))
		return false;
	src = cpu__source(s);
	return table__search(&s->table, &src, dir);
}

static void cpu__health(const struct screen *base, struct health *h)
{
	const struct cpu_screen *s = (const struct cpu_screen *)base;

	if (cpu__rows(s))
		h->truncated_pct = cpu__rows(s)->truncated_pct;
}

/* --- reports --- */

static void cpu__folded(const struct report *r,
			void (*emit)(void *ctx, const char *stack, u64 weight), void *ctx)
{
	const struct profile_rows *rows = container_of(r->rows, struct profile_rows, table);

	profile__folded(rows->snap, &rows->query, r->priv, emit, ctx);
}

static void report__fill(struct report *r, const struct frame *f, const struct profile_rows *rows,
			 const struct scope *scope)
{
	*r = (struct report){
		.view = "cpu",
		.seq = f->seq,
		.t0_ns = cpu__window_start(rows),
		.t1_ns = rows->snap->base.t1_ns,
		.scope = scope->text,
		.window = cpu__window_text(rows->query.window),
		.group = rows->grouping,
		.health = f->feeds[MODEL_PROFILE].health,
		.rows = &rows->table,
		.folded = cpu__folded,
		.priv = (void *)scope,
	};
	r->health.samples = rows->count;
	r->health.truncated_pct = rows->truncated_pct;
}

static bool cpu__report(struct screen *base, struct report *r)
{
	struct cpu_screen *s = (struct cpu_screen *)base;
	const struct scope *scope = s->asker.extra_scope ? s->asker.extra_scope
							 : host__scope(base->host);

	if (!cpu__rows(s) || !host__frame(base->host))
		return false;
	report__fill(r, host__frame(base->host), cpu__rows(s), scope);
	if (s->table.norder == cpu__rows(s)->nrows)
		r->order = s->table.order;
	return true;
}

static bool cpu__settled(const struct screen *base)
{
	return !profile_asker__busy(&((const struct cpu_screen *)base)->asker);
}

static const enum action cpu_hints[] = {ACTION_DRILL, ACTION_RIGHT,   ACTION_GROUP_NEXT,
					ACTION_WINDOW, ACTION_FILTER, ACTION_PICK_PROCESS,
					ACTION_PAUSE,  ACTION_SNAPSHOT, ACTION_NONE};

static const struct screen_ops cpu_screen_ops = {
	.section = "cpu",
	.free = cpu__free,
	.update = cpu__update,
	.draw = cpu__draw,
	.action = cpu__action,
	.mouse = cpu__mouse,
	.crumb = cpu__crumb,
	.selection = cpu__selection,
	.search = cpu__search,
	.exclude = cpu__exclude,
	.health = cpu__health,
	.report = cpu__report,
	.settled = cpu__settled,
	.hints = cpu_hints,
};

static struct cpu_screen *cpu__new(struct host *h, const struct profile_query *q)
{
	struct cpu_screen *s = xcalloc(1, sizeof(*s));

	s->base = (struct screen){.ops = &cpu_screen_ops, .host = h};
	s->query = *q;
	table__init(&s->table);
	profile_asker__init(&s->asker, h, s, cpu__ready);
	return s;
}

static void query__init(struct profile_query *q, const struct view_args *args,
			enum profile_window window)
{
	memset(q, 0, sizeof(*q));
	q->user = q->kernel = true;
	q->window = window;
	if (!args->group || !profile_groups__parse(args->group, &q->groups))
		q->groups = GROUP_BIT(GROUP_SYMBOL);
}

static struct screen *cpu__open(struct host *h, const struct view_args *args)
{
	struct profile_query q;

	query__init(&q, args, WINDOW_DECAY);
	return &cpu__new(h, &q)->base;
}

static int cpu__batch_report(const struct frame *f, const struct view_args *args,
			     const struct scope *scope, struct report *r)
{
	const struct profile_snap *snap = (const void *)f->snaps[MODEL_PROFILE];
	struct profile_query q;

	if (!snap)
		return -ENODATA;
	query__init(&q, args, WINDOW_LAST);
	report__fill(r, f, profile__query(snap, &q, scope), scope);
	return 0;
}

static void cpu__report_free(struct report *r)
{
	profile_rows__free(container_of(r->rows, struct profile_rows, table));
}

const struct view_ops view_cpu = {
	.name = "cpu",
	.title = "hot functions: where the CPUs' time goes",
	.models = 1u << MODEL_PROFILE,
	.feed = MODEL_PROFILE,
	.screens = "callers annotate",
	.terms = SCOPE_TERM_STACK,
	.groups = "symbol object comm pid tid cgroup cpu",
	.open = cpu__open,
	.report = cpu__batch_report,
	.report_free = cpu__report_free,
};
