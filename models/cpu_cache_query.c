// SPDX-License-Identifier: GPL-2.0-only
/* Rows of who misses the CPU's caches, and their columns. */
#include <stdio.h>

#include "base/columns.h"
#include "models/cpu_cache.h"
#include "models/who.h"
#include "models/windows.h"

struct answer_box {
	struct cpu_cache_answer answer;
	struct arena arena;
};

struct value cpu_cache__hit_pct(const u64 *n)
{
	const u64 all = n[CPU_CACHE_REFERENCES], misses = MIN(n[CPU_CACHE_MISSES], all);

	if (!all)
		return (struct value){.type = VALUE_NONE};
	return (struct value){.type = VALUE_PCT, .f = (double)(all - misses) * 100 / (double)all};
}

/* --- columns --- */

enum cpu_cache_column {
	COL_REFERENCE_RATE,
	COL_MISS_RATE,
	COL_HIT_PCT,
	COL_MISS_SHARE,
	COL_CPU_TEXT,
	COL_PID_TEXT,
	COL_COMM,
	COL_CGROUP,
	COL_REFERENCES,
	COL_MISSES,
	COL_CPU,
	COL_PID,
	COLUMNS,
};

static const struct column cpu_cache_columns[COLUMNS] = {
	[COL_REFERENCE_RATE] =
		COUNT_COLUMN("reference_rate", "Refs/s", 9, 0, COLUMN_SCREEN | COLUMN_SHARE,
			     "times the cache was asked, per second"),
	[COL_MISS_RATE] = COUNT_COLUMN("miss_rate", "Miss/s", 9, 0, COLUMN_SCREEN | COLUMN_SHARE,
				       "of those: it had not got it, per second"),
	[COL_HIT_PCT] = PCT_COLUMN("hit_pct", "Hit%", 12, 0, COLUMN_BOTH | COLUMN_BAR,
				   "share of the references that hit"),
	[COL_MISS_SHARE] = PCT_COLUMN("miss_share_pct", "Of misses%", 12, 2,
				      COLUMN_SCREEN | COLUMN_SHARE | COLUMN_BAR,
				      "share of all misses that are the row's"),
	[COL_CPU_TEXT] = TEXT_COLUMN("on", "CPU", 5, 0, COLUMN_SCREEN, "number of the CPU"),
	[COL_PID_TEXT] = TEXT_COLUMN("process", "PID", 7, 0, COLUMN_SCREEN, "process id"),
	[COL_COMM] = TEXT_COLUMN("comm", "Command", 15, 0, COLUMN_BOTH, "name of the thread"),
	[COL_CGROUP] = TEXT_COLUMN("cgroup", "Cgroup", 16, 3, COLUMN_BOTH | COLUMN_FLEX,
				   "cgroup v2 of the process, path below its mount point"),
	[COL_REFERENCES] = COUNT_COLUMN("references", "references", 9, 0,
					COLUMN_EXPORT | COLUMN_SUM, "times the cache was asked"),
	[COL_MISSES] = COUNT_COLUMN("misses", "misses", 9, 0, COLUMN_EXPORT | COLUMN_SUM,
				    "of those: it had not got it"),
	[COL_CPU] = COUNT_COLUMN("cpu", "cpu", 9, 0, COLUMN_EXPORT | COLUMN_ASCENDING,
				 "number of the CPU"),
	[COL_PID] =
		COUNT_COLUMN("pid", "pid", 9, 0, COLUMN_EXPORT | COLUMN_ASCENDING, "process id"),
};

static bool applies(const struct cpu_cache_answer *a, u32 column)
{
	const enum tally_group by = a->query.group;

	switch (column) {
	case COL_PID_TEXT:
	case COL_PID:
		return by == TALLY_BY_PID;
	case COL_CPU_TEXT:
	case COL_CPU:
		return by == TALLY_BY_CPU;
	case COL_COMM:
		return by != TALLY_BY_CGROUP;
	case COL_CGROUP:
		return by == TALLY_BY_PID || by == TALLY_BY_CGROUP;
	default:
		return true;
	}
}

static u64 number_cell(const struct cpu_cache_answer *a, const struct tally_row *r, u32 column)
{
	switch (column) {
	case COL_REFERENCE_RATE:
		return window__per_second(r->n[CPU_CACHE_REFERENCES], a->window_ns);
	case COL_MISS_RATE:
		return window__per_second(r->n[CPU_CACHE_MISSES], a->window_ns);
	case COL_REFERENCES:
		return r->n[CPU_CACHE_REFERENCES];
	case COL_MISSES:
		return r->n[CPU_CACHE_MISSES];
	case COL_CPU:
		return r->most->cpu;
	default:
		return r->most->tgid;
	}
}

