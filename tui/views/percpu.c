// SPDX-License-Identifier: GPL-2.0-only
/* A row for each CPU: where its time goes, and what it counts. Enter asks about what rows are sorted by. */
#include <stdio.h>

#include "models/percpu.h"
#include "models/windows.h"
#include "tui/views/listing.h"
#include "tui/views/window.h"

struct percpu_screen {
	struct listing list;
	struct percpu_query query;
};

static const struct percpu_result *result(const struct listing *l)
{
	return container_of(l->result, struct percpu_result, base);
}

QUERY_RUN(percpu__run, percpu__query, MODEL_PERCPU)

/* --- what it says --- */

/* What the table is sorted by; PERCPU_FIGURES: it is none of them. */
static enum percpu_figure sorted_by(const struct listing *l)
{
	const struct row_table *t = &l->result->table;
	const char *name = l->table.sort < t->ncolumns ? t->columns[l->table.sort].name : NULL;

	for (u32 i = 0; name && i < PERCPU_FIGURES; i++) {
		size_t len = strlen(percpu_rows[i].name);

		if (!strncmp(name, percpu_rows[i].name, len) &&
		    (!strcmp(name + len, "_pct") || !strcmp(name + len, "_rate")))
			return i;
	}
	return PERCPU_FIGURES;
}

static void percpu__headline(struct listing *l, struct headline *line)
{
	const struct percpu_query *q = &container_of(l, struct percpu_screen, list)->query;
	enum percpu_figure f = l->result ? sorted_by(l) : PERCPU_FIGURES;

	headline__addf(line, ROLE_STRONG, "by cpu");
	headline__addf(line, ROLE_DIM, " · %s", window__text(q->window));
	if (!l->result)
		return;
	headline__addf(line, ROLE_TEXT, " · %u CPUs", result(l)->nrows);
	if (f < PERCPU_FIGURES && *percpu_rows[f].question)
		headline__addf(line, ROLE_DIM, " · Enter: more about %s", percpu_rows[f].title);
	else
		headline__addf(line, ROLE_DIM, " · sort by a column (>), then Enter asks about it");
}

static void percpu__empty(const struct listing *l, char *buf, size_t size)
{
	static const struct feed_words words = {"to counters of CPUs", "look at CPUs", "looking at CPUs"};

	if (!listing__waiting(l, &words, buf, size))
		snprintf(buf, size, "nothing is known of any CPU yet");
}

static enum role percpu__role(const struct listing *l, u32 row, u32 column)
{
	const struct row_table *t = &l->result->table;
	struct value v;

	if (!t->cell(t, row, column, &v))
		return ROLE_TEXT;
	if ((v.type == VALUE_COUNT && !v.u) || (v.type == VALUE_PCT && v.f < 0.05))
		return ROLE_DIM;
	if (v.type == VALUE_PCT && !strcmp(t->columns[column].name, "steal_pct"))
		return v.f >= 10 ? ROLE_HOT : v.f >= 1 ? ROLE_WARM : ROLE_TEXT;
	return ROLE_TEXT;
}

static void percpu__selection(const struct listing *l, struct listing_place at, char *buf, size_t size)
{
	const struct percpu_cpu *r = &result(l)->rows[at.row];
	size_t len = (size_t)snprintf(buf, size, "CPU %u", r->cpu);

	for (u32 i = 0; i < PERCPU_FIGURES && len < size; i++)
		if (percpu_rows[i].from == PERCPU_FROM_VECTOR && r->n[i])
			len += (size_t)snprintf(buf + len, size - len, "  %s %llu", percpu_rows[i].title,
						(unsigned long long)r->n[i]);
}

/* --- drills --- */

static bool percpu__drill(struct listing *l, struct listing_place at)
{
	enum percpu_figure f = sorted_by(l);
	char question[200];

	if (f == PERCPU_FIGURES || !*percpu_rows[f].question) {
		host__message(l->base.host, ROLE_WARN,
			      "sort by a column that counts events (>, or :sort NAME): Enter asks about it");
		return true;
	}
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral" /* of samples/percpu.def: one %u */
	snprintf(question, sizeof(question), percpu_rows[f].question, result(l)->rows[at.row].cpu);
#pragma GCC diagnostic pop
	host__question(l->base.host, question);
	return true;
}

/* --- the screen --- */

static void percpu__report(const struct query_result *base, const struct frame *f, struct report *r)
{
	const struct percpu_result *a = container_of(base, struct percpu_result, base);

	r->view = "percpu";
	r->window = window__text(a->query.window);
	r->group = "cpu";
	r->health = f->feeds[MODEL_PERCPU].health;
	for (u32 i = 0; i < PERCPU_FIGURES; i++)
		if (percpu_rows[i].from != PERCPU_FROM_TIME)
			report__sum_number(r, percpu_rows[i].name, VALUE_COUNT, a->n[i]);
	report__sum_number(r, "window_ns", VALUE_NS, base->window_ns);
}

static const struct listing_ops percpu_listing = {
	.ask = {.size = sizeof(struct percpu_query), .model = MODEL_PERCPU, .run = percpu__run},
	.at.window = LISTING_AT(struct percpu_query, window),
	.headline = percpu__headline,
	.empty = percpu__empty,
	.cell_role = percpu__role,
	.drill = percpu__drill,
	.selection = percpu__selection,
	.report = percpu__report,
};

static const struct screen_ops percpu_ops = {
	LISTING_SCREEN,
	.section = "counters",
	.models = 1ULL << MODEL_PERCPU,
	.free = listing__free,
	.action = listing__action,
	.hints = (const enum action[]){ACTION_DRILL, ACTION_SORT_NEXT, ACTION_WINDOW, ACTION_BACK,
				       ACTION_PAUSE, ACTION_SNAPSHOT, ACTION_NONE},
};

static const struct listing_view percpu_view = {
	LISTING_VIEW(struct percpu_screen, &percpu_ops, &percpu_listing),
	.window = WINDOW_DECAY,
	.pane = "percpu",
};

const struct view_ops view_percpu = {
	.name = "percpu",
	.title = "each CPU: its time, switches, faults, interrupts, softirqs, packets, requests",
	.models = 1ULL << MODEL_PERCPU,
	.feed = MODEL_PERCPU,
	.groups = "",
	LISTING_VIEW_OPS(&percpu_view),
};
