// SPDX-License-Identifier: GPL-2.0-only
#include "tui/views/slow.h"

#include <stdio.h>

#include "base/arena.h"

static const struct slow_screen *screen_of(const struct listing *l)
{
	return container_of(l, struct slow_screen, list);
}

static bool is_picked(const struct listing *l)
{
	return heat_range__is_set(&((const struct slow_query *)screen_of(l)->query)->range);
}

bool slow__drill(struct listing *l, struct listing_place at)
{
	u64 key = l->result->table.key(&l->result->table, at.row);
	bool fold = at.node == UINT32_MAX && fold__row_open(&l->fold, key);

	return listing__action(&l->base, fold ? ACTION_LEFT : ACTION_RIGHT);
}

u32 slow__function(const struct listing *l, u32 row)
{
	return slow_rows__function(l->result, row);
}

void slow__headline(struct listing *l, struct headline *line)
{
	const struct slow_words *w = screen_of(l)->words;
	u32 n = l->result ? l->result->table.nrows : 0;

	if (is_picked(l)) {
		heat_pick__headline(&screen_of(l)->pick, l, n, w->what, line);
		return;
	}
	headline__addf(line, ROLE_STRONG, "%s %u s", w->title, w->seconds);
	if (l->result)
		headline__addf(line, ROLE_DIM, " · %u%s", n, w->counted);
	headline__addf(line, ROLE_DIM, " · %s", w->hint);
}

void slow__empty(const struct listing *l, char *buf, size_t size)
{
	const struct slow_words *w = screen_of(l)->words;

	if (w->waiting(l, buf, size))
		return;
	if (is_picked(l))
		snprintf(buf, size,
			 "none of these %s is kept: of each 10 s the %u slowest are, for %u s",
			 w->what, w->max, w->seconds);
	else
		snprintf(buf, size, "%s %u s", w->none, w->seconds);
}

void slow__selection(const struct listing *l, struct listing_place at, char *buf, size_t size)
{
	if (at.node == UINT32_MAX)
		screen_of(l)->words->describe(l, at.row, buf, size);
	else
		snprintf(buf, size, "%s  %s", l->result->nodes[at.node].name,
			 l->result->nodes[at.node].object_name);
}

struct slow_screen *slow_screen__new(struct host *h, const struct screen_ops *screen,
				     const struct listing_ops *ops, const struct slow_words *words,
				     const void *query, const struct heat_pick *pick,
				     const char *narrowed, const struct scope *extra)
{
	struct slow_screen *s = xcalloc(1, sizeof(*s));

	s->list.base = (struct screen){.ops = screen, .host = h};
	s->words = words;
	s->query = xmalloc(ops->ask.size);
	memcpy(s->query, query, ops->ask.size);
	if (pick) {
		s->pick = *pick;
		((struct slow_query *)s->query)->range = pick->range;
		copy_str(s->list.narrowed, sizeof(s->list.narrowed), "cell");
	} else {
		snprintf(s->list.narrowed, sizeof(s->list.narrowed), "slowest%s%s",
			 *narrowed ? " " : "", narrowed);
	}
	listing__init(&s->list, h, ops, s->query);
	s->list.query_client.extra_scope = extra ? scope__get(extra) : NULL;
	return s;
}

void slow_screen__free(struct screen *base)
{
	struct slow_screen *s = (struct slow_screen *)base;

	listing__fini(&s->list);
	free(s->query);
	free(s);
}

static void slow__events(const struct report *r, const struct event_sink *out)
{
	out->put(out->ctx, r->rows, r->rows_form);
}

void slow__report(struct report *r, const char *view, const char *group, const struct frame *f,
		  enum model_id model, const struct event_form *form)
{
	r->events = form ? slow__events : NULL;
	r->rows_form = form;
	r->view = view;
	r->window = "last minute";
	r->group = group;
	r->health = f->feeds[model].health;
}