static struct value share_cell(const struct cpu_cache_answer *a, const struct tally_row *r,
			       u32 column)
{
	if (column == COL_HIT_PCT)
		return cpu_cache__hit_pct(r->n);
	if (!a->n[CPU_CACHE_MISSES])
		return (struct value){.type = VALUE_NONE};
	return (struct value){.type = VALUE_PCT,
			      .f = (double)r->n[CPU_CACHE_MISSES] * 100 /
				   (double)a->n[CPU_CACHE_MISSES]};
}

static const char *text_cell(const struct tally_row *r, u32 column)
{
	switch (column) {
	case COL_CPU_TEXT:
		return r->cpu_text;
	case COL_PID_TEXT:
		return r->pid_text;
	case COL_CGROUP:
		return r->cgroup_name;
	default:
		return r->most->comm;
	}
}

static bool answer__cell(const struct row_table *t, u32 row, u32 column, struct value *out)
{
	const struct cpu_cache_answer *a = container_of(t, struct cpu_cache_answer, base.table);
	const struct tally_row *r = &a->rows[row];

	*out = (struct value){0};
	if (column >= COLUMNS || !applies(a, column))
		return false;
	out->type = cpu_cache_columns[column].type;
	if (out->type == VALUE_PCT)
		*out = share_cell(a, r, column);
	else if (out->type == VALUE_TEXT)
		out->s = text_cell(r, column);
	else if (column == COL_PID && r->most->tgid == TALLY_OTHERS)
		out->type = VALUE_NONE;
	else
		out->u = number_cell(a, r, column);
	return true;
}

static u64 answer__key(const struct row_table *t, u32 row)
{
	return container_of(t, struct cpu_cache_answer, base.table)->rows[row].key;
}

static void make_table(struct cpu_cache_answer *a, struct arena *arena)
{
	struct column *columns = arena__dup(arena, cpu_cache_columns, sizeof(cpu_cache_columns));
	u32 key = a->query.group == TALLY_BY_CGROUP ? COL_CGROUP : COL_COMM;

	columns[key].flags |= COLUMN_KEY | COLUMN_FLEX;
	columns[key].priority = 0;
	if (a->query.group == TALLY_BY_CPU) {
		columns[COL_COMM].title = "Misses most";
		columns[COL_COMM].help = "who misses most on this CPU";
	}
	a->base.table = (struct row_table){
		.columns = columns,
		.ncolumns = COLUMNS,
		.nrows = a->nrows,
		.sort = COL_MISS_RATE,
		.cell = answer__cell,
		.key = answer__key,
	};
}

/* --- rows --- */

static bool counts(const struct tally *u, const struct cpu_cache_query *q,
		   const struct scope *scope)
{
	const u64 *n = &u->n[q->window][CPU_CACHE_COUNT(q->cache, 0)];

	return (n[CPU_CACHE_REFERENCES] || n[CPU_CACHE_MISSES]) &&
	       scope__task(scope, u->tgid, u->tid, u->cpu, u->cgroup, u->comm);
}

static void cpu_cache_answer__free(struct answer *base)
{
	struct answer_box *box = container_of(base, struct answer_box, answer.base);

	snap__put(base->snap);
	arena__fini(&box->arena);
	free(box);
}

struct cpu_cache_answer *cpu_cache__query(const struct cpu_cache_snap *snap,
					  const struct cpu_cache_query *q,
					  const struct scope *scope)
{
	struct answer_box *box = xcalloc(1, sizeof(*box));
	struct cpu_cache_answer *a = &box->answer;
	struct tally_rows rows = {.group = q->group,
				  .window = q->window,
				  .first = CPU_CACHE_COUNT(q->cache, 0),
				  .count = CPU_CACHE_COUNTS,
				  .rank = CPU_CACHE_MISSES,
				  .arena = &box->arena};

	arena__init(&box->arena);
	a->base.snap = snap__get(&snap->base);
	a->base.since_ns = q->window == WINDOW_TOTAL ? snap->since_ns : snap->base.t0_ns;
	a->base.free = cpu_cache_answer__free;
	a->query = *q;
	a->window_ns = a->base.window_ns = snap->window_ns[q->window];
	a->known = snap->state_known && snap->state.of[q->cache].known;
	tally_rows__begin(&rows, snap->nuses);
	for (u32 i = 0; i < snap->nuses; i++)
		if (counts(&snap->uses[i], q, scope))
			tally_rows__add(&rows, &snap->uses[i]);
	tally_rows__end(&rows);
	a->rows = rows.rows;
	a->nrows = rows.n;
	memcpy(a->n, rows.sum, sizeof(a->n));
	make_table(a, &box->arena);
	return a;
}
