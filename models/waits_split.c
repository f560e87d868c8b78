// SPDX-License-Identifier: GPL-2.0-only
/* Where the wall-clock time of a process or thread went: parts that sum to it. */
#include "base/columns.h"
#include "models/waits_result.h"

/* Time by reason, class and state. */
#define KINDS (WAIT_CLASSES * WAIT_REASONS)

struct split {
	const struct waits_snap *snap;
	enum time_window window;
	u32 tgid, tid;
	u64 state_ns[TASK_STATES];
	u64 kind_ns[KINDS][TASK_STATES];
	u64 count[KINDS];
};

static u32 kind_of(const struct wait_verdict *v)
{
	return v->reason * WAIT_CLASSES + v->class;
}

/* --- what is known --- */

static bool is_meant(const struct split *s, const struct task_ident *t)
{
	return t->tgid == s->tgid && (!s->tid || t->tid == s->tid);
}

/* A process is called as its main thread, of equal ids as the youngest. */
static bool is_better_label(const struct split_result *a, const struct task_ident *t)
{
	return !a->comm[0] || t->tid == (a->tid ? a->tid : a->tgid);
}

static void sum_tasks(struct split *s, struct split_result *a)
{
	for (u32 i = 0; i < s->snap->ntasks; i++) {
		const struct wait_task *t = &s->snap->tasks[i];

		if (!is_meant(s, &t->task))
			continue;
		if (is_better_label(a, &t->task))
			memcpy(a->comm, t->task.comm, sizeof(a->comm));
		a->nthreads += t->span_ns[s->window] > 0;
		a->span_ns += t->span_ns[s->window];
		for (u32 k = 0; k < TASK_STATES; k++)
			s->state_ns[k] += t->state_ns[s->window][k];
	}
}

/* What a wait has of a CPU's run queue is known from the states already. */
static void sum_waits(struct split *s, struct arena *arena, struct split_result *a)
{
	struct waits_selection sel;

	waits_selection__init(&sel, arena, s->snap, s->window, false, NULL);
	waits_selection__fill(&sel, s->tgid, s->tid);
	for (u32 i = 0; i < sel.nwaits; i++) {
		const struct picked_wait *w = &sel.waits[i];
		const struct wait_sums *sums = picked_wait__sums(&sel, w);
		u32 kind = kind_of(&w->is);

		if (w->entry->state == TASK_STATE_RUNNABLE)
			continue;
		s->kind_ns[kind][w->entry->state] += sums->off_ns - sums->runq_ns;
		s->count[kind] += sums->count;
	}
	a->base.unresolved = waits_selection__pending(&sel);
	waits_selection__fini(&sel);
}

/* --- what may be said --- */

static u64 scaled(u64 v, u64 part, u64 whole)
{
	return (u64)((unsigned __int128)v * part / whole);
}

/*
 * The states are the truth: waits that add up to more than their state, as rounded sums may,
 * are cut down to it in proportion.
 */
static void fit_state(struct split *s, u32 state)
{
	u64 sum = 0, left = s->state_ns[state];
	u32 largest = 0;

	for (u32 k = 0; k < KINDS; k++) {
		sum += s->kind_ns[k][state];
		if (s->kind_ns[k][state] > s->kind_ns[largest][state])
			largest = k;
	}
	if (sum <= left)
		return;
	for (u32 k = 0; k < KINDS; k++) {
		s->kind_ns[k][state] = scaled(s->kind_ns[k][state], s->state_ns[state], sum);
		left -= s->kind_ns[k][state];
	}
	s->kind_ns[largest][state] += left;
}

static void add_part(struct split_result *a, struct split_part *parts, struct split_part part)
{
	part.pct = waits__pct(part.ns, a->span_ns);
	parts[a->nparts++] = part;
}

static int compare_parts(const void *pa, const void *pb)
{
	const struct split_part *a = pa, *b = pb;

	if (a->ns != b->ns)
		return a->ns < b->ns ? 1 : -1;
	return strcmp(a->name, b->name);
}

static void make_parts(struct split *s, struct split_result *a, struct split_part *parts)
{
	u64 rest = a->span_ns;

	add_part(a, parts,
		 (struct split_part){.name = "running",
				     .reason = WAIT_REASONS,
				     .ns = s->state_ns[TASK_STATE_RUNNING]});
	add_part(a, parts,
		 (struct split_part){.name = "waiting for a CPU",
				     .reason = WAIT_REASONS,
				     .ns = s->state_ns[TASK_STATE_RUNNABLE]});
	rest -= parts[0].ns + parts[1].ns;
	for (u32 k = 0; k < KINDS; k++) {
		struct split_part p = {.name = wait_reasons[k / WAIT_CLASSES].name,
				       .reason = k / WAIT_CLASSES,
				       .class = k % WAIT_CLASSES,
				       .count = s->count[k]};

		for (u32 i = 0; i < TASK_STATES; i++)
			p.ns += s->kind_ns[k][i];
		rest -= p.ns;
		if (p.ns)
			add_part(a, parts, p);
	}
	if (rest)
		add_part(a, parts,
			 (struct split_part){.name = "not attributed",
					     .reason = WAIT_UNKNOWN,
					     .class = CLASS_UNCLEAR,
					     .ns = rest});
	qsort(parts, a->nparts, sizeof(*parts), compare_parts);
}

