// SPDX-License-Identifier: GPL-2.0-only
/* Butterfly: who calls a function, the function itself, whom it calls; each with its share. */
#include "tui/views/cpu_callers.h"

#include <stdio.h>

#include "base/arena.h"
#include "tui/views/code_role.h"
#include "tui/views/window.h"
#include "widgets/paragraph.h"
#include "widgets/spark.h"

u32 callers__lines(const struct callers_screen *s)
{
	const struct profile_rows *r = s->rows;

	return r->ncallers + 1 + r->ncallees;
}

struct line_id callers__line(const struct callers_screen *s, u32 line,
			     const struct butterfly_row **row)
{
	const struct profile_rows *r = s->rows;

	*row = NULL;
	if (line < r->ncallers) {
		*row = &r->callers[line];
		return (struct line_id){LINE_CALLER, (*row)->func};
	}
	if (line == r->ncallers)
		return (struct line_id){LINE_FOCUS, s->query.focus};
	*row = &r->callees[line - r->ncallers - 1];
	return (struct line_id){LINE_CALLEE, (*row)->func};
}

/* Falls back to the focus when the selected line is gone. */
static u32 selected_line(const struct callers_screen *s)
{
	const struct butterfly_row *row;

	for (u32 i = 0; i < callers__lines(s); i++) {
		struct line_id id = callers__line(s, i, &row);

		if (id.kind == s->selected.kind && id.func == s->selected.func)
			return i;
	}
	return s->rows->ncallers;
}

static void select_line(struct callers_screen *s, s64 line)
{
	const struct butterfly_row *row;

	line = CLAMP(line, 0, (s64)callers__lines(s) - 1);
	s->selected = callers__line(s, (u32)line, &row);
}

static void callers__ready(void *owner, struct query_result *result)
{
	struct callers_screen *s = owner;

	profile_rows__free(s->rows);
	s->rows = container_of(result, struct profile_rows, base);
	host__redraw(s->base.host);
}

static const struct query_client_ops callers_ask = {
	.size = sizeof(struct profile_query), .model = MODEL_PROFILE, .run = cpu__run};

static void callers__update(struct screen *base)
{
	struct callers_screen *s = (struct callers_screen *)base;

	query_client__ask(&s->query_client, &s->query);
}

static void callers__free(struct screen *base)
{
	struct callers_screen *s = (struct callers_screen *)base;

	query_client__fini(&s->query_client);
	profile_rows__free(s->rows);
	free(s);
}

static const struct sym_func *func_of(const struct callers_screen *s, u32 func)
{
	return symbols__func(host__symbols(s->base.host), func);
}

const char *callers__line_name(const struct callers_screen *s, const struct butterfly_row *b)
{
	return b ? b->name : func_of(s, s->query.focus)->name;
}

static bool matches(const struct callers_screen *s, const char *name)
{
	return s->search[0] && strcasestr(name, s->search);
}

static enum role name_role(const struct callers_screen *s, const struct butterfly_row *b)
{
	if (matches(s, b->name))
		return ROLE_MATCH;
	return b->func ? code__role(func_of(s, b->func)->kind, false) : ROLE_DIM;
}

/* "  43.2%  12.10%  ████▌   name   object" */
static void draw_line(const struct callers_screen *s, struct canvas *c, struct rect r,
		      const struct butterfly_row *b)
{
	int bar = r.w >= 60 ? 12 : 0, object = r.w >= 60 ? 20 : 0;
	char text[16];
	int x = r.x;

	format__pct(text, sizeof(text), b->share);
	draw__right(c, x, r.y, 7, b->share >= 50 ? ROLE_HOT : ROLE_TEXT, text);
	format__pct(text, sizeof(text), b->pct);
	draw__right(c, x + 8, r.y, 7, ROLE_DIM, text);
	x += 17;
	bar__draw(c, x, r.y, bar, ROLE_BAR, b->share / 100);
	x += bar ? bar + 1 : 0;
	draw__middle(c, x, r.y, r.w - (x - r.x) - object, name_role(s, b), b->name);
	draw__middle(c, r.x + r.w - object + 1, r.y, object - 1, ROLE_DIM, b->object_name);
}

