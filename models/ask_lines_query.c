// SPDX-License-Identifier: GPL-2.0-only
/* The lines of a list as rows. */
#include <inttypes.h>
#include <stdio.h>

#include "base/columns.h"
#include "models/ask_lines_impl.h"
#include "models/stack_terms.h"
#include "models/task_text.h"

#define ROW	   struct ask_line_row
#define OF(member) VIA(ROW, line), NUMBER_AT(struct ask_line, member)

static const struct field first_fields[] = {
	{EXPORT_COLUMN(VALUE_TEXT, "ask", "the question that the row answers"), TEXT_AT(ROW, ask)},
	{TIME_COLUMN("ago_ns", "Ago", 7, 0, COLUMN_SCREEN | COLUMN_ASCENDING,
		     "since the event, to the end of the interval"),
	 VIA(ROW, line), AGO_AT(struct ask_line, t_ns)},
	{TIME_COLUMN("t_ns", "t_ns", 7, 0, COLUMN_EXPORT | COLUMN_ASCENDING,
		     "when it came, CLOCK_MONOTONIC"),
	 OF(t_ns)},
};

/* On screen where there are several. */
static const struct field event_field = {TEXT_COLUMN("event", "Event", 16, 1, COLUMN_EXPORT, "which event it is"),
					 TEXT_AT(ROW, event)};

/* Where a field of the event has the name, they are called as the language calls them. */
static const struct known {
	const char *else_name;
	struct field field;
} known_fields[] = {
	{"current->pid", {ID_COLUMN("pid", "process id"), OF(who.tgid)}},
	{"current->tid", {ID_COLUMN("tid", "thread id"), OF(who.tid)}},
	{"current->comm",
	 {TEXT_COLUMN("comm", "Command", 15, 1, COLUMN_BOTH, "name of the thread"), VIA(ROW, line),
	  CHARS_AT(struct ask_line, who.comm)}},
	{"current->cpu", {ID_COLUMN("cpu", "where it came"), OF(cpu)}},
	{"current->cgroup",
	 {EXPORT_COLUMN(VALUE_TEXT, "cgroup", "cgroup v2 of the process"), TEXT_AT(ROW, cgroup)}},
};

static const struct field screen_fields[] = {
	{TEXT_COLUMN("process", "PID", 7, 1, COLUMN_SCREEN, "whose it is"), TEXT_AT(ROW, pid_text)},
	{TEXT_COLUMN("thread", "TID", 7, 5, COLUMN_SCREEN, "thread id"), TEXT_AT(ROW, tid_text)},
};

static const struct field last_fields[] = {
	{EXPORT_COLUMN(VALUE_COUNT, "lost_before",
		       "so many before it, on its CPU, that there was no room for"),
	 OF(lost)},
};

static const struct field stack_fields[] = {
	{TEXT_COLUMN("symbol", "in", 20, 4, COLUMN_SCREEN, "where it came"), TEXT_AT(ROW, caller)},
	{EXPORT_COLUMN(VALUE_STACK, "stack", "where it came"), MADE_BY(slow_row__stack)},
};

/* Of a slot that a timer ended. */
static const struct field sampled_fields[] = {
	{TEXT_COLUMN("comm", "Command", 15, 1, COLUMN_BOTH, "who had the CPU when its stack was taken"),
	 VIA(ROW, line), CHARS_AT(struct ask_line, who.comm), UNLESS_0(struct ask_line, who.comm[0])},
};

#define FIELDS_MAX (32 + 2 * ASK_FIELDS)

static bool is_taken(const struct ask_form *f, const char *name)
{
	for (u32 i = 0; i < f->nfields; i++)
		if (!strcmp(f->fields[i].name, name))
			return true;
	return false;
}

static u32 add_known(const struct ask_form *f, struct field *out)
{
	u32 n = 0;

	for (u32 i = 0; i < ARRAY_SIZE(known_fields); i++) {
		out[n] = known_fields[i].field;
		if (is_taken(f, out[n].column.name))
			out[n].column.name = known_fields[i].else_name;
		if (!is_taken(f, out[n].column.name))
			n++;
	}
	return n;
}

