// SPDX-License-Identifier: GPL-2.0-only
/* The CPU's own caches: records and counts divided among tasks, sums that are kept, bounds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>

#include "scope/filter.h"
#include "models/cpu_cache.h"
#include "models/model.h"
#include "sources/cpu_cache.h"
#include "sources/cpu_cache_sums.h"
#include "samples/perf_record.h"
#include "tests/lib/rows.h"

#define LLC  CPU_CACHE_LLC
#define REFS CPU_CACHE_REFERENCES
#define MISS CPU_CACHE_MISSES

static struct model *model;
static u64 now_ns;

static int setup(void **state)
{
	model = model_cpu_cache.new(NULL);
	now_ns = 1000 * NSEC_PER_SEC;
	return 0;
}

static int teardown(void **state)
{
	model_cpu_cache.free(model);
	return 0;
}

static const struct tally_snap *tick(void)
{
	struct snap *s = model_cpu_cache.tick(model, now_ns, now_ns + NSEC_PER_SEC);

	now_ns += NSEC_PER_SEC;
	return container_of(s, struct tally_snap, base);
}

static struct tally_result *ask(const struct tally_snap *s, enum tally_group group)
{
	struct tally_query q = {.of = &cpu_cache_tables[LLC], .group = group, .window = WINDOW_LAST};

	return cpu_cache__query(s, &q, NULL);
}

static void put(void *ctx, const struct sample *s)
{
	model_cpu_cache.consume(model, s);
}

static const struct sample_sink sink = {.put = put};

/* --- dividing --- */

static u64 sums[3]; /* of what was handed out: all, of nobody, of tgid 1 */

static void add_row(void *ctx, const struct cpu_cache_sample *row)
{
	sums[0] += row->n[LLC][REFS];
	if (row->tgid == CPU_CACHE_NOBODY)
		sums[1] += row->n[LLC][REFS];
	if (row->tgid == 1)
		sums[2] += row->n[LLC][REFS];
}

static void flush(struct cpu_cache_sums *s)
{
	memset(sums, 0, sizeof(sums));
	cpu_cache_sums__flush(s, add_row, NULL);
}

static void give(struct cpu_cache_sums *s, u32 cpu, u32 tgid, u64 weight)
{
	struct cpu_cache_who who = {.cpu = cpu, .tgid = tgid, .tid = tgid, .comm = "sh"};

	cpu_cache_sums__sample(s, LLC, REFS, &who, weight);
}

static void shares_sum_to_what_was_counted(void **state)
{
	struct cpu_cache_sums s = {0};

	give(&s, 0, 1, 100);
	give(&s, 0, 2, 100);
	give(&s, 0, 3, 100);
	cpu_cache_sums__counted(&s, LLC, REFS, 0, 1000);
	cpu_cache_sums__counted(&s, LLC, REFS, 1, 7);
	flush(&s);
	assert_int_equal(sums[0], 1007);
	assert_int_equal(sums[1], 7);
	assert_int_equal(sums[2], 333);
	/* Each interval begins anew, and huge ones do not overflow. */
	give(&s, 0, 1, UINT64_MAX / 4);
	give(&s, 0, 2, UINT64_MAX / 4);
	cpu_cache_sums__counted(&s, LLC, REFS, 0, UINT64_MAX / 2);
	flush(&s);
	assert_int_equal(sums[0], UINT64_MAX / 2);
	assert_int_equal(sums[1], 0);
	flush(&s);
	assert_int_equal(sums[0], 0);
	cpu_cache_sums__fini(&s);
}

static void tasks_that_are_too_many_are_nobodys(void **state)
{
	struct cpu_cache_sums s = {0};

	for (u32 i = 1; i <= 2 * CPU_CACHE_ROWS; i++)
		give(&s, 3, i, 10);
	give(&s, CPU_CACHE_CPUS, 1, 10);
	cpu_cache_sums__counted(&s, LLC, REFS, 3, 20 * CPU_CACHE_ROWS);
	cpu_cache_sums__counted(&s, LLC, REFS, UINT32_MAX, 5);
	assert_int_equal(s.full, CPU_CACHE_ROWS);
	flush(&s);
	assert_int_equal(sums[0], 20 * CPU_CACHE_ROWS);
	assert_int_equal(sums[1], 10 * CPU_CACHE_ROWS);
	cpu_cache_sums__fini(&s);
}

