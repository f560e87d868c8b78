// SPDX-License-Identifier: GPL-2.0-only
/* What came within a span: events, samples, faults, and what its thread or its CPU did, by time. */
#include <inttypes.h>
#include <stdio.h>

#include "base/columns.h"
#include "models/measure_columns.h"
#include "models/task_text.h"

#define ROW	   struct measure_timeline_row
#define OF(member) NUMBER_AT(ROW, m.member)

static const char *const kind_names[MOMENT_KINDS] = {
	[MOMENT_EVENT] = "event", [MOMENT_SAMPLE] = "sample", [MOMENT_FAULT] = "fault",
	[MOMENT_OUT] = "out",	  [MOMENT_WAKEUP] = "wakeup", [MOMENT_IN] = "in",
};

static const char *const kind_texts[MOMENT_KINDS] = {
	[MOMENT_EVENT] = "",	     [MOMENT_SAMPLE] = "runs",	   [MOMENT_FAULT] = "page fault",
	[MOMENT_OUT] = "leaves CPU", [MOMENT_WAKEUP] = "is woken", [MOMENT_IN] = "gets CPU",
};

/* --- values --- */

/* Task states as /proc has them; the kernel's bits. */
static const char *state_text(u64 state)
{
	if (!state)
		return "preempted";
	if (state & 1)
		return "sleeps (S)";
	if (state & 2)
		return state & 0x400 ? "idles (I)" : "uninterruptible (D)";
	return state & 0xc ? "stopped (T)" : "ends";
}

static const char *event_detail(const struct measure_moment *m, char *buf, size_t size)
{
	if (!*m->field)
		return "";
	if (m->is_address)
		snprintf(buf, size, "%s 0x%" PRIx64, m->field, m->value);
	else if (m->is_signed)
		snprintf(buf, size, "%s %" PRId64, m->field, (s64)m->value);
	else
		snprintf(buf, size, "%s %" PRIu64, m->field, m->value);
	return buf;
}

/* The last of that kind before v[i], of the same thread; NULL: there is none. */
static const struct measure_moment *last_of(const struct measure_moment_entry *v, u32 i,
					    enum measure_moment_kind kind)
{
	for (u32 k = i; k-- > 0;)
		if (v[k].m.kind == (u32)kind && v[k].m.tid == v[i].m.tid)
			return &v[k].m;
	return NULL;
}

/* Of a thread that gets a CPU: for how long it had none, and how much of that it could have run. */
static void fill_off(struct measure_timeline_row *r, const struct measure_moment_entry *v, u32 i)
{
	const struct measure_moment *out = last_of(v, i, MOMENT_OUT);
	const struct measure_moment *woken = last_of(v, i, MOMENT_WAKEUP);

	if (v[i].m.kind != MOMENT_IN || !out)
		return;
	r->off_ns = v[i].m.t_ns - out->t_ns;
	if (!out->value)
		woken = out;
	if (woken && woken->t_ns >= out->t_ns)
		r->queue_ns = v[i].m.t_ns - woken->t_ns;
}

static const char *detail(const struct measure_moment *m, char *buf, size_t size)
{
	switch (m->kind) {
	case MOMENT_OUT:
		return state_text(m->value);
	case MOMENT_WAKEUP:
		snprintf(buf, size, "by %" PRIu64, m->value);
		return m->value ? buf : "by an interrupt";
	default:
		return event_detail(m, buf, size);
	}
}

/* --- as a value --- */

enum { MEMBER_TIME, MEMBER_KIND, MEMBER_EVENT, MEMBER_CPU, MEMBER_TID, MEMBER_VALUE, MEMBER_STACK, MEMBERS };

/* What a list's items are of. */
struct timeline_item {
	struct slow_row base;
	struct measure_moment m;
};

