// SPDX-License-Identifier: GPL-2.0-only
/* Rows of who looks up names, and their columns. */
#include "base/columns.h"
#include "models/dentry.h"
#include "models/who.h"
#include "models/windows.h"

struct answer_box {
	struct dentry_answer answer;
	struct arena arena;
};

/* --- columns --- */

enum dentry_column {
	COL_LOOKUP_RATE,
	COL_NEGATIVE_RATE,
	COL_NEGATIVE_PCT,
	COL_SLOW_RATE,
	COL_PID_TEXT,
	COL_COMM,
	COL_CGROUP,
	COL_COUNTS, /* and one for each further count */
	COL_COUNTS_END = COL_COUNTS + DENTRY_COUNTS,
	COL_PID = COL_COUNTS_END,
	COLUMNS,
};

static const struct column dentry_columns[COLUMNS] = {
	[COL_LOOKUP_RATE] =
		COUNT_COLUMN("lookup_rate", "Lookup/s", 9, 0, COLUMN_SCREEN | COLUMN_SHARE,
			     "system calls that name a path, per second"),
	[COL_NEGATIVE_RATE] =
		COUNT_COLUMN("negative_rate", "Absent/s", 9, 1, COLUMN_SCREEN | COLUMN_SHARE,
			     "of those: found nothing of that name, per second"),
	[COL_NEGATIVE_PCT] = PCT_COLUMN("negative_pct", "Absent%", 12, 0, COLUMN_BOTH | COLUMN_BAR,
					"share of the lookups that found nothing of that name"),
	[COL_SLOW_RATE] = COUNT_COLUMN("slow_rate", "Slow/s", 9, 2, COLUMN_SCREEN | COLUMN_SHARE,
				       "of those: the file system had to be asked, per second"),
	[COL_PID_TEXT] = TEXT_COLUMN("process", "PID", 7, 0, COLUMN_SCREEN, "process id"),
	[COL_COMM] = TEXT_COLUMN("comm", "Command", 15, 0, COLUMN_BOTH, "name of the process"),
	[COL_CGROUP] = TEXT_COLUMN("cgroup", "Cgroup", 16, 3, COLUMN_BOTH | COLUMN_FLEX,
				   "cgroup v2 of the process, path below its mount point"),
	[COL_COUNTS + DENTRY_LOOKUPS] =
		COUNT_COLUMN("lookups", "lookups", 9, 0, COLUMN_EXPORT | COLUMN_SUM,
			     "system calls that name a path"),
	[COL_COUNTS + DENTRY_NEGATIVE] =
		COUNT_COLUMN("negative", "negative", 9, 0, COLUMN_EXPORT | COLUMN_SUM,
			     "of those: found nothing of that name"),
	[COL_COUNTS + DENTRY_SLOW] = COUNT_COLUMN(
		"slow", "slow", 9, 0, COLUMN_EXPORT | COLUMN_SUM,
		"of those: the file system had to be asked; null where that is not known"),
	[COL_PID] =
		COUNT_COLUMN("pid", "pid", 9, 0, COLUMN_EXPORT | COLUMN_ASCENDING, "process id"),
};

static bool applies(const struct dentry_answer *a, u32 column)
{
	switch (column) {
	case COL_PID_TEXT:
	case COL_PID:
		return a->query.group == TALLY_BY_PID;
	case COL_COMM:
		return a->query.group != TALLY_BY_CGROUP;
	case COL_SLOW_RATE:
		return a->slow_known;
	case COL_CGROUP:
		return a->query.group != TALLY_BY_COMM;
	default:
		return true;
	}
}

static u64 number_cell(const struct dentry_answer *a, const struct tally_row *r, u32 column)
{
	switch (column) {
	case COL_LOOKUP_RATE:
		return window__per_second(r->n[DENTRY_LOOKUPS], a->window_ns);
	case COL_NEGATIVE_RATE:
		return window__per_second(r->n[DENTRY_NEGATIVE], a->window_ns);
	case COL_SLOW_RATE:
		return window__per_second(r->n[DENTRY_SLOW], a->window_ns);
	case COL_PID:
		return r->most->tgid;
	default:
		return r->n[column - COL_COUNTS];
	}
}