static void draw_focus(const struct callers_screen *s, struct canvas *c, struct rect r)
{
	const struct profile_rows *rows = s->rows;
	char self[16], total[16];
	int x;

	format__pct(self, sizeof(self), rows->focus_self_pct);
	format__pct(total, sizeof(total), rows->focus_total_pct);
	draw__fill(c, r, ROLE_BORDER, L'─');
	x = r.x + draw__text(c, r.x, r.y, r.w, ROLE_TITLE, c->ascii ? "=> " : "━▶ ");
	x += draw__middle(c, x, r.y, MAX(r.w - 34, 8), ROLE_TITLE, func_of(s, s->query.focus)->name);
	draw__textf(c, x, r.y, r.w - (x - r.x), ROLE_STRONG, "  self %s%%  total %s%% ", self, total);
}

static void callers__body(struct callers_screen *s, struct canvas *c, struct rect r)
{
	u32 cursor = selected_line(s), n = callers__lines(s), h = (u32)r.h;

	if (cursor < s->top)
		s->top = cursor;
	if (cursor >= s->top + h)
		s->top = cursor - h + 1;
	if (s->top + h > n)
		s->top = n > h ? n - h : 0;
	for (u32 i = s->top; i < n && i < s->top + h; i++) {
		const struct butterfly_row *row;
		struct line_id id = callers__line(s, i, &row);
		struct rect line = {r.x, r.y + (int)(i - s->top), r.w, 1};

		if (id.kind == LINE_FOCUS)
			draw_focus(s, c, line);
		else
			draw_line(s, c, line, row);
		if (i == cursor)
			draw__select(c, line.x, line.y, line.w);
	}
	s->body = r;
}

static void callers__draw(struct screen *base, struct canvas *c, struct rect area)
{
	struct callers_screen *s = (struct callers_screen *)base;
	char key[16];

	if (area.h < 3)
		return;
	draw__textf(c, area.x, area.y, area.w, ROLE_DIM,
		    "callers above, callees below; %s: the function's code, another's callers",
		    host__key(base->host, ACTION_DRILL, key, sizeof(key)));
	draw__textf(c, area.x, area.y + 1, area.w, ROLE_HEADER, "%7s %7s%s", "share%", "all%",
		    "  function");
	if (!s->rows) {
		draw__text(c, area.x + 1, area.y + 3, area.w, ROLE_TEXT, "looking ...");
		return;
	}
	callers__body(s, c, (struct rect){area.x, area.y + 2, area.w, area.h - 2});
}

/* The next line whose function's name has the text, and around. */
static bool find(struct callers_screen *s, int dir)
{
	u32 n = callers__lines(s), line = selected_line(s);
	const struct butterfly_row *b;

	for (u32 i = 0; i < n; i++) {
		line = (line + (dir > 0 ? 1 : n - 1)) % n;
		callers__line(s, line, &b);
		if (matches(s, callers__line_name(s, b))) {
			select_line(s, line);
			return true;
		}
	}
	return false;
}

static bool callers__search(struct screen *base, const char *text, int dir)
{
	struct callers_screen *s = (struct callers_screen *)base;

	copy_str(s->search, sizeof(s->search), text);
	return s->rows && find(s, dir);
}

static bool callers__drill(struct callers_screen *s)
{
	struct host *h = s->base.host;
	const struct scope *extra = s->query_client.extra_scope;

	if (s->selected.kind == LINE_FOCUS)
		host__push(h, cpu_annotate__open(h, &s->query, s->query.focus, extra));
	else if (s->selected.func)
		host__push(h, cpu_callers__open(h, &s->query, s->selected.func, extra));
	else
		host__message(h, ROLE_WARN, "no function is known here");
	return true;
}

