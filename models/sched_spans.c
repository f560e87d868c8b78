// SPDX-License-Identifier: GPL-2.0-only
/* What a thread did, span by span, as rows. */
#include "base/columns.h"
#include "models/sched.h"

enum {
	SPAN_STATE,
	SPAN_LENGTH,
	SPAN_T,
	SPAN_CPU,
	SPAN_PID,
	SPAN_TID,
	SPAN_COMM,
	SPAN_COLUMNS,
};

static const struct column span_columns[SPAN_COLUMNS] = {
	[SPAN_STATE] = EXPORT_COLUMN(VALUE_TEXT, "state", "what it did, or waited for"),
	[SPAN_LENGTH] = EXPORT_COLUMN(VALUE_NS, "span_ns", "for how long"),
	[SPAN_T] = EXPORT_COLUMN(VALUE_NS, "t_ns", "when that ended, CLOCK_MONOTONIC"),
	[SPAN_CPU] = EXPORT_COLUMN(VALUE_COUNT, "cpu", "where it ran, or had run last"),
	[SPAN_PID] = EXPORT_COLUMN(VALUE_COUNT, "pid", "process id"),
	[SPAN_TID] = EXPORT_COLUMN(VALUE_COUNT, "tid", "thread id"),
	[SPAN_COMM] = EXPORT_COLUMN(VALUE_TEXT, "comm", "name of the thread"),
};

static u64 number_cell(const struct sched_thread_result *a, const struct sched_span *s, u32 column)
{
	switch (column) {
	case SPAN_LENGTH:
		return s->t1_ns - s->t0_ns;
	case SPAN_T:
		return s->t1_ns;
	case SPAN_CPU:
		return s->cpu;
	case SPAN_PID:
		return a->task->task.tgid;
	default:
		return a->task->task.tid;
	}
}

static bool spans__cell(const struct row_table *t, u32 row, u32 column, struct value *out)
{
	const struct sched_thread_result *a = container_of(t, struct sched_spans, table)->result;
	const struct sched_span *s = &a->spans[row];

	*out = (struct value){.type = span_columns[column].type};
	if (column == SPAN_STATE)
		out->s = a->parts[s->part].name;
	else if (column == SPAN_COMM)
		out->s = a->task->task.comm;
	else
		out->u = number_cell(a, s, column);
	return true;
}

static u64 spans__key(const struct row_table *t, u32 row)
{
	return container_of(t, struct sched_spans, table)->result->spans[row].t0_ns;
}

struct sched_spans sched_spans__of(const struct sched_thread_result *a)
{
	return (struct sched_spans){
		.table = {.columns = span_columns,
			  .ncolumns = SPAN_COLUMNS,
			  .nrows = a->task ? a->nspans : 0,
			  .sort = SPAN_T,
			  .cell = spans__cell,
			  .key = spans__key},
		.result = a,
	};
}