/* --- the source, from records --- */

/* A sample with every field that the decoder knows, without a call chain. */
struct record {
	struct perf_event_header head;
	u64 ip;
	u32 pid, tid;
	u64 t_ns;
	u32 cpu, reserved;
	u64 period, nchain, cgroup;
};

static void feed(struct source *s, enum cpu_cache_count what, u32 pid, u32 cpu, u64 period)
{
	struct record r = {
		.head = {.type = PERF_RECORD_SAMPLE, .size = sizeof(r)},
		.pid = pid,
		.tid = pid,
		.cpu = cpu,
		.period = period,
		.cgroup = 9,
	};

	cpu_cache__feed(s, LLC, what, &r.head, sizeof(r));
	/* Cut short: refused. */
	r.head.size -= 16;
	cpu_cache__feed(s, LLC, what, &r.head, r.head.size);
}

static struct source *open_fake(const char *filter)
{
	struct filter_error err;
	struct scope *scope = filter__parse(filter, &err);
	u64 fields;
	struct source *s = cpu_cache__open_fake(scope, &fields);

	assert_int_equal(fields, PERF_RECORD_FIELDS);
	scope__put(scope);
	return s;
}

static void feed_scene(struct source *s)
{
	feed(s, REFS, 4000001, 0, 300);
	feed(s, REFS, 4000001, 1, 500);
	feed(s, REFS, 4000002, 1, 1500);
	feed(s, MISS, 4000002, 1, 50);
	cpu_cache__feed_count(s, LLC, REFS, 0, 1000, 10, 10);
	cpu_cache__feed_count(s, LLC, REFS, 1, 4000, 10, 10);
	cpu_cache__feed_count(s, LLC, MISS, 0, 5, 10, 10);
	/* Counted half of the time. */
	cpu_cache__feed_count(s, LLC, MISS, 1, 100, 10, 5);
}

static void records_become_rows(void **state)
{
	struct source *s = open_fake("");
	const struct tally_snap *snap;
	struct tally_result *a;
	struct health h = {0};

	feed_scene(s);
	source_cpu_cache.drain(s, true, &sink);
	source_cpu_cache.health(s, &h);
	assert_int_equal(h.samples, 4);
	snap = tick();
	assert_true(cpu_cache__state(&snap->base, LLC)->estimated);
	a = ask(snap, TALLY_BY_PID);
	assert_int_equal(a->nrows, 3);
	assert_int_equal(a->n[REFS], 5000);
	assert_int_equal(a->n[MISS], 205);
	assert_int_equal(table_cell(&a->base.table, 0, "pid").u, 4000002);
	assert_int_equal(table_cell(&a->base.table, 0, "references").u, 3000);
	assert_int_equal(table_cell(&a->base.table, 0, "misses").u, 200);
	assert_int_equal(table_cell(&a->base.table, 0, "miss_rate").u, 200);
	assert_float_equal(table_cell(&a->base.table, 0, "hit_pct").f, 100 * 2800.0 / 3000, 1e-9);
	/* Nobody was sampled missing on the other CPU: no reference is its either. */
	assert_string_equal(table_cell(&a->base.table, 1, "comm").s, "[not sampled]");
	assert_int_equal(table_cell(&a->base.table, 1, "pid").type, VALUE_NONE);
	assert_int_equal(table_cell(&a->base.table, 1, "misses").u, 5);
	assert_int_equal(table_cell(&a->base.table, 1, "hit_pct").type, VALUE_NONE);
	assert_int_equal(table_cell(&a->base.table, 2, "references").u, 2000);
	query_result__free(&a->base);
	a = ask(snap, TALLY_BY_CPU);
	assert_int_equal(a->nrows, 2);
	assert_int_equal(table_cell(&a->base.table, 0, "cpu").u, 1);
	assert_int_equal(table_cell(&a->base.table, 0, "references").u, 4000);
	assert_int_equal(table_cell(&a->base.table, 0, "misses").u, 200);
	assert_int_equal(table_cell(&a->base.table, 1, "references").u, 1000);
	query_result__free(&a->base);
	snap__put(&snap->base);
	source_cpu_cache.close(s);
}