static void member_part(const void *of, u32 i, struct value_part *out)
{
	static const char *const names[MEMBERS] = {"t_ns", "kind", "event", "cpu", "tid", "value", "stack"};
	const struct timeline_item *item = of;
	const u64 numbers[MEMBERS] = {[MEMBER_TIME] = item->m.t_ns,
				      [MEMBER_CPU] = item->m.cpu,
				      [MEMBER_TID] = item->m.tid,
				      [MEMBER_VALUE] = item->m.value};

	out->name = names[i];
	out->value = (struct value){.type = VALUE_COUNT, .u = numbers[i]};
	if (i == MEMBER_KIND)
		out->value = (struct value){.type = VALUE_TEXT, .s = kind_names[item->m.kind]};
	else if (i == MEMBER_EVENT)
		out->value = *item->m.event ? (struct value){.type = VALUE_TEXT, .s = item->m.event}
					    : (struct value){0};
	else if (i == MEMBER_VALUE && !*item->m.field)
		out->value = (struct value){0};
	else if (i == MEMBER_VALUE && item->m.is_signed && (s64)item->m.value < 0)
		out->value = (struct value){.type = VALUE_CHANGE, .n = VALUE_COUNT, .i = (s64)item->m.value};
	else if (i == MEMBER_STACK) {
		out->value.type = VALUE_STACK;
		slow_row__stack(NULL, item, &out->value);
	}
}

static void item_part(const void *of, u32 i, struct value_part *out)
{
	const struct timeline_item *items = of;

	out->value = (struct value){.type = VALUE_OBJECT, .n = MEMBERS, .of = &items[i], .part = member_part};
}

void measure__timeline_value(const struct query_result *a, const void *row, struct value *out)
{
	const struct measure_slow_row *r = row;
	const struct measure_slow_entry *e = r->slow;
	struct timeline_item *items;

	if (!e->s.timed) {
		*out = (struct value){0};
		return;
	}
	items = arena__array(&((struct query_result *)a)->arena, struct timeline_item, e->s.nmoments);
	for (u32 i = 0; i < e->s.nmoments; i++) {
		slow_row__init(&items[i].base, (struct query_result *)a, r->base.symbols, i, e->moments[i].stack, NULL);
		items[i].m = e->moments[i].m;
	}
	*out = (struct value){.type = VALUE_LIST, .n = e->s.nmoments, .of = items, .part = item_part};
}

/* --- the screen's table --- */

static const struct field fields[] = {
	{TIME_COLUMN("at_ns", "At", 7, 0, COLUMN_BOTH | COLUMN_ASCENDING, "since the span began"),
	 NUMBER_AT(ROW, at_ns)},
	{TIME_COLUMN("since_ns", "Since", 7, 2, COLUMN_BOTH, "since what came before it"),
	 NUMBER_AT(ROW, since_ns)},
	{TEXT_COLUMN("event", "Event", 20, 0, COLUMN_BOTH | COLUMN_KEY | COLUMN_FLEX, "what came"),
	 TEXT_AT(ROW, event)},
	{TEXT_COLUMN("detail", "Detail", 20, 1, COLUMN_BOTH, "its value, or the state that it leaves in"),
	 TEXT_AT(ROW, detail)},
	{TIME_COLUMN("off_ns", "Off CPU", 7, 1, COLUMN_BOTH, "for so long the thread had no CPU"),
	 NUMBER_AT(ROW, off_ns), UNLESS_0(ROW, off_ns)},
	{TIME_COLUMN("runq_ns", "Run queue", 9, 4, COLUMN_BOTH, "part of it: it could have run"),
	 NUMBER_AT(ROW, queue_ns), UNLESS_0(ROW, off_ns)},
	{COUNT_COLUMN("cpu", "CPU", 4, 3, COLUMN_BOTH | COLUMN_ASCENDING, "where it came"), OF(cpu)},
	{TEXT_COLUMN("thread", "TID", 7, 3, COLUMN_SCREEN, "of which thread"), TEXT_AT(ROW, tid_text)},
	{TEXT_COLUMN("symbol", "in", 20, 2, COLUMN_SCREEN, "the function of it"), TEXT_AT(ROW, where)},
	{TIME_COLUMN("t_ns", "t_ns", 7, 0, COLUMN_EXPORT, "when it came, CLOCK_MONOTONIC"), OF(t_ns)},
	{EXPORT_COLUMN(VALUE_TEXT, "kind", "event, sample, fault, out, wakeup or in"),
	 NAMED_AT(ROW, m.kind, kind_names)},
	{ID_COLUMN("tid", "thread id"), OF(tid)},
	{EXPORT_COLUMN(VALUE_STACK, "stack", "where it was"), MADE_BY(slow_row__stack)},
};

