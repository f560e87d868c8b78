// SPDX-License-Identifier: GPL-2.0-only
/* The CPU's own caches: what is taken of samples, and the columns of rows. */
#include "models/cpu_cache.h"

#include "base/columns.h"
#include "models/model.h"

#define ROW struct tally_row

enum {
	PIDS = 1u << TALLY_BY_PID,
	COMMS = 1u << TALLY_BY_COMM,
	CGROUPS = 1u << TALLY_BY_CGROUP,
	CPUS = 1u << TALLY_BY_CPU,
};

static void take(const struct sample *s, struct tally *who, u64 n[TALLY_COUNTS])
{
	const struct cpu_cache_sample *c = container_of(s, struct cpu_cache_sample, head);

	*who = (struct tally){.cpu = c->cpu, .tgid = c->tgid, .tid = c->tid, .cgroup = c->cgroup};
	copy_str(who->comm, sizeof(who->comm), c->comm);
	for (u32 k = 0; k < CPU_CACHES; k++)
		for (u32 i = 0; i < CPU_CACHE_COUNTS; i++)
			n[CPU_CACHE_COUNT(k, i)] = c->n[k][i];
}

static const struct tally_subject subject = {
	.max = CPU_CACHE_MAX_ROWS,
	.uses = SAMPLE_CPU_CACHE,
	.state = SAMPLE_CPU_CACHE_STATE,
	.state_size = sizeof(struct cpu_cache_state_sample),
	.take = take,
};

static struct model *cpu_cache__new(struct symbols *symbols)
{
	return tally_model__new(&subject);
}

const struct model_ops model_cpu_cache = {
	.name = "cpu-cache", .view = "cache-llc", .new = cpu_cache__new, TALLY_MODEL};

const struct cpu_cache_state *cpu_cache__state(const struct snap *s, enum cpu_cache cache)
{
	static const struct cpu_cache_state none;
	const struct sample *state = container_of(s, struct tally_snap, base)->state;

	return state ? &container_of(state, struct cpu_cache_state_sample, head)->of[cache] : &none;
}

/* --- rows --- */

struct value cpu_cache__hit_pct(const u64 *n)
{
	const u64 all = n[CPU_CACHE_REFERENCES], misses = MIN(n[CPU_CACHE_MISSES], all);

	if (!all)
		return (struct value){.type = VALUE_NONE};
	return (struct value){.type = VALUE_PCT, .f = (double)(all - misses) * 100 / (double)all};
}

static void hit_pct(const struct query_result *a, const void *row, struct value *out)
{
	*out = cpu_cache__hit_pct(((const struct tally_row *)row)->n);
}

static void miss_share(const struct query_result *a, const void *row, struct value *out)
{
	u64 all = container_of(a, struct tally_result, base)->n[CPU_CACHE_MISSES];

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
	TALLY_IDS(PIDS),
	{TEXT_COLUMN("comm", "Command", 15, 0, COLUMN_BOTH, "name of the thread"), TALLY_COMM,
	 .groups = PIDS | COMMS | CPUS, .keys = PIDS | COMMS | CPUS},
	TALLY_CGROUP(PIDS, CGROUPS),
	{COUNT_COLUMN("references", "references", 9, 0, COLUMN_EXPORT | COLUMN_SUM,
		      "times the cache was asked"),
	 NUMBER_AT(ROW, n[CPU_CACHE_REFERENCES])},
	{COUNT_COLUMN("misses", "misses", 9, 0, COLUMN_EXPORT | COLUMN_SUM,
		      "of those: it had not got it"),
	 NUMBER_AT(ROW, n[CPU_CACHE_MISSES])},
	{COUNT_COLUMN("cpu", "cpu", 9, 0, COLUMN_EXPORT | COLUMN_ASCENDING, "number of the CPU"),
	 VIA(ROW, most), NUMBER_AT(struct tally, cpu), .groups = CPUS},
	TALLY_PID(PIDS),
};

static bool passes(const struct tally *u, const u64 *n, const struct scope *scope)
{
	return (n[CPU_CACHE_REFERENCES] || n[CPU_CACHE_MISSES]) &&
	       scope__task(scope, u->tgid, u->tid, u->cpu, u->cgroup, u->comm);
}

#define TABLE(cache)                                                                               \
	[cache] = {.first = CPU_CACHE_COUNT(cache, 0), .count = CPU_CACHE_COUNTS,                  \
		   .rank = CPU_CACHE_MISSES, .fields = fields, .nfields = ARRAY_SIZE(fields),      \
		   .sort = "miss_rate", .passes = passes}

const struct tally_table cpu_cache_tables[CPU_CACHES] = {TABLE(CPU_CACHE_LLC), TABLE(CPU_CACHE_TLB)};

struct tally_result *cpu_cache__query(const struct tally_snap *snap, const struct tally_query *q,
				      const struct scope *scope)
{
	struct tally_result *a = tally__query(snap, q, scope);
	struct column *comm = column__named(a->columns, ARRAY_SIZE(fields), "comm");

	if (q->group != TALLY_BY_CPU)
		return a;
	comm->title = "Misses most";
	comm->help = "who misses most on this CPU";
	return a;
}
