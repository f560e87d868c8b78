// SPDX-License-Identifier: GPL-2.0-only
/* The screen: a tree of boxes, zoomed and searched while it goes on changing. */
#include "tui/views/flame.h"

#include <stdio.h>

#include "base/arena.h"
#include "models/flame_rows.h"
#include "models/waits.h"
#include "tui/views/window.h"
#include "widgets/paragraph.h"

/* Rows of what a zoom is in that stay in sight. */
#define ROWS_ABOVE 2

static struct flame_screen *of(struct screen *base)
{
	return container_of(base, struct flame_screen, base);
}

static const struct flame_node *node(const struct flame_screen *s, u32 i)
{
	return &s->result->nodes[i];
}

/* --- asking --- */

static struct query_result *flame__run(const struct frame *f, const void *query,
				       const struct scope *scope)
{
	return &flame__query(f, query, scope)->base;
}

static struct query_result *compare(const struct query_client_ops *ops, const struct frame *now,
				    const struct frame *baseline, const void *query,
				    const struct scope *scope)
{
	return &flame__compare(now, baseline, query, scope)->base;
}

static void select_node(struct flame_screen *s, u32 i)
{
	flame_path__to(&s->selected, s->result, i);
	s->follow = true;
	flame__resolve(s);
}

static void seek(struct flame_screen *s)
{
	u32 found = flame__widest_match(s);

	s->seek = false;
	if (found != FLAME_NO_BOX)
		select_node(s, found);
	else if (s->result->wrong[0])
		host__message(s->base.host, ROLE_WARN, "%s", s->result->wrong);
	else if (s->result->query.search[0])
		host__message(s->base.host, ROLE_WARN, "no function here matches \"%s\"",
			      s->result->query.search);
}

static void flame__ready(void *owner, struct query_result *result)
{
	struct flame_screen *s = owner;
	bool sought = s->seek;

	flame_rows__free(s->rows);
	s->rows = NULL;
	query_result__free(s->result ? &s->result->base : NULL);
	s->result = container_of(result, struct flame_result, base);
	flame__resolve(s);
	if (sought && !strcmp(s->result->query.search, s->query.search))
		seek(s);
	host__redraw(s->base.host);
}

/* Since when the same function has been selected: only then its source line is looked for. */
static void note_function(struct flame_screen *s)
{
	const struct frame *f = host__frame(s->base.host);
	u32 func = s->result ? flame__frame(s->result, s->graph.selected)->func : 0;

	if (func == s->asked_func || !f)
		return;
	s->asked_func = func;
	s->asked_func_seq = f->seq;
}

static void flame__update(struct screen *base)
{
	struct flame_screen *s = of(base);

	query_client__ask(&s->query_client, &s->query);
	note_function(s);
}

/* --- drawing --- */

/* Which depths are shown: all, or such that the selection is among them. */
static void scroll(struct flame_screen *s, const struct canvas *c)
{
	u32 deepest = flame__depth(&s->graph, c, s->area.w), h = (u32)s->area.h;
	u32 depth = node(s, s->graph.selected)->depth;
	u32 last = deepest >= h ? deepest - h + 1 : 0;

	if (s->follow && depth < s->graph.first)
		s->graph.first = depth;
	if (s->follow && depth >= s->graph.first + h)
		s->graph.first = depth - h + 1;
	s->graph.first = MIN(s->graph.first, MAX(last, depth >= h ? depth - h + 1 : 0));
	s->follow = false;
}

static void flame__draw_screen(struct screen *base, struct canvas *c, struct rect area)
{
	struct flame_screen *s = of(base);
	char text[700];

	s->area = (struct rect){area.x, area.y + 1, area.w, MAX(area.h - 1, 0)};
	s->edges = c->edges;
	s->ascii = c->ascii;
	if (!s->result || !flame_node__width(s->result, &s->result->nodes[0])) {
		flame__headline(s, c, (struct rect){area.x, area.y, area.w, 1});
		flame__empty(s, text, sizeof(text));
		draw__paragraph(c, (struct rect){area.x + 1, area.y + 2, area.w - 2, area.h - 2},
				ROLE_TEXT, text);
		return;
	}
	scroll(s, c);
	s->hidden = flame__draw(&s->graph, c, s->area);
	flame__headline(s, c, (struct rect){area.x, area.y, area.w, 1});
}