static const struct measure_slow_entry *find(const struct measure_snap *snap,
					     const struct measure_timeline_query *q)
{
	for (u32 i = 0; i < snap->nslow; i++)
		if (snap->slow[i].s.t_ns == q->t_ns && snap->slow[i].s.ns == q->ns &&
		    snap->slow[i].s.who.tid == q->tid)
			return &snap->slow[i];
	return NULL;
}

/* Of samples the leaf. */
static const char *where(const struct measure_moment_entry *e, const struct symbols *symbols)
{
	if (e->m.kind == MOMENT_SAMPLE && callstack__nlocs(e->stack))
		return frame__text(symbols, e->stack->locs[0]).name;
	return stack__where(e->stack, symbols);
}

static void fill_row(struct measure_timeline_result *a, struct measure_timeline_row *r, u32 i,
		     const struct symbols *symbols)
{
	const struct measure_moment_entry *e = &a->slow->moments[i];
	struct arena *arena = &a->base.arena;
	char buf[80];

	slow_row__init(&r->base, &a->base, symbols, mix64_pair(e->m.t_ns, i), e->stack, NULL);
	r->m = e->m;
	r->event = *e->m.event ? e->m.event : kind_texts[e->m.kind];
	r->detail = arena__strdup(arena, detail(&e->m, buf, sizeof(buf)));
	fill_off(r, a->slow->moments, i);
	r->where = where(e, symbols);
}

/* The span's begin, or its end. */
static void fill_edge(struct measure_timeline_result *a, struct measure_timeline_row *r, u64 t_ns,
		      const char *event, const struct symbols *symbols)
{
	slow_row__init(&r->base, &a->base, symbols, t_ns, NULL, NULL);
	r->m = (struct measure_moment){
		.t_ns = t_ns, .tid = a->slow->s.who.tid, .cpu = a->slow->s.cpu, .event = event, .field = ""};
	r->event = event;
	r->detail = r->where = "";
}

static void fill_rows(struct measure_timeline_result *a, const struct symbols *symbols)
{
	u64 begin_ns = a->slow->s.t_ns - a->slow->s.ns, last_ns = begin_ns;
	struct measure_timeline_row *rows;

	a->nrows = a->slow->s.nmoments + 2;
	a->rows = rows = arena__array(&a->base.arena, struct measure_timeline_row, a->nrows);
	fill_edge(a, &rows[0], begin_ns, "begins", symbols);
	for (u32 i = 0; i < a->slow->s.nmoments; i++)
		fill_row(a, &rows[i + 1], i, symbols);
	fill_edge(a, &rows[a->nrows - 1], a->slow->s.t_ns, "ends", symbols);
	for (u32 i = 0; i < a->nrows; i++) {
		rows[i].at_ns = rows[i].m.t_ns - begin_ns;
		rows[i].since_ns = rows[i].m.t_ns - last_ns;
		rows[i].tid_text = task__id_text(&a->base.arena, rows[i].m.tid);
		last_ns = rows[i].m.t_ns;
	}
}

struct measure_timeline_result *measure__timeline(const struct measure_snap *snap,
						  const struct measure_timeline_query *q)
{
	struct measure_timeline_result *a =
		query_result__new(sizeof(*a), &snap->base, snap->symbols, snap->since_ns);

	a->query = *q;
	a->measure = snap->measure;
	a->slow = find(snap, q);
	if (a->slow)
		fill_rows(a, snap->symbols);
	query_result__table(&a->base, fields, ARRAY_SIZE(fields), a->rows, a->nrows, sizeof(*a->rows), 1, 0, "at_ns");
	slow_rows__unfold(&a->base, q->unfolded, q->nunfolded, "no stack");
	return a;
}
