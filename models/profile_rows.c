// SPDX-License-Identifier: GPL-2.0-only
/* What the rows of a profile are called, and their columns. */
#include <limits.h>
#include <stdio.h>

#include "core/cgroup.h"
#include "models/profile_impl.h"

const char *const profile_group_names[GROUPS] = {
	[GROUP_SYMBOL] = "symbol", [GROUP_OBJECT] = "object", [GROUP_COMM] = "comm",
	[GROUP_PID] = "pid",	   [GROUP_TID] = "tid",	      [GROUP_CGROUP] = "cgroup",
	[GROUP_CPU] = "cpu",
};

enum profile_column {
	COL_SELF_PCT,
	COL_TOTAL_PCT,
	COL_TREND,
	COL_KIND,
	COL_PID_TEXT,
	COL_TID_TEXT,
	COL_CPU_TEXT,
	COL_SYMBOL,
	COL_COMM,
	COL_CGROUP,
	COL_OBJECT,
	COL_PID,
	COL_TID,
	COL_CPU,
	COL_SELF_COUNT,
	COL_TOTAL_COUNT,
	COLUMNS,
};

#define BOTH (COLUMN_SCREEN | COLUMN_EXPORT)

/* Ids are numbers for programs; on screen they are text, since numbers are shortened there. */
const struct column profile_columns[COLUMNS] = {
	[COL_SELF_PCT] = {.name = "self_pct",
			  .title = "Self%",
			  .unit = "%",
			  .help = "share of the samples taken in it, not in what it calls",
			  .type = VALUE_PCT,
			  .width = 7,
			  .flags = BOTH | COLUMN_BAR},
	[COL_TOTAL_PCT] = {.name = "total_pct",
			   .title = "Total%",
			   .unit = "%",
			   .help = "share of the samples taken in it or in what it calls",
			   .type = VALUE_PCT,
			   .width = 7,
			   .priority = 2,
			   .flags = BOTH},
	[COL_TREND] = {.name = "trend",
		       .title = "Trend",
		       .help = "self weight per second in the last 16 intervals, newest right",
		       .type = VALUE_TREND,
		       .width = 8,
		       .priority = 4,
		       .flags = COLUMN_SCREEN},
	[COL_KIND] = {.name = "kind",
		      .title = "Kind",
		      .help = "user, kernel, inlined, jit, vdso, bpf, unknown, or mixed",
		      .type = VALUE_TEXT,
		      .width = 7,
		      .priority = 3,
		      .flags = BOTH | COLUMN_ASCENDING},
	[COL_PID_TEXT] = {.name = "process",
			  .title = "PID",
			  .help = "process id",
			  .type = VALUE_TEXT,
			  .width = 7,
			  .flags = COLUMN_SCREEN | COLUMN_ASCENDING},
	[COL_TID_TEXT] = {.name = "thread",
			  .title = "TID",
			  .help = "thread id",
			  .type = VALUE_TEXT,
			  .width = 7,
			  .flags = COLUMN_SCREEN | COLUMN_ASCENDING},
	[COL_CPU_TEXT] = {.name = "processor",
			  .title = "CPU",
			  .help = "CPU the samples were taken on",
			  .type = VALUE_TEXT,
			  .width = 6,
			  .flags = COLUMN_SCREEN | COLUMN_ASCENDING},
	[COL_SYMBOL] = {.name = "symbol",
			.title = "Symbol",
			.help = "function, demangled; [unknown] where no mapping is known",
			.type = VALUE_TEXT,
			.width = 16,
			.flags = BOTH | COLUMN_ASCENDING},
	[COL_COMM] = {.name = "comm",
		      .title = "Command",
		      .help = "name of the thread, of a process its main thread's",
		      .type = VALUE_TEXT,
		      .width = 15,
		      .flags = BOTH | COLUMN_ASCENDING},
	[COL_CGROUP] = {.name = "cgroup",
			.title = "Cgroup",
			.help = "cgroup v2 path below its mount point",
			.type = VALUE_TEXT,
			.width = 16,
			.flags = BOTH | COLUMN_ASCENDING},
	[COL_OBJECT] = {.name = "object",
			.title = "Object",
			.help = "program, library, module or [kernel] that holds the code",
			.type = VALUE_TEXT,
			.width = 16,
			.priority = 1,
			.flags = BOTH | COLUMN_ASCENDING},
	[COL_PID] = {.name = "pid",
		     .title = "PID",
		     .help = "process id",
		     .type = VALUE_COUNT,
		     .width = 7,
		     .flags = COLUMN_EXPORT | COLUMN_ASCENDING},
	[COL_TID] = {.name = "tid",
		     .title = "TID",
		     .help = "thread id",
		     .type = VALUE_COUNT,
		     .width = 7,
		     .flags = COLUMN_EXPORT | COLUMN_ASCENDING},
	[COL_CPU] = {.name = "cpu",
		     .title = "CPU",
		     .help = "CPU the samples were taken on",
		     .type = VALUE_COUNT,
		     .width = 6,
		     .flags = COLUMN_EXPORT | COLUMN_ASCENDING},
	[COL_SELF_COUNT] = {.name = "self_count",
			    .title = "Self",
			    .unit = "samples",
			    .help = "samples taken in it",
			    .type = VALUE_COUNT,
			    .width = 7,
			    .flags = COLUMN_EXPORT},
	[COL_TOTAL_COUNT] = {.name = "total_count",
			     .title = "Total",
			     .unit = "samples",
			     .help = "samples taken in it or in what it calls",
			     .type = VALUE_COUNT,
			     .width = 7,
			     .flags = COLUMN_EXPORT},
};
const u32 profile_ncolumns = COLUMNS;

