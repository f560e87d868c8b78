// SPDX-License-Identifier: GPL-2.0-only
/* What came within a slow span, by time; each line unfolds to its stack. */
#include <stdio.h>

#include "models/asked.h"
#include "tui/views/measure.h"

struct timeline_screen {
	struct listing list;
	struct measure_timeline_query query;
	char name[80]; /* of the span, and how long it took */
};

static const struct timeline_screen *of(const struct listing *l)
{
	return container_of(l, struct timeline_screen, list);
}

static const struct measure_timeline_result *rows_of(const struct listing *l)
{
	return container_of(l->result, struct measure_timeline_result, base);
}

static struct query_result *run(const struct frame *f, const void *query, const struct scope *scope)
{
	const struct measure_timeline_query *q = query;

	return asked__timeline_of(f->snaps[measure__model(q->asked)], q);
}

static void timeline__headline(struct listing *l, struct headline *line)
{
	const struct measure_slow_entry *slow = l->result ? rows_of(l)->slow : NULL;

	headline__addf(line, ROLE_STRONG, "%s", of(l)->name);
	if (!slow)
		return;
	headline__addf(line, ROLE_TEXT, " · %u within", slow->s.nmoments);
	if (slow->s.dropped)
		headline__addf(line, ROLE_WARN, " · %u more found no room", slow->s.dropped);
	if (!measure__form(of(l)->query.asked)->of_task)
		headline__addf(line, ROLE_DIM, " · samples and states: of spans by thread or cpu");
}

static void timeline__empty(const struct listing *l, char *buf, size_t size)
{
	snprintf(buf, size, "it is not kept any more: of each 10 s the %u slowest are, for %u s",
		 MEASURE_MAX_SLOW, MEASURE_SLOW_S);
}

static enum role timeline__role(const struct listing *l, u32 row, u32 column)
{
	const struct measure_timeline_result *a = rows_of(l);
	const struct measure_timeline_row *r = &a->rows[row];

	if (!row || row + 1 == a->nrows)
		return ROLE_STRONG;
	if (!strcmp(l->result->table.columns[column].name, "since_ns"))
		return measure__time_role(r->since_ns);
	return r->m.kind == MOMENT_EVENT ? ROLE_TEXT : ROLE_DIM;
}

static void timeline__selection(const struct listing *l, struct listing_place at, char *buf, size_t size)
{
	const struct measure_timeline_row *r = &rows_of(l)->rows[at.row];

	if (at.node == UINT32_MAX)
		snprintf(buf, size, "%s %s  cpu %u  tid %u  %s", r->event, r->detail, r->m.cpu, r->m.tid, r->where);
	else
		snprintf(buf, size, "%s  %s", l->result->nodes[at.node].name,
			 l->result->nodes[at.node].object_name);
}

/* Of a fault, or of a pointer that an event has. */
static bool timeline__watched(const struct listing *l, u32 row, char *buf, size_t size)
{
	const struct measure_timeline_result *a = rows_of(l);
	const struct measure_moment *m = &a->rows[row].m;

	if (!a->slow || !m->is_address || !m->value)
		return false;
	snprintf(buf, size, "pid:%u:0x%llx", a->slow->s.who.tgid, (unsigned long long)m->value);
	return true;
}

static bool timeline__unfolds(const struct listing *l, u32 row)
{
	return rows_of(l)->rows[row].base.nframes != 0;
}

static void timeline__report(const struct query_result *base, const struct frame *f,
			     struct report *r)
{
	const struct measure_timeline_result *a =
		container_of(base, struct measure_timeline_result, base);

	slow__report(r, "timeline", "event", f, measure__model(a->measure), NULL);
	report__sum_number(r, "dropped", VALUE_COUNT, a->slow ? a->slow->s.dropped : 0);
}

static const struct listing_ops timeline_listing = {
	.ask = {.size = sizeof(struct measure_timeline_query), .model = MODEL_PAIRS, .run = run},
	LISTING_UNFOLDED(struct measure_timeline_query),
	.unfolds = timeline__unfolds,
	.watched = timeline__watched,
	.headline = timeline__headline,
	.events = true,
	.empty = timeline__empty,
	.cell_role = timeline__role,
	.drill = slow__drill,
	.selection = timeline__selection,
	.report = timeline__report,
};

static const struct screen_ops timeline_ops = {
	LISTING_SCREEN,
	.section = "slowest",
	.free = listing__free,
	.action = listing__action,
	.hints = (const enum action[]){ACTION_RIGHT, ACTION_UNFOLD_ALL, ACTION_BACK, ACTION_PAUSE,
				       ACTION_SNAPSHOT, ACTION_NONE},
};

struct screen *measure_timeline__open(struct host *h, const struct measure *m,
				      const struct measure_slow_entry *slow, const char *name)
{
	struct timeline_screen *s = xcalloc(1, sizeof(*s));
	char took[16];

	s->list.base = (struct screen){.ops = &timeline_ops, .host = h};
	s->query.asked = m;
	s->query.t_ns = slow->s.t_ns;
	s->query.ns = slow->s.ns;
	s->query.tid = slow->s.who.tid;
	format__ns(took, sizeof(took), slow->s.ns);
	snprintf(s->name, sizeof(s->name), "%s %u: %.40s %s", slow->s.who.comm, slow->s.who.tid, name, took);
	copy_str(s->list.narrowed, sizeof(s->list.narrowed), "timeline");
	listing__init(&s->list, h, &timeline_listing, &s->query);
	return &s->list.base;
}