/* Where nobody asked for it: the event says which call it is. */
static bool says_nothing(const struct ask_form *f, const struct ask_field *of)
{
	return f->nfields > 1 && !strcmp(of->name, "__syscall_nr") && !strstr(f->text, of->name);
}

/* What it is called, in the place of the number on the screen. */
static struct field name_field(const struct ask_field *f, u32 i)
{
	struct field name = {TEXT_COLUMN(f->name, f->name, 20, 2, COLUMN_SCREEN | COLUMN_ASCENDING, "of the event"),
			     TEXT_AT(ROW, names)};

	name.at = (u16)(name.at + i * sizeof(const char *));
	return name;
}

static u32 add_values(const struct ask_form *f, struct field *out)
{
	u32 n = 0;

	for (u32 i = 0; i < f->nfields; i++) {
		bool text = f->fields[i].type == ASK_FIELD_TEXT ||
			    f->fields[i].type == ASK_FIELD_ADDRESS;
		bool hidden = says_nothing(f, &f->fields[i]);
		u32 where = f->fields[i].named || hidden ? COLUMN_EXPORT : COLUMN_BOTH;

		if (f->fields[i].named && !hidden)
			out[n++] = name_field(&f->fields[i], i);
		out[n++] = (struct field){
			COLUMN(text ? VALUE_TEXT : VALUE_COUNT, f->fields[i].name,
			       f->fields[i].name, text ? 15 : 10, 2,
			       where | (text ? COLUMN_ASCENDING : COLUMN_EXACT), "of the event"),
			.kind = FIELD_VALUE,
			.at = (u16)(offsetof(ROW, values) + i * sizeof(struct value)),
			.size = sizeof(struct value)};
	}
	return n;
}

static u32 append(struct field *out, const struct field *fields, u32 n)
{
	memcpy(out, fields, n * sizeof(*fields));
	return n;
}

static const struct field slot_fields[] = {
	{EXPORT_COLUMN(VALUE_TEXT, "ask", "the question that the row answers"), TEXT_AT(ROW, ask)},
	{TIME_COLUMN("ago_ns", "Ago", 7, 0, COLUMN_SCREEN | COLUMN_ASCENDING,
		     "since it began, to the end of the interval"),
	 VIA(ROW, line), AGO_AT(struct ask_line, t_ns)},
	{TIME_COLUMN("t_ns", "t_ns", 7, 0, COLUMN_EXPORT | COLUMN_ASCENDING,
		     "when the slot began, CLOCK_MONOTONIC"),
	 OF(t_ns)},
	{COUNT_COLUMN("cpu", "CPU", 4, 0, COLUMN_BOTH | COLUMN_ASCENDING, "on which CPU"), OF(cpu)},
	{COUNT_COLUMN("count", "Events", 8, 0, COLUMN_BOTH, "so many came in the slot"),
	 NUMBER_AT(ROW, count)},
};

/* Stacks unfold below the column that names rows: the first text of the event, else which it is. */
static void name_rows(struct field *fields, u32 n, const char *otherwise)
{
	struct field *of = NULL;

	for (u32 i = 0; i < n; i++)
		if (fields[i].kind == FIELD_VALUE && fields[i].column.type == VALUE_TEXT && !of)
			of = &fields[i];
	for (u32 i = 0; i < n && !of; i++)
		if (!strcmp(fields[i].column.name, otherwise))
			of = &fields[i];
	if (of)
		of->column.flags |= COLUMN_SCREEN | COLUMN_KEY | COLUMN_FLEX;
}

/* Events of one system would have the same title, cut. */
static void leave_out_systems(struct field *fields, u32 n)
{
	for (u32 i = 0; i < n; i++) {
		const char *colon = strrchr(fields[i].column.title, ':');

		if (colon && colon[1])
			fields[i].column.title = colon + 1;
		fields[i].column.width = (u8)MAX(fields[i].column.width, MIN(strlen(fields[i].column.title), (size_t)16));
	}
}

