// SPDX-License-Identifier: GPL-2.0-only
/* What the rows of a profile are called, and their columns. */
#include <stdio.h>

#include "base/columns.h"
#include "base/hosts.h"
#include "base/names.h"
#include "models/fields.h"
#include "models/profile_impl.h"
#include "models/task_text.h"

const char *const profile_group_names[GROUPS] = {
	[GROUP_SYMBOL] = "symbol", [GROUP_OBJECT] = "object", [GROUP_COMM] = "comm",
	[GROUP_PID] = "pid",	   [GROUP_TID] = "tid",	      [GROUP_CGROUP] = "cgroup",
	[GROUP_CPU] = "cpu",	   [GROUP_HOST] = HOST_LABEL,
};

enum profile_column {
	COL_SELF_PCT,
	COL_TOTAL_PCT,
	COL_TREND,
	COL_KIND,
	COL_PID_TEXT,
	COL_TID_TEXT,
	COL_CPU_TEXT,
	COL_HOST,
	COL_SYMBOL,
	COL_COMM,
	COL_END,
	COL_CGROUP,
	COL_OBJECT,
	COL_MOST,
	COL_THREAD,
	COL_CMDLINE,
	COL_ENDED,
	COL_STARTS,
	COL_PID,
	COL_TID,
	COL_CPU,
	COL_SELF_COUNT,
	COL_TOTAL_COUNT,
	COL_MOST_COMM,
	COL_MOST_PID,
	COL_MOST_PCT,
	COL_MOST_CMDLINE,
	COLUMNS,
};

/* Ids are numbers for programs; on screen they are text, since numbers are shortened there. */
static const struct column profile_columns[COLUMNS] = {
	[COL_SELF_PCT] =
		PCT_COLUMN("self_pct", "Self%", 11, 0, COLUMN_BOTH | COLUMN_BAR | COLUMN_SHARE,
			   "share of the samples taken in it, not in what it calls"),
	[COL_TOTAL_PCT] = PCT_COLUMN("total_pct", "Total%", 7, 2, COLUMN_BOTH | COLUMN_SHARE,
				     "share of the samples taken in it or in what it calls"),
	[COL_TREND] = COLUMN(VALUE_TREND, "trend", "Trend", 8, 4, COLUMN_SCREEN,
			     "self weight per second in the last 16 intervals, newest right; all rows have one "
			     "scale"),
	[COL_KIND] = TEXT_COLUMN("kind", "Kind", 7, 5, COLUMN_BOTH,
				 "user, kernel, inlined, jit, vdso, bpf, unknown, or mixed"),
	[COL_PID_TEXT] = TEXT_COLUMN("process", "PID", 7, 0, COLUMN_SCREEN, "process id"),
	[COL_TID_TEXT] = TEXT_COLUMN("thread", "TID", 7, 0, COLUMN_SCREEN, "thread id"),
	[COL_CPU_TEXT] = TEXT_COLUMN("processor", "CPU", 6, 0, COLUMN_SCREEN,
				     "CPU the samples were taken on"),
	[COL_HOST] = HOST_COLUMN,
	[COL_SYMBOL] = TEXT_COLUMN("symbol", "Symbol", 24, 0, COLUMN_BOTH,
				   "function, demangled; [unknown] where no mapping is known"),
	[COL_COMM] = TEXT_COLUMN("comm", "Command", 15, 0, COLUMN_BOTH,
				 "name of the thread, of a process its main thread's"),
	[COL_END] = END_COLUMN,
	[COL_CGROUP] = TEXT_COLUMN("cgroup", "Cgroup", 16, 0, COLUMN_BOTH,
				   "cgroup v2 path below its mount point"),
	[COL_OBJECT] = TEXT_COLUMN("object", "Object", 16, 1, COLUMN_BOTH,
				   "program, library, module or [kernel] that holds the code"),
	[COL_MOST] = TEXT_COLUMN("most", "Most in", 16, 2, COLUMN_SCREEN,
				 "command and pid of the process with most of its own samples"),
	[COL_THREAD] = THREAD_NAME_COLUMN,
	[COL_CMDLINE] = CMDLINE_COLUMN,
	[COL_ENDED] = ENDED_COLUMN,
	[COL_STARTS] = STARTS_COLUMN,
	[COL_PID] =
		COUNT_COLUMN("pid", "PID", 7, 0, COLUMN_EXPORT | COLUMN_ASCENDING, "process id"),
	[COL_TID] = COUNT_COLUMN("tid", "TID", 7, 0, COLUMN_EXPORT | COLUMN_ASCENDING, "thread id"),
	[COL_CPU] = COUNT_COLUMN("cpu", "CPU", 6, 0, COLUMN_EXPORT | COLUMN_ASCENDING,
				 "CPU the samples were taken on"),
	[COL_SELF_COUNT] = COUNT_COLUMN("self_count", "Self", 7, 0, COLUMN_EXPORT | COLUMN_SUM,
					"samples taken in it"),
	[COL_TOTAL_COUNT] = COUNT_COLUMN("total_count", "Total", 7, 0, COLUMN_EXPORT | COLUMN_SUM,
					 "samples taken in it or in what it calls"),
	[COL_MOST_COMM] = TEXT_COLUMN("most_comm", "most_comm", 15, 0, COLUMN_EXPORT,
				      "name of the process with most of its own samples"),
	[COL_MOST_PID] = COUNT_COLUMN("most_pid", "most_pid", 7, 0, COLUMN_EXPORT, "its pid"),
	[COL_MOST_CMDLINE] = EXPORT_COLUMN(VALUE_TEXT, "most_cmdline", "its command line"),
	[COL_MOST_PCT] = PCT_COLUMN("most_pct", "most_pct", 7, 0, COLUMN_EXPORT,
				    "how much of the own samples that process has"),
};