/* --- moving --- */

static bool is_inside(const struct flame_screen *s, u32 inner, u32 outer)
{
	return inner >= outer && inner < node(s, outer)->end;
}

static void to_parent(struct flame_screen *s)
{
	u32 parent = node(s, s->graph.selected)->parent;

	if (parent != UINT32_MAX)
		select_node(s, parent);
}

/* Towards the zoom while one is below it, then always where most is. */
static void to_child(struct flame_screen *s)
{
	u32 i = s->graph.selected, zoom = s->graph.zoom;

	if (i != zoom && is_inside(s, zoom, i)) {
		for (i++; !is_inside(s, zoom, i);)
			i = node(s, i)->end;
		select_node(s, i);
	} else {
		select_node(s, flame__widest(&s->graph, i));
	}
}

/* Up and down are where they are on the screen. */
static void vertical(struct flame_screen *s, bool up)
{
	if (up == s->graph.icicle)
		to_parent(s);
	else
		to_child(s);
}

static void sideways(struct flame_screen *s, int dir)
{
	struct canvas c = flame__canvas(s);

	select_node(s, flame__beside(&s->graph, &c, s->area.w, s->graph.selected, dir));
}

static void to_end(struct flame_screen *s)
{
	u32 i = s->graph.selected, next;

	while ((next = flame__widest(&s->graph, i)) != i)
		i = next;
	select_node(s, i);
}

static void page(struct flame_screen *s, bool up)
{
	for (int i = 0; i < MAX(s->area.h - 1, 1); i++)
		vertical(s, up);
}

/* --- zooming --- */

static void zoom_to(struct flame_screen *s, u32 i)
{
	u32 depth = node(s, i)->depth, before = node(s, s->graph.zoom)->depth;

	if (depth > before && s->nzooms < ARRAY_SIZE(s->zooms))
		s->zooms[s->nzooms++] = (u16)before;
	while (depth < before && s->nzooms && s->zooms[s->nzooms - 1] >= depth)
		s->nzooms--;
	flame_path__to(&s->zoom, s->result, i);
	select_node(s, i);
	s->graph.first = depth > ROWS_ABOVE ? depth - ROWS_ABOVE : 0;
}

/* False when there is nothing to go back to. */
static bool zoom_back(struct flame_screen *s)
{
	if (!s->zoom.n)
		return false;
	s->zoom.n = s->nzooms ? s->zooms[--s->nzooms] : 0;
	s->follow = true;
	flame__resolve(s);
	return true;
}

/* --- what is asked for --- */

/* Other paths: one's place is lost. */
static bool other_tree(struct flame_screen *s, bool *option)
{
	*option = !*option;
	s->zoom.n = s->selected.n = s->nzooms = 0;
	s->graph.first = 0;
	return true;
}

static const struct screen_ops half_ops, hot_cold_ops;

static bool hot_cold(struct flame_screen *s)
{
	const struct flame_source *other = flame_source__other_half(s->query.parts[0].source);
	enum time_window w = flame_query__window(&s->query);
	struct flame_part *part = &s->query.parts[1];

	if (!other) {
		host__message(s->base.host, ROLE_WARN,
			      "on and off the CPU in one graph: in the views cpu and offcpu");
		return true;
	}
	memset(part, 0, sizeof(*part));
	s->query.nparts = s->query.nparts > 1 ? 1 : 2;
	s->base.ops = s->query.nparts > 1 ? &hot_cold_ops : &half_ops;
	if (s->query.nparts > 1) {
		part->source = other;
		other->init(part->query);
		flame_query__set_window(&s->query, w);
	}
	return true;
}

static bool next_window(struct flame_screen *s)
{
	const char *always = s->query.parts[0].source->always;

	if (always)
		host__message(s->base.host, ROLE_WARN, "this is always of the %s", always);
	flame_query__set_window(&s->query, (flame_query__window(&s->query) + 1) % WINDOWS);
	return true;
}