/* Of slots of time. */
static u32 make_slot_fields(const struct ask_form *f, struct field *out)
{
	u32 n = append(out, slot_fields, ARRAY_SIZE(slot_fields)), nvalues = add_values(f, out + n);

	leave_out_systems(out + n, nvalues);
	n += nvalues;
	if (f->has_stack) {
		n += append(out + n, sampled_fields, ARRAY_SIZE(sampled_fields));
		n += append(out + n, stack_fields, ARRAY_SIZE(stack_fields));
	}
	name_rows(out, n, "symbol");
	return n + append(out + n, last_fields, ARRAY_SIZE(last_fields));
}

static u32 make_fields(const struct ask_form *f, bool several, struct field *out)
{
	u32 n = append(out, first_fields, ARRAY_SIZE(first_fields));

	out[n] = event_field;
	out[n++].column.flags |= several ? COLUMN_SCREEN : 0;
	n += append(out + n, screen_fields, ARRAY_SIZE(screen_fields));
	n += add_known(f, out + n);
	n += add_values(f, out + n);
	if (f->has_stack)
		n += append(out + n, stack_fields, ARRAY_SIZE(stack_fields));
	name_rows(out, n, "event");
	return n + append(out + n, last_fields, ARRAY_SIZE(last_fields));
}

/* --- rows --- */

static struct value value_of(struct arena *arena, const struct ask_field *f,
			     const struct measure_key *k)
{
	char buf[24];

	switch (f->type) {
	case ASK_FIELD_TEXT:
		return (struct value){.type = VALUE_TEXT, .s = k->text};
	case ASK_FIELD_ADDRESS:
		snprintf(buf, sizeof(buf), "0x%" PRIx64, k->value);
		return (struct value){.type = VALUE_TEXT, .s = arena__strdup(arena, buf)};
	case ASK_FIELD_SIGNED:
		if ((s64)k->value < 0)
			return (struct value){
				.type = VALUE_CHANGE, .n = VALUE_COUNT, .i = (s64)k->value};
		break;
	default:
		break;
	}
	return (struct value){.type = VALUE_COUNT, .u = k->value};
}

static void fill_row(struct query_result *a, struct ask_line_row *r, const struct ask_line *l,
		     const struct ask_lines_snap *snap)
{
	const struct ask_form *f = measure__form(snap->measure);

	slow_row__init(&r->base, a, snap->symbols,
		       mix64_pair(mix64_pair(l->t_ns, l->cpu), l->who.tid), l->stack, NULL);
	r->line = l;
	r->form = f;
	r->ask = snap->measure->name;
	r->event = l->event;
	r->pid_text = task__id_text(&a->arena, l->who.tgid);
	r->tid_text = task__id_text(&a->arena, l->who.tid);
	r->cgroup = task__cgroup_text(&a->arena, l->who.cgroup);
	r->caller = stack__where(l->stack, snap->symbols);
	r->count = ask_line__count(l);
	for (u32 i = 0; i < f->nfields; i++)
		if (l->has & 1u << i)
			r->values[i] = value_of(&a->arena, &f->fields[i], &l->values[i]);
	for (u32 i = 0; i < f->nfields; i++)
		r->names[i] = l->has & 1u << i ? l->values[i].text : "";
}

static bool passes(const struct ask_line *l, const struct ask_lines_query *q,
		   const struct scope *scope, struct stack_terms *stacks)
{
	if (!heat_range__has(&q->range, l->t_ns, 0) || !stack_terms__pass(stacks, l->stack))
		return false;
	if (l->who.tgid == MEASURE_MANY)
		return true;
	return task__passes(scope, l->who.tgid, l->who.tid, l->who.cgroup, l->who.comm) &&
	       scope__thread(scope, l->who.kthread);
}

/* The chunk of the interval that ends with the snapshot is the last, if it is there. */
static u32 first_chunk(const struct ask_lines_snap *s, const struct ask_lines_query *q)
{
	if (q->window != WINDOW_LAST)
		return 0;
	return s->nchunks && s->chunks[s->nchunks - 1]->t1_ns == s->base.t1_ns ? s->nchunks - 1
									       : s->nchunks;
}

static int by_time_forward(const void *a, const void *b)
{
	u64 x = (*(const struct ask_line *const *)a)->t_ns,
	    y = (*(const struct ask_line *const *)b)->t_ns;

	return x < y ? -1 : x > y;
}

