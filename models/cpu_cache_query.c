// SPDX-License-Identifier: GPL-2.0-only
/* Rows of who misses the CPU's caches, and their columns. */
#include "base/columns.h"
#include "models/cpu_cache.h"
#include "models/fields.h"

#define ROW  struct tally_row
#define COMM VIA(ROW, most), CHARS_AT(struct tally, comm)

enum {
	PIDS = 1u << TALLY_BY_PID,
	COMMS = 1u << TALLY_BY_COMM,
	CGROUPS = 1u << TALLY_BY_CGROUP,
	CPUS = 1u << TALLY_BY_CPU,
};

struct value cpu_cache__hit_pct(const u64 *n)
{
	const u64 all = n[CPU_CACHE_REFERENCES], misses = MIN(n[CPU_CACHE_MISSES], all);

	if (!all)
		return (struct value){.type = VALUE_NONE};
	return (struct value){.type = VALUE_PCT, .f = (double)(all - misses) * 100 / (double)all};
}

static void hit_pct(const struct answer *a, const void *row, struct value *out)
{
	*out = cpu_cache__hit_pct(((const struct tally_row *)row)->n);
}

static void miss_share(const struct answer *a, const void *row, struct value *out)
{
	u64 all = container_of(a, struct cpu_cache_answer, base)->n[CPU_CACHE_MISSES];

	out->type = all ? VALUE_PCT : VALUE_NONE;
	out->f = (double)((const struct tally_row *)row)->n[CPU_CACHE_MISSES] * 100 /
		 (double)MAX(all, 1ULL);
}

static const struct field fields[] = {
	{COUNT_COLUMN("reference_rate", "Refs/s", 9, 0, COLUMN_SCREEN | COLUMN_SHARE,
		      "times the cache was asked, per second"),
	 RATE_AT(ROW, n[CPU_CACHE_REFERENCES])},
	{COUNT_COLUMN("miss_rate", "Miss/s", 9, 0, COLUMN_SCREEN | COLUMN_SHARE,
		      "of those: it had not got it, per second"),
	 RATE_AT(ROW, n[CPU_CACHE_MISSES])},
	{PCT_COLUMN("hit_pct", "Hit%", 12, 0, COLUMN_BOTH | COLUMN_BAR,
		    "share of the references that hit"),
	 MADE_BY(hit_pct)},
	{PCT_COLUMN("miss_share_pct", "Of misses%", 12, 2,
		    COLUMN_SCREEN | COLUMN_SHARE | COLUMN_BAR,
		    "share of all misses that are the row's"),
	 MADE_BY(miss_share)},
	{TEXT_COLUMN("on", "CPU", 5, 0, COLUMN_SCREEN, "number of the CPU"), TEXT_AT(ROW, cpu_text),
	 .groups = CPUS},
	{TEXT_COLUMN("process", "PID", 7, 0, COLUMN_SCREEN, "process id"), TEXT_AT(ROW, pid_text),
	 .groups = PIDS},
	{TEXT_COLUMN("comm", "Command", 15, 0, COLUMN_BOTH, "name of the thread"), COMM,
	 .groups = PIDS | COMMS | CPUS, .keys = PIDS | COMMS | CPUS},
	{TEXT_COLUMN("cgroup", "Cgroup", 16, 3, COLUMN_BOTH | COLUMN_FLEX,
		     "cgroup v2 of the process, path below its mount point"),
	 TEXT_AT(ROW, cgroup_name), .groups = PIDS | CGROUPS, .keys = CGROUPS},
	{COUNT_COLUMN("references", "references", 9, 0, COLUMN_EXPORT | COLUMN_SUM,
		      "times the cache was asked"),
	 NUMBER_AT(ROW, n[CPU_CACHE_REFERENCES])},
	{COUNT_COLUMN("misses", "misses", 9, 0, COLUMN_EXPORT | COLUMN_SUM,
		      "of those: it had not got it"),
	 NUMBER_AT(ROW, n[CPU_CACHE_MISSES])},
	{COUNT_COLUMN("cpu", "cpu", 9, 0, COLUMN_EXPORT | COLUMN_ASCENDING, "number of the CPU"),
	 VIA(ROW, most), NUMBER_AT(struct tally, cpu), .groups = CPUS},
	{COUNT_COLUMN("pid", "pid", 9, 0, COLUMN_EXPORT | COLUMN_ASCENDING, "process id"),
	 NUMBER_AT(ROW, pid), UNLESS_0(ROW, pid), .groups = PIDS},
};

static void make_table(struct cpu_cache_answer *a)
{
	struct column *columns =
		ANSWER_TABLE(&a->base, fields, a->rows, a->nrows, a->query.group, 0, "miss_rate");
	struct column *comm = column__named(columns, ARRAY_SIZE(fields), "comm");

	if (a->query.group != TALLY_BY_CPU)
		return;
	comm->title = "Misses most";
	comm->help = "who misses most on this CPU";
}

/* --- rows --- */

static bool counts(const struct tally *u, const struct cpu_cache_query *q,
		   const struct scope *scope)
{
	const u64 *n = &u->n[q->window][CPU_CACHE_COUNT(q->cache, 0)];

	return (n[CPU_CACHE_REFERENCES] || n[CPU_CACHE_MISSES]) &&
	       scope__task(scope, u->tgid, u->tid, u->cpu, u->cgroup, u->comm);
}

struct cpu_cache_answer *cpu_cache__query(const struct cpu_cache_snap *snap,
					  const struct cpu_cache_query *q,
					  const struct scope *scope)
{
	struct cpu_cache_answer *a =
		answer__new(sizeof(*a), &snap->base, NULL,
			    q->window == WINDOW_TOTAL ? snap->since_ns : snap->base.t0_ns);
	struct tally_rows rows = {.group = q->group,
				  .window = q->window,
				  .first = CPU_CACHE_COUNT(q->cache, 0),
				  .count = CPU_CACHE_COUNTS,
				  .rank = CPU_CACHE_MISSES,
				  .arena = &a->base.arena};

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
	make_table(a);
	return a;
}