/* As wide as now, or as in the baseline. */
static bool other_widths(struct flame_screen *s)
{
	char key[16];

	if (!host__baseline(s->base.host)) {
		host__message(s->base.host, ROLE_WARN, "there is no baseline; %s sets it",
			      host__key(s->base.host, ACTION_BASELINE, key, sizeof(key)));
		return true;
	}
	s->query.by_baseline = !s->query.by_baseline;
	host__message(s->base.host, ROLE_OK,
		      s->query.by_baseline ? "boxes are as wide as they were in the baseline"
					   : "boxes are as wide as they are now");
	return true;
}

/* Who waits idly, where there are waits; else the idle task. */
static bool idle(struct flame_screen *s)
{
	for (u32 i = 0; i < s->query.nparts; i++) {
		struct waits_query *q = (struct waits_query *)s->query.parts[i].query;

		if (s->query.parts[i].source != &flame_waits)
			continue;
		q->idle = !q->idle;
		host__message(s->base.host, ROLE_OK,
			      q->idle ? "idle waits are shown too" : "idle waits are left out");
		return true;
	}
	return s->query.parts[0].source == &flame_profile && host__toggle_idle(s->base.host);
}

static bool option(struct flame_screen *s, enum action a)
{
	switch (a) {
	case ACTION_WINDOW:
		return next_window(s);
	case ACTION_LEAF_FIRST:
		return other_tree(s, &s->query.leaf_first);
	case ACTION_BY_COMM:
		return other_tree(s, &s->query.by_comm);
	case ACTION_INLINED:
		s->query.inlined = !s->query.inlined;
		return true;
	case ACTION_HOT_COLD:
		return hot_cold(s);
	case ACTION_IDLE:
		return idle(s);
	case ACTION_THEN:
		return other_widths(s);
	case ACTION_ICICLE:
		s->graph.icicle = !s->graph.icicle;
		return true;
	default:
		return false;
	}
}

static bool next_match(struct flame_screen *s, int dir)
{
	u32 found = s->query.search[0] ? flame__next_match(s, dir) : FLAME_NO_BOX;

	if (found != FLAME_NO_BOX)
		select_node(s, found);
	return found != FLAME_NO_BOX;
}

static bool move(struct flame_screen *s, enum action a)
{
	switch (a) {
	case ACTION_UP:
		vertical(s, true);
		return true;
	case ACTION_DOWN:
		vertical(s, false);
		return true;
	case ACTION_LEFT:
		sideways(s, -1);
		return true;
	case ACTION_RIGHT:
		sideways(s, 1);
		return true;
	case ACTION_PAGE_UP:
		page(s, true);
		return true;
	case ACTION_PAGE_DOWN:
		page(s, false);
		return true;
	case ACTION_HOME:
		select_node(s, s->graph.zoom);
		return true;
	case ACTION_END:
		to_end(s);
		return true;
	case ACTION_DRILL:
		zoom_to(s, s->graph.selected);
		return true;
	case ACTION_SEARCH_NEXT:
		return next_match(s, 1);
	case ACTION_SEARCH_PREVIOUS:
		return next_match(s, -1);
	default:
		return false;
	}
}

static bool flame__action(struct screen *base, enum action a)
{
	struct flame_screen *s = of(base);

	if (a == ACTION_FLAME) {
		host__pop(base->host);
		return true;
	}
	if (a == ACTION_BACK)
		return zoom_back(s);
	return option(s, a) || (s->result && move(s, a));
}

static int flame__choose(struct screen *base, enum choice what, const char *value, struct status *st)
{
	enum time_window w = flame_query__window(&of(base)->query);
	int err = what == CHOICE_WINDOW ? window__set(&w, value, st) : -ENOTSUP;

	if (!err)
		flame_query__set_window(&of(base)->query, w);
	return err;
}