/* The column that names a row and takes what width is left. */
static enum profile_column key_column(enum profile_group group)
{
	static const enum profile_column keys[GROUPS] = {
		[GROUP_SYMBOL] = COL_SYMBOL, [GROUP_OBJECT] = COL_OBJECT,
		[GROUP_COMM] = COL_COMM,     [GROUP_PID] = COL_COMM,
		[GROUP_TID] = COL_COMM,	     [GROUP_CGROUP] = COL_CGROUP,
		[GROUP_CPU] = COL_CPU_TEXT,
	};

	return keys[group];
}

static bool applies(enum profile_group group, u32 column)
{
	switch (column) {
	case COL_PID_TEXT:
	case COL_PID:
		return group == GROUP_PID || group == GROUP_TID;
	case COL_TID_TEXT:
	case COL_TID:
		return group == GROUP_TID;
	case COL_CPU_TEXT:
	case COL_CPU:
		return group == GROUP_CPU;
	case COL_SYMBOL:
		return group == GROUP_SYMBOL;
	case COL_COMM:
		return group == GROUP_COMM || group == GROUP_PID || group == GROUP_TID;
	case COL_CGROUP:
		return group == GROUP_CGROUP;
	case COL_OBJECT:
		return group == GROUP_SYMBOL || group == GROUP_OBJECT;
	default:
		return true;
	}
}

/* --- names --- */

/* Right-aligned, so that text sorts as the numbers do. */
static const char *id_text(struct arena *a, u32 id, int width)
{
	char buf[16];

	if (id == PROFILE_MERGED)
		return "[others]";
	snprintf(buf, sizeof(buf), "%*u", width, id);
	return arena__strdup(a, buf);
}

/* The number itself, for messages. */
static const char *plain_id(const char *text)
{
	return text + strspn(text, " ");
}

static const char *cgroup_text(const struct selection *s, u64 id)
{
	char path[PATH_MAX];

	if (!id)
		return "[unknown]";
	return arena__strdup(s->arena, cgroup__name(id, path, sizeof(path)));
}

static struct row_name name_task(const struct profile_entry *e, const struct selection *s)
{
	struct row_name n = {0};

