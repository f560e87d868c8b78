// SPDX-License-Identifier: GPL-2.0-only
/* The slowest of a measure, one by one, each with its stack. */
#include <stdio.h>

#include "base/columns.h"
#include "models/measure_columns.h"
#include "models/slow_rows.h"
#include "models/stack_terms.h"
#include "models/task_text.h"

#define ROW	   struct measure_slow_row
#define OF(member) VIA(ROW, slow), NUMBER_AT(struct measure_slow_entry, s.member)

static const struct field fields[] = {
	{TIME_COLUMN("total_ns", "Took", 7, 0, COLUMN_BOTH, "from its begin to its end"), OF(ns)},
	{TIME_COLUMN("ago_ns", "Ago", 7, 2, COLUMN_BOTH | COLUMN_ASCENDING, "since it ended"),
	 VIA(ROW, slow), AGO_AT(struct measure_slow_entry, s.t_ns)},
	{TEXT_COLUMN("process", "PID", 7, 1, COLUMN_SCREEN, "whose it is"), TEXT_AT(ROW, pid_text)},
	{TEXT_COLUMN("comm", "Command", 15, 1, COLUMN_BOTH, "name of the thread"), VIA(ROW, slow),
	 CHARS_AT(struct measure_slow_entry, s.who.comm)},
	THREAD_NAME_FIELD(ROW, base.thread_name, 0),
	{TEXT_COLUMN("text", "What", 24, 0, COLUMN_BOTH | COLUMN_KEY | COLUMN_FLEX,
		     "what it was, with its arguments and its result"),
	 TEXT_AT(ROW, name)},
	{TEXT_COLUMN("symbol", "in", 20, 4, COLUMN_SCREEN, "where it was begun"),
	 TEXT_AT(ROW, caller)},
	{TIME_COLUMN("t_ns", "t_ns", 7, 0, COLUMN_EXPORT, "when it ended, CLOCK_MONOTONIC"),
	 OF(t_ns)},
	{ID_COLUMN("pid", "process id"), OF(who.tgid)},
	{ID_COLUMN("tid", "thread id"), OF(who.tid)},
	{ID_COLUMN("cpu", "where it ended"), OF(cpu)},
	{EXPORT_COLUMN(VALUE_TEXT, "cgroup", "cgroup v2 of the process"), TEXT_AT(ROW, cgroup)},
};

static const struct field stack_field = {EXPORT_COLUMN(VALUE_STACK, "stack", "where it was begun"),
					 MADE_BY(slow_row__stack)};

static const struct field timeline_fields[] = {
	{EXPORT_COLUMN(VALUE_LIST, "timeline", "what came within it, by time"),
	 MADE_BY(measure__timeline_value)},
	{EXPORT_COLUMN(VALUE_COUNT, "timeline_dropped", "so many more came that there was no room for"),
	 OF(dropped)},
};

/* The fields of all, one for each own label, the stack, and of questions what came within; returns how many. */
static u32 make_fields(const struct measure *m, struct field *out)
{
	u32 own = measure__own_labels(m), n = ARRAY_SIZE(fields);

	memcpy(out, fields, sizeof(fields));
	for (u32 i = 0; i < own; i++)
		out[n++] = (struct field){
			EXPORT_COLUMN(VALUE_TEXT, m->labels[i].name, m->labels[i].help),
			.kind = FIELD_TEXT,
			.at = (u16)(offsetof(ROW, labels) + i * sizeof(const char *))};
	out[n++] = stack_field;
	if (m->asked) {
		memcpy(out + n, timeline_fields, sizeof(timeline_fields));
		n += ARRAY_SIZE(timeline_fields);
	}
	return n;
}

static bool passes(const struct measure_slow_entry *e, const struct measure *m,
		   const struct measure_slow_query *q, const struct scope *scope)
{
	const struct measure_slow_sample *s = &e->s;

	return !(q->working && s->waits) && heat_range__has(&q->range, s->t_ns, s->ns) &&
	       measure__passes(m, &q->narrow, e->keys) &&
	       measure__in_scope(m, scope, &s->who, e->keys) && slow__passes(scope, s->ns);
}

/* What sets it apart from others of its question, of which the first label is the pair; numbers with their names. */
static const char *keys_text(struct arena *arena, const struct measure *m, const struct measure_slow_entry *e)
{
	char buf[256] = "";
	size_t len = 0;

	for (u32 i = 1; m->asked && i < MIN(m->nlabels, (u32)MEASURE_OWN_LABELS) && len < sizeof(buf); i++)
		if (m->labels[i].kind == LABEL_NAMED && e->keys[i].text && *e->keys[i].text)
			len += (size_t)snprintf(buf + len, sizeof(buf) - len, "%s%s%s%s", len ? "  " : "",
						m->labels[i].number ? m->labels[i].name : "",
						m->labels[i].number ? " " : "", e->keys[i].text);
	return len ? arena__strdup(arena, buf) : NULL;
}

static const char *name_of(struct arena *arena, const struct measure *m, const struct measure_slow_entry *e)
{
	const char *keys = *e->s.text ? e->s.text : keys_text(arena, m, e);

	return keys ? keys : e->keys[0].text;
}

static void fill_row(struct query_result *a, struct measure_slow_row *r,
		     const struct measure_slow_entry *e, const struct measure *m, const struct symbols *symbols)
{
	slow_row__init(&r->base, a, symbols,
		       mix64_pair(mix64_pair(e->s.t_ns, e->s.ns), e->s.who.tid), e->stack, NULL);
	r->base.thread_name =
		task__thread_name(&a->arena, e->s.who.tgid, e->s.who.tid, e->s.who.process_ns);
	r->slow = e;
	r->pid_text = task__id_text(&a->arena, e->s.who.tgid);
	r->name = name_of(&a->arena, m, e);
	r->cgroup = task__cgroup_text(&a->arena, e->s.who.cgroup);
	r->caller = stack__caller(e->stack, symbols);
	for (u32 i = 0; i < MEASURE_OWN_LABELS; i++)
		r->labels[i] = e->keys[i].text && *e->keys[i].text ? e->keys[i].text : NULL;
}

struct measure_slow_result *measure__slow(const struct measure_snap *snap,
					  const struct measure_slow_query *q,
					  const struct scope *scope)
{
	struct measure_slow_result *a =
		query_result__new(sizeof(*a), &snap->base, snap->symbols, snap->since_ns);
	struct measure_slow_row *rows =
		arena__array(&a->base.arena, struct measure_slow_row, snap->nslow);
	struct field *all = arena__array(&a->base.arena, struct field,
					 ARRAY_SIZE(fields) + MEASURE_OWN_LABELS + 1 +
						 ARRAY_SIZE(timeline_fields));
	struct stack_terms stacks;

	a->query = *q;
	a->measure = snap->measure;
	a->rows = rows;
	stack_terms__init(&stacks, &a->base.arena, snap->symbols, scope);
	for (u32 i = 0; i < snap->nslow; i++)
		if (passes(&snap->slow[i], snap->measure, q, scope) &&
		    stack_terms__pass(&stacks, snap->slow[i].stack))
			fill_row(&a->base, &rows[a->nrows++], &snap->slow[i], snap->measure, snap->symbols);
	query_result__table(&a->base, all, make_fields(snap->measure, all), rows, a->nrows,
			    sizeof(*rows), 1, 0, "total_ns");
	slow_rows__unfold(&a->base, q->unfolded, q->nunfolded, "no stack");
	a->base.unresolved |= stack_terms__pending(&stacks);
	stack_terms__fini(&stacks);
	return a;
}