/* --- the table --- */

enum split_column { COL_PCT, COL_TIME, COL_NAME, COL_COUNT, COL_AVG, COL_CLASS, COL_IDLE, COLUMNS };

static const struct column split_columns[COLUMNS] = {
	[COL_PCT] = PCT_COLUMN("pct", "Share%", 18, 0, COLUMN_BOTH | COLUMN_BAR,
			       "share of the wall-clock time of all its threads"),
	[COL_TIME] = TIME_COLUMN("time_ns", "Time", 8, 0, COLUMN_BOTH,
				 "wall-clock time of all its threads"),
	[COL_NAME] = TEXT_COLUMN("part", "Spent", 18, 0, COLUMN_BOTH | COLUMN_KEY | COLUMN_FLEX,
				 "on a CPU, waiting for one, or what else it waited for"),
	[COL_COUNT] = COUNT_COLUMN("count", "Count", 7, 1, COLUMN_BOTH, "waits that ended"),
	[COL_AVG] = TIME_COLUMN("avg_ns", "Avg", 7, 2, COLUMN_BOTH, "time by waits that ended"),
	[COL_CLASS] = TEXT_COLUMN("class", "Class", 7, 0, COLUMN_BOTH,
				  "harmful: held up; idle: waits for new work; unclear: no proof"),
	[COL_IDLE] =
		COLUMN(VALUE_BOOL, "idle", "Idle", 4, 0, COLUMN_EXPORT, "nobody is held up by it"),
};

/* Time on a CPU, or waiting for one, is no wait for anything else. */
static const char *class_text(const struct split_part *p)
{
	if (p->reason < WAIT_REASONS)
		return wait_class_names[p->class];
	return strcmp(p->name, "running") ? wait_class_names[CLASS_HARMFUL] : "";
}

static bool split__cell(const struct row_table *t, u32 row, u32 column, struct value *out)
{
	const struct split_part *p = &container_of(t, struct split_result, base.table)->parts[row];

	*out = (struct value){0};
	if (column >= COLUMNS)
		return false;
	out->type = split_columns[column].type;
	switch (column) {
	case COL_PCT:
		out->f = p->pct;
		break;
	case COL_NAME:
		out->s = p->name;
		break;
	case COL_CLASS:
		out->s = class_text(p);
		break;
	case COL_TIME:
		out->u = p->ns;
		break;
	case COL_IDLE:
		out->u = p->class == CLASS_IDLE;
		break;
	default:
		out->u = column == COL_COUNT || !p->count ? p->count : p->ns / p->count;
		if (!p->count)
			out->type = VALUE_NONE;
	}
	return true;
}

/* Parts are distinguished by name, and the idle ones of it. */
static u64 split__key(const struct row_table *t, u32 row)
{
	const struct split_part *p = &container_of(t, struct split_result, base.table)->parts[row];

	return mix64_pair(hash_bytes(p->name, strlen(p->name)), p->class);
}

/* --- the answer --- */

static struct split_result *new_result(const struct split *s)
{
	struct split_result *a = window_result__new(sizeof(*a), &s->snap->base, s->window);

	a->tgid = s->tgid;
	a->tid = s->tid;
	a->base.table = (struct row_table){.columns = split_columns,
					   .ncolumns = COLUMNS,
					   .sort = COL_TIME,
					   .cell = split__cell,
					   .key = split__key};
	return a;
}

struct split_result *waits__split(const struct waits_snap *snap, u32 tgid, u32 tid,
				  enum time_window window)
{
	struct split s = {.snap = snap, .window = window, .tgid = tgid, .tid = tid};
	struct split_result *a = new_result(&s);
	struct split_part *parts = arena__array(&a->base.arena, struct split_part, KINDS + 3);

	sum_tasks(&s, a);
	sum_waits(&s, &a->base.arena, a);
	for (u32 i = 0; i < TASK_STATES; i++)
		fit_state(&s, i);
	make_parts(&s, a, parts);
	a->parts = parts;
	a->base.table.nrows = a->nparts;
	return a;
}