	switch (s->query->group) {
	case GROUP_TID:
	case GROUP_PID:
		n.pid_text = n.name = id_text(s->arena, e->tgid, 7);
		if (s->query->group == GROUP_TID)
			n.id_text = n.name = id_text(s->arena, e->tid, 7);
		break;
	case GROUP_CPU:
		n.id_text = n.name = id_text(s->arena, e->cpu, 6);
		break;
	case GROUP_CGROUP:
		n.name = cgroup_text(s, e->cgroup);
		break;
	default:
		n.name = s->snap->comms[e->comm];
	}
	return n;
}

struct row_name bucket__name(const struct bucket *b, const struct selection *s)
{
	const struct ident *id = &s->idents[b->ident];

	if (b->entry)
		return name_task(b->entry, s);
	return (struct row_name){.name = s->query->group == GROUP_SYMBOL ? id->name
									 : id->object_name};
}

static void describe_task(struct profile_row *row, const struct profile_entry *e,
			  const struct selection *s)
{
	enum profile_group group = s->query->group;

	row->object_name = row->comm = "";
	row->name = plain_id(row->name);
	if (group == GROUP_PID || group == GROUP_TID)
		row->tgid = e->tgid;
	if (group == GROUP_TID)
		row->tid = e->tid;
	if (group == GROUP_PID || group == GROUP_TID || group == GROUP_COMM)
		row->comm = s->snap->comms[e->comm];
	if (group == GROUP_COMM)
		row->name = row->comm;
	if (group == GROUP_CGROUP)
		row->cgroup = e->cgroup;
	if (group == GROUP_CPU)
		row->cpu = e->cpu;
}

void profile_row__describe(struct profile_row *row, const struct bucket *b,
			   const struct selection *s, const struct row_name *name)
{
	const struct ident *id = &s->idents[b->ident];
	bool symbol = s->query->group == GROUP_SYMBOL;

	row->name = name->name;
	row->pid_text = name->pid_text;
	row->id_text = name->id_text;
	if (b->entry) {
		describe_task(row, b->entry, s);
		return;
	}
	row->func = symbol ? id->func : 0;
	row->object = id->object;
	row->object_name = b->ident == IDENT_NO_STACK && symbol ? "" : id->object_name;
	row->comm = "";
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
	case COL_CPU_TEXT:
		return row->id_text;
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

static bool rows__cell(const struct row_table *t, u32 row, u32 column, struct value *out)
{
	const struct profile_rows *rows = container_of(t, struct profile_rows, table);
	const struct profile_row *r = &rows->rows[row];

	*out = (struct value){0};
	if (column >= COLUMNS || !applies(rows->query.group, column))
		return false;
	out->type = profile_columns[column].type;
	if (out->type == VALUE_TEXT) {
		out->s = text_cell(r, column);
	} else if (out->type == VALUE_PCT) {
		out->f = column == COL_SELF_PCT ? r->self_pct : r->total_pct;
	} else if (out->type == VALUE_TREND) {
		out->trend = r->trend;
		out->n = PROFILE_TREND;
	} else {
		out->u = number_cell(r, column);
		if (is_merged(column, out->u))
			out->type = VALUE_NONE;
	}
	return true;
}

static u64 rows__key(const struct row_table *t, u32 row)
{
	return container_of(t, struct profile_rows, table)->rows[row].key;
}

/* The same columns for every grouping, but another one of them names the rows. */
void profile_rows__table(struct profile_rows *rows, struct arena *a)
{
	struct column *columns = arena__dup(a, profile_columns, sizeof(profile_columns));
	struct column *key = &columns[key_column(rows->query.group)];

	key->flags |= COLUMN_KEY | COLUMN_FLEX;
	key->priority = 0;
	rows->table = (struct row_table){
		.columns = columns,
		.ncolumns = COLUMNS,
		.nrows = rows->nrows,
		.sort = COL_SELF_PCT,
		.cell = rows__cell,
		.key = rows__key,
	};
}