/* The column that names a row and takes what width is left. */
static enum profile_column key_column(u32 groups)
{
	if (groups & GROUP_BIT(GROUP_SYMBOL))
		return COL_SYMBOL;
	if (groups & GROUP_BIT(GROUP_OBJECT))
		return COL_OBJECT;
	if (groups & (GROUP_BIT(GROUP_COMM) | GROUP_BIT(GROUP_PID) | GROUP_BIT(GROUP_TID)))
		return COL_COMM;
	if (groups & GROUP_BIT(GROUP_CGROUP))
		return COL_CGROUP;
	return groups & GROUP_BIT(GROUP_CPU) ? COL_CPU_TEXT : COL_HOST;
}

/* The keys that a column comes with; 0: with all. */
static u32 column_groups(u32 column)
{
	switch (column) {
	case COL_PID_TEXT:
	case COL_PID:
	case COL_END:
	case COL_CMDLINE:
	case COL_ENDED:
		return GROUP_BIT(GROUP_PID) | GROUP_BIT(GROUP_TID);
	case COL_STARTS:
		return GROUP_BIT(GROUP_PID);
	case COL_TID_TEXT:
	case COL_TID:
	case COL_THREAD:
		return GROUP_BIT(GROUP_TID);
	case COL_CPU_TEXT:
	case COL_CPU:
		return GROUP_BIT(GROUP_CPU);
	case COL_HOST:
		return hosts__several() ? GROUPS_OF_HOST : GROUP_BIT(GROUP_HOST);
	case COL_SYMBOL:
		return GROUP_BIT(GROUP_SYMBOL);
	case COL_COMM:
		return GROUP_BIT(GROUP_COMM) | GROUP_BIT(GROUP_PID) | GROUP_BIT(GROUP_TID);
	case COL_CGROUP:
		return GROUP_BIT(GROUP_CGROUP);
	case COL_OBJECT:
	case COL_MOST:
	case COL_MOST_COMM:
	case COL_MOST_PID:
	case COL_MOST_PCT:
	case COL_MOST_CMDLINE:
		return GROUPS_CODE;
	default:
		return 0;
	}
}

/* Of the largest part of a row: rows that are of one process have none. */
static bool is_most(u32 column)
{
	return column == COL_MOST || column >= COL_MOST_COMM;
}

static bool applies(u32 groups, u32 column)
{
	u32 with = column_groups(column);

	if (is_most(column) && groups & (GROUP_BIT(GROUP_PID) | GROUP_BIT(GROUP_TID)))
		return false;
	return !with || groups & with;
}