static bool callers__action(struct screen *base, enum action a)
{
	struct callers_screen *s = (struct callers_screen *)base;
	s64 line;

	if (!s->rows)
		return a == ACTION_DRILL;
	line = selected_line(s);
	switch (a) {
	case ACTION_UP: select_line(s, line - 1); return true;
	case ACTION_DOWN: select_line(s, line + 1); return true;
	case ACTION_PAGE_UP: select_line(s, line - s->body.h); return true;
	case ACTION_PAGE_DOWN: select_line(s, line + s->body.h); return true;
	case ACTION_HOME: select_line(s, 0); return true;
	case ACTION_END: select_line(s, INT32_MAX); return true;
	case ACTION_SEARCH_NEXT: return find(s, 1);
	case ACTION_SEARCH_PREVIOUS: return find(s, -1);
	case ACTION_WINDOW: return window__next(s->base.host, &s->query.window);
	case ACTION_DRILL: return callers__drill(s);
	default: return false;
	}
}

static int callers__choose(struct screen *base, enum choice what, const char *value,
			   struct status *st)
{
	struct callers_screen *s = (struct callers_screen *)base;

	return what == CHOICE_WINDOW ? window__set(&s->query.window, value, st) : -ENOTSUP;
}

static void callers__mouse(struct screen *base, const struct input *in)
{
	struct callers_screen *s = (struct callers_screen *)base;

	if (!s->rows)
		return;
	if (in->mouse == MOUSE_WHEEL_UP || in->mouse == MOUSE_WHEEL_DOWN) {
		select_line(s, (s64)selected_line(s) + (in->mouse == MOUSE_WHEEL_UP ? -3 : 3));
		return;
	}
	if (in->y < s->body.y || in->y >= s->body.y + s->body.h)
		return;
	select_line(s, (s64)s->top + in->y - s->body.y);
	if (in->mouse == MOUSE_DOUBLE)
		callers__drill(s);
}

static void callers__crumb(const struct screen *base, char *buf, size_t size)
{
	const struct callers_screen *s = (const struct callers_screen *)base;
	const struct scope *extra = s->query_client.extra_scope;

	snprintf(buf, size, "callers of %s%s%s", func_of(s, s->query.focus)->name,
		 extra ? " in " : "", extra ? extra->text : "");
}

static void callers__selection(const struct screen *base, char *buf, size_t size)
{
	const struct callers_screen *s = (const struct callers_screen *)base;
	const struct symbols *symbols = host__symbols(base->host);
	const struct sym_func *f = func_of(s, s->selected.func);
	const struct sym_object *o = symbols__object(symbols, f->object);

	snprintf(buf, size, "%s  %s", f->name, *o->path ? o->path : o->name);
}

static bool callers__settled(const struct screen *base)
{
	return !query_client__busy(&((const struct callers_screen *)base)->query_client);
}

static u32 callers__function(const struct screen *base)
{
	return ((const struct callers_screen *)base)->selected.func;
}

static const struct scope *callers__scope(const struct screen *base)
{
	return ((const struct callers_screen *)base)->query_client.extra_scope;
}

static const enum action callers_hints[] = {ACTION_DRILL, ACTION_BACK, ACTION_WINDOW,
					    ACTION_PAUSE, ACTION_TIME, ACTION_NONE};

static const struct screen_ops callers_ops = {
	.section = "callers",
	.free = callers__free,
	.update = callers__update,
	.draw = callers__draw,
	.action = callers__action,
	.choose = callers__choose,
	.mouse = callers__mouse,
	.crumb = callers__crumb,
	.scope = callers__scope,
	.selection = callers__selection,
	.search = callers__search,
	.function = callers__function,
	.report = callers__report,
	.settled = callers__settled,
	.hints = callers_hints,
};

struct screen *cpu_callers__open(struct host *h, const struct profile_query *q, u32 func,
				 const struct scope *extra)
{
	struct callers_screen *s = xcalloc(1, sizeof(*s));

	s->base = (struct screen){.ops = &callers_ops, .host = h};
	s->query = *q;
	s->query.groups = GROUP_BIT(GROUP_SYMBOL);
	s->query.nunfolded = 0;
	memset(s->query.unfolded, 0, sizeof(s->query.unfolded));
	s->query.focus = func;
	s->selected = (struct line_id){LINE_FOCUS, func};
	query_client__init(&s->query_client, h, &callers_ask, s, callers__ready);
	s->query_client.extra_scope = extra ? scope__get(extra) : NULL;
	return &s->base;
}