/* What others did is not dealt to those in scope. */
static void a_scope_takes_only_its_share(void **state)
{
	struct source *s = open_fake("pid=4000001 cpu=1");
	const struct tally_snap *snap;
	struct tally_result *a;

	feed_scene(s);
	source_cpu_cache.drain(s, true, &sink);
	snap = tick();
	a = ask(snap, TALLY_BY_PID);
	assert_int_equal(a->nrows, 1);
	assert_int_equal(a->n[REFS], 1000);
	assert_int_equal(a->n[MISS], 0);
	query_result__free(&a->base);
	snap__put(&snap->base);
	source_cpu_cache.close(s);
}

/* Counters tell sums since they were opened. */
static void counts_are_differences(void **state)
{
	struct source *s = open_fake("");
	const struct tally_snap *snap;
	struct tally_result *a;

	for (u64 i = 1; i <= 3; i++) {
		cpu_cache__feed_count(s, LLC, REFS, 2, 100 * i, 10 * i, 10 * i);
		source_cpu_cache.drain(s, true, &sink);
		snap = tick();
		a = ask(snap, TALLY_BY_CPU);
		assert_int_equal(a->n[REFS], 100);
		assert_false(cpu_cache__state(&snap->base, LLC)->estimated);
		query_result__free(&a->base);
		snap__put(&snap->base);
	}
	source_cpu_cache.close(s);
}

/* --- the model --- */

static void processes_that_are_too_many_are_their_cpus(void **state)
{
	const u32 n = 2 * CPU_CACHE_MAX_ROWS;
	const struct tally_snap *snap;
	struct tally_result *a;

	for (u32 i = 1; i <= n; i++) {
		struct cpu_cache_sample s = {.head.type = SAMPLE_CPU_CACHE,
					     .cpu = i % 2,
					     .tgid = i,
					     .comm = "sh",
					     .n = {{3, 1}}};

		model_cpu_cache.consume(model, &s.head);
	}
	snap = tick();
	assert_true(snap->nuses <= CPU_CACHE_MAX_ROWS);
	a = ask(snap, TALLY_BY_CPU);
	assert_int_equal(a->nrows, 2);
	assert_int_equal(table_cell(&a->base.table, 0, "references").u, 3 * n / 2);
	assert_int_equal(table_cell(&a->base.table, 1, "misses").u, n / 2);
	query_result__free(&a->base);
	a = ask(snap, TALLY_BY_PID);
	assert_string_equal(table_cell(&a->base.table, 0, "comm").s, "[others]");
	assert_int_equal(a->n[REFS], 3 * n);
	query_result__free(&a->base);
	snap__put(&snap->base);
	model_cpu_cache.zero(model);
	snap = tick();
	assert_int_equal(snap->nuses, 0);
	snap__put(&snap->base);
}

static void more_misses_than_references_are_no_hits(void **state)
{
	const u64 odd[CPU_CACHE_COUNTS] = {3, 9}, none[CPU_CACHE_COUNTS] = {0, 9};

	assert_float_equal(cpu_cache__hit_pct(odd).f, 0, 1e-9);
	assert_int_equal(cpu_cache__hit_pct(none).type, VALUE_NONE);
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(shares_sum_to_what_was_counted),
		T(tasks_that_are_too_many_are_nobodys),
		T(records_become_rows),
		T(a_scope_takes_only_its_share),
		T(counts_are_differences),
		T(processes_that_are_too_many_are_their_cpus),
		T(more_misses_than_references_are_no_hits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