/* --- names --- */

const char *profile_groups__text(u32 groups, char *buf, size_t size)
{
	static const u32 order[GROUPS] = {GROUP_COMM, GROUP_PID,    GROUP_TID,	 GROUP_CGROUP,
					  GROUP_CPU,  GROUP_HOST,   GROUP_OBJECT, GROUP_SYMBOL};

	return names__text(profile_group_names, GROUPS, order, groups, buf, size);
}

/* The number itself, for messages. */
static const char *plain_id(const char *text)
{
	return text + strspn(text, " ");
}

const char *bucket__name(const struct bucket *b, const struct task *t, const struct selection *s)
{
	enum profile_group code = query__code(s->query);
	const struct ident *id = &s->idents[b->ident];

	if (code == GROUPS)
		return t->name;
	return code == GROUP_SYMBOL ? id->name : id->object_name;
}

static void describe_task(struct profile_row *row, const struct task *t, u32 groups,
			  struct arena *arena)
{
	row->comm = t->comm;
	row->cgroup_name = t->cgroup_name;
	row->pid_text = t->pid_text;
	row->tid_text = t->tid_text;
	row->cpu_text = t->cpu_text;
	row->host = t->host;
	if (t->storm) {
		row->tgid = PROFILE_MERGED;
		row->starts = t->storm->n;
	} else if (t->pid_text) {
		row->tgid = t->entry->tgid;
		row->cmdline = task__cmdline(arena, row->tgid, t->entry->start_ns);
	}
	row->ended = t->pid_text && t->ended;
	if (t->tid_text) {
		row->tid = t->entry->tid;
		row->thread_name = task__thread_name(arena, row->tgid, row->tid, t->entry->start_ns);
	}
	if (t->cpu_text)
		row->cpu = t->entry->cpu;
	if (groups & GROUP_BIT(GROUP_CGROUP))
		row->cgroup = t->entry->cgroup;
}

static void describe_code(struct profile_row *row, const struct bucket *b,
			  const struct selection *s)
{
	bool symbol = query__code(s->query) == GROUP_SYMBOL;
	const struct ident *id = &s->idents[b->ident];

	row->func = symbol ? id->func : 0;
	row->object = id->object;
	row->object_name = b->ident == IDENT_NO_STACK && symbol ? "" : id->object_name;
}

void profile_row__describe(struct profile_row *row, const struct bucket *b, const struct task *t,
			   const struct selection *s)
{
	row->name = plain_id(bucket__name(b, t, s));
	row->object_name = "";
	describe_task(row, t, s->query->groups, s->arena);
	if (s->query->groups & GROUPS_CODE)
		describe_code(row, b, s);
}

/* --- cells --- */

static const char *text_cell(const struct profile_row *row, u32 column)
{
	switch (column) {
	case COL_KIND:
		return row->kind;
	case COL_COMM:
		return row->comm;
	case COL_OBJECT:
		return row->object_name;
	case COL_PID_TEXT:
		return row->pid_text;
	case COL_TID_TEXT:
		return row->tid_text;
	case COL_CPU_TEXT:
		return row->cpu_text;
	case COL_HOST:
		return row->host;
	case COL_CGROUP:
		return row->cgroup_name;
	case COL_END:
		return row->ended ? "ended" : "";
	case COL_CMDLINE:
		return row->cmdline;
	case COL_THREAD:
		return row->thread_name;
	case COL_MOST:
		return row->most_text;
	case COL_MOST_COMM:
		return row->most_comm;
	case COL_MOST_CMDLINE:
		return row->most_cmdline;
	default:
		return row->name;
	}
}

static u64 number_cell(const struct profile_row *row, u32 column)
{
	switch (column) {
	case COL_PID:
		return row->tgid;
	case COL_TID:
		return row->tid;
	case COL_CPU:
		return row->cpu;
	case COL_ENDED:
		return row->ended;
	case COL_STARTS:
		return row->starts;
	case COL_MOST_PID:
		return row->most_pid;
	default:
		return column == COL_SELF_COUNT ? row->self_count : row->total_count;
	}
}

