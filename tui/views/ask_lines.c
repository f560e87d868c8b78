// SPDX-License-Identifier: GPL-2.0-only
/* Lines of a list that is asked for. */
#include "tui/views/ask_lines.h"

#include <stdio.h>

#include "models/asked.h"
#include "models/windows.h"
#include "tui/views/burst_strip.h"
#include "tui/views/listing.h"
#include "tui/views/window.h"

struct lines_screen {
	struct listing list;
	struct ask_lines_query query;
};

LISTING_OF(of, struct lines_screen, rows_of, struct ask_lines_result)

static struct query_result *run(const struct frame *f, const void *query, const struct scope *scope)
{
	return asked__lines_of(f->snaps[MODEL_EVENTS], query, scope);
}

static void lines__headline(struct listing *l, struct headline *line)
{
	headline__addf(line, ROLE_STRONG, "%.60s", of(l)->query.asked->name);
	if (!l->result)
		return;
	headline__addf(line, ROLE_TEXT, " · %u %s", rows_of(l)->nrows,
		       measure__form(of(l)->query.asked)->lists == ASK_SLOTS ? "slots" : "lines");
	if (rows_of(l)->dropped)
		headline__addf(line, ROLE_WARN, " · %llu more were dropped",
			       (unsigned long long)rows_of(l)->dropped);
}

static void lines__empty(const struct listing *l, char *buf, size_t size)
{
	static const struct feed_words words = {"to the events of questions", "answer",
						"listening to the events of questions"};

	if (!listing__waiting(l, &words, buf, size))
		snprintf(buf, size, "none of the events that are asked for came");
}

static enum role lines__role(const struct listing *l, u32 row, u32 column)
{
	const struct ask_line *line = rows_of(l)->rows[row].line;

	return (l->result->table.columns[column].flags & COLUMN_KEY) && line->who.kthread
		       ? ROLE_KERNEL
		       : ROLE_TEXT;
}

static void lines__selection(const struct listing *l, struct listing_place at, char *buf,
			     size_t size)
{
	ask_line__describe(&rows_of(l)->rows[at.row], buf, size);
}

static void lines__report(const struct query_result *base, const struct frame *f, struct report *r)
{
	const struct ask_lines_result *a = container_of(base, struct ask_lines_result, base);

	r->view = "events";
	r->window = window__text(a->query.window);
	r->group = "as asked";
	r->health = f->feeds[MODEL_EVENTS].health;
	report__sum_number(r, "count", VALUE_COUNT, a->nrows);
	report__sum_number(r, "dropped", VALUE_COUNT, a->dropped);
	report__sum_number(r, "window_ns", VALUE_NS, base->window_ns);
}

static const struct ask_line_row *row_at(const struct listing *l, u32 row)
{
	return &rows_of(l)->rows[row];
}

static int lines__above(struct listing *l, struct canvas *c, struct rect area)
{
	return burst_strip__draw(l, measure__form(of(l)->query.asked), row_at, c, area);
}

/* --- Enter: only lines that have a value of this one --- */

#define TERMS_MAX (ASK_FIELDS + 3)

struct line_terms {
	const struct measure *measure;
	u32 n;
	struct line_term {
		char what[ASK_LABEL_NAME], value[128];
		bool is_text;
	} v[TERMS_MAX];
};

static void add_term(struct line_terms *t, const char *what, const char *value, bool is_text)
{
	struct line_term *new = &t->v[t->n++];

	copy_str(new->what, sizeof(new->what), what);
	copy_str(new->value, sizeof(new->value), value);
	new->is_text = is_text;
}

static void add_field(struct line_terms *t, const struct ask_field *f, const struct value *v)
{
	char number[24];

	if (v->type != VALUE_TEXT)
		snprintf(number, sizeof(number), v->type == VALUE_CHANGE ? "%lld" : "%llu",
			 (unsigned long long)v->u);
	add_term(t, f->name, v->type == VALUE_TEXT ? v->s : number, f->type == ASK_FIELD_TEXT);
}

static bool is_field(const struct ask_form *f, const char *name)
{
	for (u32 i = 0; i < f->nfields; i++)
		if (!strcmp(f->fields[i].name, name))
			return true;
	return false;
}

/* Where the event has a field of that name, the thread's own is current->NAME. */
static void add_task(struct line_terms *t, const struct ask_form *f, const char *name, const char *value, bool is_text)
{
	char what[32];

	snprintf(what, sizeof(what), "%s%s", is_field(f, name) ? "current->" : "", name);
	if (!is_field(f, what))
		add_term(t, what, value, is_text);
}

static struct line_terms *terms_of(const struct ask_line_row *r, const struct measure *m)
{
	const struct ask_form *f = measure__form(m);
	struct line_terms *t = xcalloc(1, sizeof(*t));

	t->measure = m;
	for (u32 i = 0; i < f->nfields; i++)
		if (r->line->has & 1u << i)
			add_field(t, &f->fields[i], &r->values[i]);
	add_task(t, f, "comm", r->line->who.comm, true);
	add_task(t, f, "pid", r->pid_text + strspn(r->pid_text, " "), false);
	add_task(t, f, "tid", r->tid_text + strspn(r->tid_text, " "), false);
	return t;
}

static void narrow(struct host *h, void *ctx, u32 value)
{
	const struct line_terms *t = ctx;

	host__narrow_question(h, t->measure, t->v[value].what, t->v[value].value, t->v[value].is_text);
}

static bool lines__drill(struct listing *l, struct listing_place at)
{
	const struct measure *m = of(l)->query.asked;
	char text[TERMS_MAX][ASK_LABEL_NAME + 140];
	struct menu_item items[TERMS_MAX];
	struct line_terms *t;

	if (measure__form(m)->lists == ASK_SLOTS)
		return false;
	t = terms_of(&rows_of(l)->rows[at.row], m);
	for (u32 i = 0; i < t->n; i++) {
		snprintf(text[i], sizeof(text[i]), "%s == %s", t->v[i].what, t->v[i].value);
		items[i] = (struct menu_item){text[i], NULL, i};
	}
	host__menu(l->base.host, "from now on only lines with", items, t->n, narrow, t);
	return true;
}

static const struct listing_ops lines_listing = {
	.ask = {.size = sizeof(struct ask_lines_query), .model = MODEL_EVENTS, .run = run},
	LISTING_UNFOLDED(struct ask_lines_query),
	.at.window = LISTING_AT(struct ask_lines_query, window),
	.headline = lines__headline,
	.events = true,
	.above = lines__above,
	.empty = lines__empty,
	.cell_role = lines__role,
	.drill = lines__drill,
	.selection = lines__selection,
	.report = lines__report,
};

static const struct measure *lines__question(const struct screen *s)
{
	return of((const struct listing *)s)->query.asked;
}

static const struct screen_ops lines_screen_ops = {
	LISTING_SCREEN,
	.section = "slowest",
	.free = listing__free,
	.action = listing__action,
	.question = lines__question,
	.hints = (const enum action[]){ACTION_DRILL, ACTION_RIGHT, ACTION_UNFOLD_ALL, ACTION_FILTER,
				       ACTION_WINDOW, ACTION_BACK, ACTION_PAUSE, ACTION_NONE},
};

struct screen *ask_lines__open(struct host *h, const struct measure *m, enum time_window window)
{
	struct lines_screen *s = xcalloc(1, sizeof(*s));

	s->list.base = (struct screen){.ops = &lines_screen_ops, .host = h};
	s->query.asked = m;
	s->query.window = window;
	listing__init(&s->list, h, &lines_listing, &s->query);
	return &s->list.base;
}