static bool is_none(const struct dentry_answer *a, const struct tally_row *r, u32 column)
{
	switch (column) {
	case COL_PID:
		return r->most->tgid == TALLY_OTHERS;
	case COL_NEGATIVE_PCT:
		return !r->n[DENTRY_LOOKUPS];
	case COL_COUNTS + DENTRY_SLOW:
		return !a->slow_known;
	default:
		return false;
	}
}

static bool answer__cell(const struct row_table *t, u32 row, u32 column, struct value *out)
{
	const struct dentry_answer *a = container_of(t, struct dentry_answer, base.table);
	const struct tally_row *r = &a->rows[row];

	*out = (struct value){0};
	if (column >= COLUMNS || !applies(a, column))
		return false;
	out->type = is_none(a, r, column) ? VALUE_NONE : dentry_columns[column].type;
	if (column == COL_PID_TEXT)
		out->s = r->pid_text;
	else if (out->type == VALUE_TEXT)
		out->s = column == COL_CGROUP ? r->cgroup_name : r->most->comm;
	else if (out->type == VALUE_PCT)
		out->f = (double)r->n[DENTRY_NEGATIVE] * 100 / (double)r->n[DENTRY_LOOKUPS];
	else if (out->type == VALUE_COUNT)
		out->u = number_cell(a, r, column);
	return true;
}

static u64 answer__key(const struct row_table *t, u32 row)
{
	return container_of(t, struct dentry_answer, base.table)->rows[row].key;
}

static void make_table(struct dentry_answer *a, struct arena *arena)
{
	struct column *columns = arena__dup(arena, dentry_columns, sizeof(dentry_columns));
	u32 key = a->query.group == TALLY_BY_CGROUP ? COL_CGROUP : COL_COMM;

	columns[key].flags |= COLUMN_KEY | COLUMN_FLEX;
	columns[key].priority = 0;
	a->base.table = (struct row_table){
		.columns = columns,
		.ncolumns = COLUMNS,
		.nrows = a->nrows,
		.sort = COL_LOOKUP_RATE,
		.cell = answer__cell,
		.key = answer__key,
	};
}

/* --- rows --- */

static bool counts(const struct tally *u, enum profile_window w, const struct scope *scope)
{
	return u->n[w][DENTRY_LOOKUPS] &&
	       who__passes(scope, u->tgid, 0, u->cgroup, u->comm) &&
	       scope__thread(scope, u->kthread);
}

static void dentry_answer__free(struct answer *base)
{
	struct answer_box *box = container_of(base, struct answer_box, answer.base);

	snap__put(base->snap);
	arena__fini(&box->arena);
	free(box);
}

struct dentry_answer *dentry__query(const struct dentry_snap *snap, const struct dentry_query *q,
				    const struct scope *scope)
{
	struct answer_box *box = xcalloc(1, sizeof(*box));
	struct dentry_answer *a = &box->answer;
	struct tally_rows rows = {.group = q->group,
				  .window = q->window,
				  .count = DENTRY_COUNTS,
				  .rank = DENTRY_LOOKUPS,
				  .arena = &box->arena};

	arena__init(&box->arena);
	a->base.snap = snap__get(&snap->base);
	a->base.since_ns = q->window == WINDOW_TOTAL ? snap->since_ns : snap->base.t0_ns;
	a->base.free = dentry_answer__free;
	a->query = *q;
	a->window_ns = a->base.window_ns = snap->window_ns[q->window];
	a->slow_known = snap->slow_known;
	tally_rows__begin(&rows, snap->nuses);
	for (u32 i = 0; i < snap->nuses; i++)
		if (counts(&snap->uses[i], q->window, scope))
			tally_rows__add(&rows, &snap->uses[i]);
	tally_rows__end(&rows);
	a->rows = rows.rows;
	a->nrows = rows.n;
	memcpy(a->n, rows.sum, sizeof(a->n));
	make_table(a, &box->arena);
	return a;
}