/* The id of entries that were merged is not known any more. */
static bool is_merged(u32 column, u64 number)
{
	return number == PROFILE_MERGED &&
	       (column == COL_PID || column == COL_TID || column == COL_CPU);
}

static double pct_cell(const struct profile_row *row, u32 column)
{
	switch (column) {
	case COL_SELF_PCT:
		return row->self_pct;
	case COL_MOST_PCT:
		return row->most_pct;
	default:
		return row->total_pct;
	}
}

static bool rows__cell(const struct row_table *t, u32 row, u32 column, struct value *out)
{
	const struct profile_rows *rows = container_of(t, struct profile_rows, base.table);
	const struct profile_row *r = &rows->rows[row];

	*out = (struct value){0};
	if (column >= COLUMNS || !applies(rows->query.groups, column))
		return false;
	out->type = profile_columns[column].type;
	if (out->type == VALUE_TEXT) {
		out->s = text_cell(r, column);
	} else if (out->type == VALUE_PCT) {
		out->f = pct_cell(r, column);
	} else if (out->type == VALUE_TREND) {
		out->trend = r->trend;
		out->n = TREND_LEN;
	} else {
		out->u = number_cell(r, column);
		if (is_merged(column, out->u) || (column == COL_STARTS && !out->u))
			out->type = VALUE_NONE;
	}
	if ((is_most(column) && !r->most_comm) || (out->type == VALUE_TEXT && !out->s))
		*out = (struct value){.type = VALUE_NONE};
	return true;
}

static u64 rows__key(const struct row_table *t, u32 row)
{
	return container_of(t, struct profile_rows, base.table)->rows[row].key;
}

/* Several keys share the width of one: names get more of it than the kind of code. */
static void fit_columns(struct column *columns, u32 groups)
{
	if (!(groups & GROUP_BIT(GROUP_SYMBOL)) || !(groups & GROUPS_TASK))
		return;
	columns[COL_SYMBOL].width = 24;
	if (groups & GROUP_BIT(GROUP_COMM) || !applies(groups, COL_PID))
		return;
	/* The name of a process that is told by its number: good to have, if there is room. */
	columns[COL_SYMBOL].width = 20;
	columns[COL_COMM].width = 12;
	columns[COL_COMM].priority = 2;
}

/* Where none has, the room is for names. */
static bool has_ended(const struct profile_rows *rows)
{
	for (u32 i = 0; i < rows->nrows; i++)
		if (rows->rows[i].ended)
			return true;
	return false;
}

static bool has_cmdline(const struct profile_rows *rows)
{
	for (u32 i = 0; i < rows->nrows; i++)
		if (rows->rows[i].cmdline)
			return true;
	return false;
}

static bool has_thread_name(const struct profile_rows *rows)
{
	for (u32 i = 0; i < rows->nrows; i++)
		if (rows->rows[i].thread_name)
			return true;
	return false;
}

/* The same columns for every grouping, but another one of them names the rows. */
void profile_rows__table(struct profile_rows *rows, struct arena *a)
{
	struct column *columns = arena__dup(a, profile_columns, sizeof(profile_columns));
	struct column *key = &columns[key_column(rows->query.groups)];

	key->flags |= COLUMN_KEY | COLUMN_FLEX;
	key->priority = 0;
	fit_columns(columns, rows->query.groups);
	if (!rows->nrows || !rows->rows[0].host)
		columns[COL_HOST].flags &= ~COLUMN_SCREEN;
	if (!has_ended(rows))
		columns[COL_END].flags &= ~COLUMN_SCREEN;
	if (!has_cmdline(rows))
		columns[COL_CMDLINE].flags &= ~COLUMN_SCREEN;
	if (!has_thread_name(rows))
		columns[COL_THREAD].flags &= ~COLUMN_SCREEN;
	columns__fit_cmdline(columns, COLUMNS);
	rows->base.table = (struct row_table){
		.columns = columns,
		.ncolumns = COLUMNS,
		.nrows = rows->nrows,
		.sort = COL_SELF_PCT,
		.cell = rows__cell,
		.key = rows__key,
	};
}