/* Those that pass, oldest first. */
static const struct ask_line **lines_of(const struct ask_lines_snap *s,
					const struct ask_lines_query *q, const struct scope *scope,
					struct query_result *a, u32 *n)
{
	u32 from = first_chunk(s, q), most = 0;
	const struct ask_line **out;
	struct stack_terms stacks;

	for (u32 i = from; i < s->nchunks; i++)
		most += s->chunks[i]->n;
	stack_terms__init(&stacks, &a->arena, s->symbols, scope);
	out = arena__array(&a->arena, const struct ask_line *, most + 1);
	*n = 0;
	for (u32 i = from; i < s->nchunks; i++)
		for (u32 k = 0; k < s->chunks[i]->n; k++)
			if (passes(&s->chunks[i]->lines[k], q, scope, &stacks))
				out[(*n)++] = &s->chunks[i]->lines[k];
	a->unresolved |= stack_terms__pending(&stacks);
	stack_terms__fini(&stacks);
	qsort(out, *n, sizeof(*out), by_time_forward);
	return out;
}

static int by_count(const void *a, const void *b)
{
	u64 x = ((const struct ask_line_row *)a)->count,
	    y = ((const struct ask_line_row *)b)->count;

	return x > y ? -1 : x < y;
}

static bool has_several(const struct ask_line *const *lines, u32 n)
{
	for (u32 i = 1; i < n; i++)
		if (strcmp(lines[i]->event, lines[0]->event))
			return true;
	return false;
}

struct ask_lines_result *ask_lines__query(const struct ask_lines_snap *snap,
					  const struct ask_lines_query *q,
					  const struct scope *scope)
{
	struct ask_lines_result *a =
		query_result__new(sizeof(*a), &snap->base, snap->symbols, snap->since_ns);
	struct arena *arena = &a->base.arena;
	struct field *fields = arena__array(arena, struct field, FIELDS_MAX);
	const struct ask_form *form = measure__form(snap->measure);
	struct ask_line_row *rows;
	const struct ask_line **lines = lines_of(snap, q, scope, &a->base, &a->nrows);

	a->query = *q;
	a->measure = snap->measure;
	a->dropped = snap->dropped;
	a->rows = rows = arena__array(arena, struct ask_line_row, a->nrows + 1);
	for (u32 i = 0; i < a->nrows; i++)
		fill_row(&a->base, &rows[i], lines[q->oldest_first ? i : a->nrows - 1 - i], snap);
	if (q->window == WINDOW_LAST)
		a->base.since_ns = snap->base.t0_ns;
	a->base.window_ns = snap->base.t1_ns - a->base.since_ns;
	if (form->lists == ASK_SLOTS)
		qsort(rows, a->nrows, sizeof(*rows), by_count);
	query_result__table(&a->base, fields,
			    form->lists == ASK_SLOTS ? make_slot_fields(form, fields)
						     : make_fields(form, has_several(lines, a->nrows), fields),
			    rows, a->nrows, sizeof(*rows), 1, 0,
			    form->lists == ASK_SLOTS ? "count"
			    : q->oldest_first	     ? "t_ns"
						     : "ago_ns");
	slow_rows__unfold(&a->base, q->unfolded, q->nunfolded, "no stack");
	return a;
}

static size_t add_value(const struct ask_field *f, const struct value *v, char *buf, size_t size)
{
	switch (v->type) {
	case VALUE_TEXT:
		return (size_t)snprintf(buf, size, "  %s %s", f->name, v->s);
	case VALUE_CHANGE:
		return (size_t)snprintf(buf, size, "  %s %" PRId64, f->name, v->i);
	default:
		return (size_t)snprintf(buf, size, "  %s %" PRIu64, f->name, v->u);
	}
}

void ask_line__describe(const struct ask_line_row *r, char *buf, size_t size)
{
	const struct ask_form *f = r->form;
	size_t len = f->lists == ASK_SLOTS
			     ? (size_t)snprintf(buf, size, "CPU %u", r->line->cpu)
			     : (size_t)snprintf(buf, size, "%s %u: %s", r->line->who.comm,
						r->line->who.tid, r->event);

	for (u32 i = 0; i < f->nfields && len < size; i++)
		if (r->line->has & 1u << i)
			len += add_value(&f->fields[i], &r->values[i], buf + len, size - len);
}
