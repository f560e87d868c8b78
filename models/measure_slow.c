// SPDX-License-Identifier: GPL-2.0-only
/* The slowest of a measure, one by one, each with its stack. */
#include "base/columns.h"
#include "models/frames.h"
#include "models/measure_columns.h"
#include "models/stack_rows.h"
#include "models/who.h"

enum slow_column {
	SLOW_NS,
	SLOW_AGO,
	SLOW_PID_TEXT,
	SLOW_COMM,
	SLOW_TEXT,
	SLOW_CALLER,
	SLOW_T,
	SLOW_PID,
	SLOW_TID,
	SLOW_CPU,
	SLOW_CGROUP,
	SLOW_LABELS, /* and one for each own label */
	SLOW_STACK = SLOW_LABELS + MEASURE_OWN_LABELS,
	SLOW_COLUMNS,
};

static const struct column slow_columns[SLOW_COLUMNS] = {
	[SLOW_NS] = TIME_COLUMN("total_ns", "Took", 7, 0, COLUMN_BOTH, "from its begin to its end"),
	[SLOW_AGO] = TIME_COLUMN("ago_ns", "Ago", 7, 2, COLUMN_BOTH | COLUMN_ASCENDING,
				 "since it ended"),
	[SLOW_PID_TEXT] = TEXT_COLUMN("process", "PID", 7, 1, COLUMN_SCREEN, "whose it is"),
	[SLOW_COMM] = TEXT_COLUMN("comm", "Command", 15, 1, COLUMN_BOTH, "name of the thread"),
	[SLOW_TEXT] = TEXT_COLUMN("text", "What", 24, 0, COLUMN_BOTH | COLUMN_KEY | COLUMN_FLEX,
				  "what it was, with its arguments and its result"),
	[SLOW_CALLER] = TEXT_COLUMN("symbol", "in", 20, 4, COLUMN_SCREEN, "where it was begun"),
	[SLOW_T] = TIME_COLUMN("t_ns", "t_ns", 7, 0, COLUMN_EXPORT,
			       "when it ended, CLOCK_MONOTONIC"),
	[SLOW_PID] = ID_COLUMN("pid", "process id"),
	[SLOW_TID] = ID_COLUMN("tid", "thread id"),
	[SLOW_CPU] = ID_COLUMN("cpu", "where it ended"),
	[SLOW_CGROUP] = EXPORT_COLUMN(VALUE_TEXT, "cgroup", "cgroup v2 of the process"),
	[SLOW_STACK] = EXPORT_COLUMN(VALUE_STACK, "stack", "where it was begun"),
};

struct slow_box {
	struct measure_slow_answer answer;
	struct column columns[SLOW_COLUMNS];
	struct arena arena;
};

static const struct slow_box *box_of(const struct row_table *t)
{
	return container_of(t, struct slow_box, answer.base.table);
}

/* --- cells --- */

static struct frame_text frame_of(const struct measure_slow_row *r, u32 i)
{
	return frame__text(r->symbols, r->slow->stack->locs[i]);
}

static void value_frame(const void *of, u32 i, struct value_frame *out)
{
	struct frame_text f = frame_of(of, i);

	*out = (struct value_frame){.symbol = f.name, .object = f.object_name, .kind = f.kind};
}

static u64 number_cell(const struct measure_slow_row *r, u32 column, u64 now)
{
	const struct measure_slow_sample *s = &r->slow->s;

	switch (column) {
	case SLOW_NS:
		return s->ns;
	case SLOW_AGO:
		return now > s->t_ns ? now - s->t_ns : 0;
	case SLOW_T:
		return s->t_ns;
	case SLOW_PID:
		return s->who.tgid;
	case SLOW_TID:
		return s->who.tid;
	default:
		return s->cpu;
	}
}

static const char *text_cell(const struct measure_slow_row *r, u32 column)
{
	switch (column) {
	case SLOW_PID_TEXT:
		return r->pid_text;
	case SLOW_COMM:
		return r->slow->s.who.comm;
	case SLOW_TEXT:
		return r->name;
	case SLOW_CALLER:
		return stack__caller(r->slow->stack, r->symbols);
	case SLOW_CGROUP:
		return r->cgroup;
	default:
		return r->slow->keys[column - SLOW_LABELS].text;
	}
}

static bool slow__cell(const struct row_table *t, u32 row, u32 column, struct value *out)
{
	const struct slow_box *box = box_of(t);
	const struct measure_slow_row *r = &box->answer.rows[row];

	if (!t->columns[column].name)
		return false;
	*out = (struct value){.type = t->columns[column].type};
	if (out->type == VALUE_STACK) {
		out->n = profile_stack__nlocs(r->slow->stack);
		out->of = r;
		out->frame = value_frame;
	} else if (out->type == VALUE_TEXT) {
		out->s = text_cell(r, column);
		if (column >= SLOW_LABELS && !*out->s)
			out->type = VALUE_NONE;
	} else {
		out->u = number_cell(r, column, box->answer.base.snap->t1_ns);
	}
	return true;
}