static void flame__mouse(struct screen *base, const struct input *in)
{
	struct flame_screen *s = of(base);
	struct canvas c = flame__canvas(s);
	u32 at;

	if (!s->result)
		return;
	if (in->mouse == MOUSE_WHEEL_UP || in->mouse == MOUSE_WHEEL_DOWN) {
		vertical(s, in->mouse == MOUSE_WHEEL_UP);
		return;
	}
	at = flame__at(&s->graph, &c, s->area, in->x, in->y);
	if (at != FLAME_NO_BOX)
		zoom_to(s, at);
}

static bool flame__search(struct screen *base, const char *text, int dir)
{
	struct flame_screen *s = of(base);

	memset(s->query.search, 0, sizeof(s->query.search));
	copy_str(s->query.search, sizeof(s->query.search), text);
	s->seek = true;
	return true;
}

/* --- the screen --- */

static void flame__crumb(const struct screen *base, char *buf, size_t size)
{
	const struct flame_screen *s = (const struct flame_screen *)base;

	snprintf(buf, size, "flame graph%s%s", s->graph.zoom ? " of " : "",
		 s->graph.zoom && s->result ? flame__frame(s->result, s->graph.zoom)->name : "");
}

static void flame__health(const struct screen *base, struct health *h)
{
	const struct flame_screen *s = (const struct flame_screen *)base;

	if (s->result)
		h->truncated_pct = s->result->truncated_pct;
}

static bool flame__settled(const struct screen *base)
{
	return !query_client__busy(&((const struct flame_screen *)base)->query_client);
}

static void flame__free(struct screen *base)
{
	struct flame_screen *s = of(base);

	query_client__fini(&s->query_client);
	flame_rows__free(s->rows);
	query_result__free(s->result ? &s->result->base : NULL);
	free(s);
}

static u32 flame__function(const struct screen *base)
{
	const struct flame_screen *s = (const struct flame_screen *)base;

	return s->result ? flame__frame(s->result, s->graph.selected)->func : 0;
}

static const struct scope *flame__scope(const struct screen *base)
{
	return ((const struct flame_screen *)base)->query_client.extra_scope;
}

#define FLAME_SCREEN(...)                                                                          \
	.section = "flame", .free = flame__free, .update = flame__update,                          \
	.draw = flame__draw_screen, .action = flame__action, .mouse = flame__mouse,                \
	.choose = flame__choose, .scope = flame__scope, .crumb = flame__crumb,                     \
	.selection = flame__selection, .health = flame__health, .search = flame__search,           \
	.function = flame__function, .report = flame__screen_report, .settled = flame__settled,    \
	.hints = (const enum action[])                                                             \
	{                                                                                          \
		ACTION_DRILL, ACTION_BACK, ACTION_SEARCH, ACTION_ICICLE, ACTION_LEAF_FIRST,        \
			__VA_ARGS__ ACTION_WINDOW, ACTION_PAUSE, ACTION_TIME, ACTION_SNAPSHOT,     \
			ACTION_NONE                                                                \
	}

/* Of what has no other half. */
static const struct screen_ops flame_ops = {FLAME_SCREEN()};
static const struct screen_ops half_ops = {FLAME_SCREEN(ACTION_HOT_COLD, )};
static const struct screen_ops hot_cold_ops = {
	FLAME_SCREEN(ACTION_HOT_COLD, ),
	.models = 1ULL << MODEL_PROFILE | 1ULL << MODEL_WAITS,
};

struct screen *flame__open(struct host *h, const struct flame_source *source, const void *query,
			   const struct scope *scope)
{
	struct flame_screen *s = xcalloc(1, sizeof(*s));

	s->base = (struct screen){.ops = &flame_ops, .host = h};
	if (flame_source__other_half(source))
		s->base.ops = &half_ops;
	s->ask = (struct query_client_ops){
		.size = sizeof(s->query), .model = source->model, .run = flame__run};
	flame_query__init(&s->query, source, query);
	snprintf(s->view, sizeof(s->view), "%s-flame", source->view);
	query_client__init(&s->query_client, h, &s->ask, s, flame__ready);
	s->query_client.compare = compare;
	s->query_client.extra_scope = scope ? scope__get(scope) : NULL;
	return &s->base;
}