static u64 slow__key(const struct row_table *t, u32 row)
{
	return box_of(t)->answer.rows[row].key;
}

/* --- stacks below the rows --- */

static u64 tree_key(const void *ctx, u32 row)
{
	return ((const struct measure_slow_row *)ctx)[row].key;
}

static u32 tree_nframes(const void *ctx, u32 row)
{
	return profile_stack__nlocs(((const struct measure_slow_row *)ctx)[row].slow->stack);
}

static struct frame_text tree_frame(const void *ctx, u32 row, u32 i)
{
	return frame_of(&((const struct measure_slow_row *)ctx)[row], i);
}

static void build_trees(struct slow_box *box)
{
	struct measure_slow_answer *a = &box->answer;
	const struct stack_rows rows = {.n = a->nrows,
					.key = tree_key,
					.nframes = tree_nframes,
					.frame = tree_frame,
					.ctx = a->rows,
					.none = "no stack"};

	stack_rows__build(&a->base, &rows, a->query.unfolded, a->query.nunfolded, &box->arena);
}

/* --- the answer --- */

static bool passes(const struct measure_slow_entry *e, const struct measure *m,
		   const struct measure_slow_query *q, const struct scope *scope)
{
	const struct measure_slow_sample *s = &e->s;

	return !(q->working && s->waits) && heat_range__has(&q->range, s->t_ns, s->ns) &&
	       measure__passes(m, &q->narrow, e->keys) &&
	       who__passes(scope, s->who.tgid, s->who.tid, s->who.cgroup, s->who.comm) &&
	       scope__thread(scope, s->who.kthread) &&
	       (!scope || (s->ns >= scope->min_ns && (!scope->max_ns || s->ns <= scope->max_ns)));
}

static void fill_row(struct slow_box *box, struct measure_slow_row *r,
		     const struct measure_slow_entry *e, const struct symbols *symbols)
{
	*r = (struct measure_slow_row){
		.key = mix64_pair(mix64_pair(e->s.t_ns, e->s.ns), e->s.who.tid),
		.slow = e,
		.symbols = symbols,
		.pid_text = who__id_text(&box->arena, e->s.who.tgid),
		.name = *e->s.text ? e->s.text : e->keys[0].text,
		.cgroup = who__cgroup_text(&box->arena, e->s.who.cgroup),
	};
	for (u32 i = 0; i < profile_stack__nlocs(e->stack); i++)
		box->answer.base.unresolved |= frame_of(r, i).pending;
}

static void make_columns(struct slow_box *box, const struct measure *m)
{
	u32 own = measure__own_labels(m);

	memcpy(box->columns, slow_columns, sizeof(box->columns));
	for (u32 i = 0; i < own; i++)
		box->columns[SLOW_LABELS + i] =
			(struct column)EXPORT_COLUMN(VALUE_TEXT, m->labels[i].name, m->labels[i].help);
	for (u32 i = own; i < MEASURE_OWN_LABELS; i++)
		box->columns[SLOW_LABELS + i] = (struct column){0};
	/* No holes: the stack comes behind the last label. */
	box->columns[SLOW_LABELS + own] = box->columns[SLOW_STACK];
}

static void slow__free(struct answer *base)
{
	struct slow_box *box = container_of(base, struct slow_box, answer.base);

	snap__put(base->snap);
	arena__fini(&box->arena);
	free(box);
}

struct measure_slow_answer *measure__slow(const struct measure_snap *snap,
					  const struct measure_slow_query *q,
					  const struct scope *scope)
{
	struct slow_box *box = xcalloc(1, sizeof(*box));
	struct measure_slow_answer *a = &box->answer;
	struct measure_slow_row *rows;

	arena__init(&box->arena);
	a->base.snap = snap__get(&snap->base);
	a->base.since_ns = snap->since_ns;
	a->base.symbols_generation = snap->symbols ? symbols__generation(snap->symbols) : 0;
	a->base.free = slow__free;
	a->query = *q;
	a->measure = snap->measure;
	rows = arena__array(&box->arena, struct measure_slow_row, snap->nslow);
	a->rows = rows;
	for (u32 i = 0; i < snap->nslow; i++)
		if (passes(&snap->slow[i], snap->measure, q, scope))
			fill_row(box, &rows[a->nrows++], &snap->slow[i], snap->symbols);
	make_columns(box, snap->measure);
	a->base.table = (struct row_table){
		.columns = box->columns,
		.ncolumns = SLOW_LABELS + measure__own_labels(snap->measure) + 1,
		.nrows = a->nrows,
		.sort = SLOW_NS,
		.cell = slow__cell,
		.key = slow__key,
	};
	build_trees(box);
	return a;
}
