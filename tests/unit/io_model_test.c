// SPDX-License-Identifier: GPL-2.0-only
/* The io model: sums over windows, partitions, quantiles. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>

#include "models/heat.h"
#include "tests/lib/fake_symbols.h"
#include "tests/lib/io_builder.h"
#include "tests/lib/rows.h"

/* --- buckets --- */

static void buckets_are_narrow_and_meet(void **state)
{
	for (u32 i = 0; i < BLOCK_BUCKETS; i++) {
		u64 lo = block__lo(i), hi = block__lo(i + 1);

		assert_true(hi > lo);
		assert_int_equal(block__bucket(lo), i);
		assert_int_equal(block__bucket(hi - 1), i);
		assert_true(lo < 4000 || hi - lo <= lo / 16);
	}
	for (u32 us = 1; us < 1u << 24; us *= 2)
		assert_int_equal(block__lo(block__bucket(us * 1000ULL)), us * 1000ULL);
	assert_int_equal(block__bucket(UINT64_MAX), BLOCK_BUCKETS - 1);
}

static int by_value(const void *a, const void *b)
{
	u64 x = *(const u64 *)a, y = *(const u64 *)b;

	return (x > y) - (x < y);
}

static void quantiles_are_those_of_the_sorted_values(void **state)
{
	static const double qs[] = {0.01, 0.1, 0.5, 0.9, 0.95, 0.99, 1};
	struct io_hist h = {0};
	u64 values[5000];

	for (u32 i = 0; i < ARRAY_SIZE(values); i++) {
		values[i] = 20000 + random_below(*state, 1u << (10 + random_below(*state, 14)));
		h.n[block__bucket(values[i])]++;
	}
	qsort(values, ARRAY_SIZE(values), sizeof(values[0]), by_value);
	for (u32 i = 0; i < ARRAY_SIZE(qs); i++) {
		u32 at = (u32)(qs[i] * (ARRAY_SIZE(values) - 1));
		u64 got = io_hist__quantile(&h, qs[i], values[ARRAY_SIZE(values) - 1]);

		assert_in_range(got, values[at] * 94 / 100, values[at] * 106 / 100);
	}
}

/* --- devices --- */

static void sums_of_the_windows(void **state)
{
	struct builder *m = *state;
	const struct io_snap *s;

	put(m, vda(), IO_READ, 0, 10, MS, true);
	snap__put(&tick(m)->base);
	put(m, vda(), IO_READ, 0, 4, 2 * MS, true);
	s = tick(m);
	assert_int_equal(s->nkinds, 1);
	assert_int_equal(s->kinds[0].sums[WINDOW_LAST].count, 4);
	assert_int_equal(s->kinds[0].sums[WINDOW_TOTAL].count, 14);
	assert_int_equal(s->kinds[0].sums[WINDOW_TOTAL].bytes, 14 * 4096);
	assert_in_range(s->kinds[0].sums[WINDOW_DECAY].count, 5, 14);
	assert_int_equal(s->kinds[0].sums[WINDOW_LAST].max_ns[IO_TOTAL], 2 * MS);
	assert_int_equal(s->kinds[0].sums[WINDOW_TOTAL].max_ns[IO_QUEUED], MS / 2);
	snap__put(&s->base);
}

/* Maxima are forgotten before counts have faded: what the counts tell is not cut to them. */
static void what_fades_keeps_its_times(void **state)
{
	struct builder *m = *state;
	struct io_query q = {.window = WINDOW_DECAY};
	const struct io_snap *s;
	struct io_result *a;

	put(m, vda(), IO_READ, 0, 2000, 5 * MS, true);
	put_proc(m, 10, "db", false, 77, IO_READ, 2000);
	for (u32 i = 0; i < 44; i++)
		snap__put(&tick(m)->base);
	s = tick(m);
	assert_int_equal(s->procs[0].sums[WINDOW_DECAY].max_ns, 0);
	a = io__query(s, &q, NULL);
	assert_int_equal(a->nrows, 1);
	assert_in_range(table_cell(&a->base.table, 0, "p50_ns").u, 5 * MS * 15 / 16, 5 * MS);
	assert_true(table_cell(&a->base.table, 0, "max_ns").u >= table_cell(&a->base.table, 0, "p99_ns").u);
	assert_true(a->sums.max_ns[IO_TOTAL] >= 5 * MS * 15 / 16);
	query_result__free(&a->base);
	q.group = IO_BY_PID;
	a = io__query(s, &q, NULL);
	assert_int_equal(table_cell(&a->base.table, 0, "max_ns").u, table_cell(&a->base.table, 0, "avg_ns").u);
	query_result__free(&a->base);
	snap__put(&s->base);
}

/* A flush has no size; of a time that is never known nothing is said. */
static void what_is_not_known_is_none(void **state)
{
	struct builder *m = *state;
	struct io_sample s = {
		.head.type = SAMPLE_IO, .device = vda(), .op = IO_FLUSH, .count = 3};
	const struct io_snap *snap;
	struct io_result *a;

	model_io.consume(m->model, &s.head);
	snap = tick(m);
	a = ask(snap, IO_BY_DEVICE, false, "");
	assert_int_equal(table_cell(&a->base.table, 0, "count").u, 3);
	assert_int_equal(table_cell(&a->base.table, 0, "p50_ns").type, VALUE_NONE);
	assert_int_equal(table_cell(&a->base.table, 0, "max_ns").type, VALUE_NONE);
	assert_int_equal(table_cell(&a->base.table, 0, "size_avg_bytes").type, VALUE_NONE);
	assert_int_equal(table_cell(&a->base.table, 0, "size_p50_bytes").type, VALUE_NONE);
	assert_int_equal(table_cell(&a->base.table, 0, "queue_avg_ns").type, VALUE_NONE);
	assert_string_equal(table_cell(&a->base.table, 0, "queue_avg").s, "unknown");
	query_result__free(&a->base);
	snap__put(&snap->base);
}

static void the_last_minutes_are_of_the_stage(void **state)
{
	struct builder *m = *state;
	struct io_query q = {.stage = IO_QUEUED, .minutes = true};
	const struct io_snap *s;
	struct io_result *a;

	put(m, vda(), IO_READ, 0, 6, 8 * MS, true);
	put(m, device(LOOP0, LOOP0, "loop0", "loop0"), IO_READ, 0, 3, MS, false);
	snap__put(&tick(m)->base);
	put(m, vda(), IO_WRITE, 0, 4, 8 * MS, true);
	s = tick(m);
	a = io__query(s, &q, NULL);
	assert_int_equal(a->heat->count, 10);
	assert_int_equal(a->heat->ntimes, 2);
	query_result__free(&a->base);
	q.by_dev = true;
	q.dev = LOOP0;
	q.stage = IO_TOTAL;
	a = io__query(s, &q, NULL);
	assert_int_equal(a->heat->count, 3);
	query_result__free(&a->base);
	snap__put(&s->base);
}

static void a_disk_has_its_partitions(void **state)
{
	struct builder *m = *state;
	const struct io_snap *s;
	struct io_result *a;
	u64 disk = 0, part = 0;

	put(m, vda(), IO_WRITE, 0, 5, MS, true);
	put(m, device(VDA1, VDA, "vda1", "vda"), IO_WRITE, 0, 7, MS, true);
	s = tick(m);
	a = ask(s, IO_BY_DEVICE, false, "");
	for (u32 i = 0; i < a->nrows; i++)
		*(a->rows[i].partition ? &part : &disk) += a->rows[i].sums.count;
	assert_int_equal(disk, 12);
	assert_int_equal(part, 7);
	assert_int_equal(a->sums.count, 12); /* once */
	query_result__free(&a->base);
	snap__put(&s->base);
}

static void flags_are_apart_or_joined(void **state)
{
	struct builder *m = *state;
	const struct io_snap *s;
	struct io_result *a;

	put(m, vda(), IO_WRITE, IO_FLAG_SYNC, 5, MS, true);
	put(m, vda(), IO_WRITE, IO_FLAG_SYNC | IO_FLAG_META, 2, MS, true);
	put(m, vda(), IO_READ, 0, 1, MS, true);
	s = tick(m);
	a = ask(s, IO_BY_DEVICE, false, "");
	assert_int_equal(a->nrows, 3);
	assert_string_equal(table_cell(&a->base.table, 0, "flags").s, "sync");
	assert_string_equal(table_cell(&a->base.table, 1, "flags").s, "sync meta");
	assert_string_equal(table_cell(&a->base.table, 2, "op").s, "read");
	query_result__free(&a->base);
	a = ask(s, IO_BY_DEVICE, true, "");
	assert_int_equal(a->nrows, 2);
	assert_int_equal(table_cell(&a->base.table, 0, "count").u, 7);
	assert_int_equal(table_cell(&a->base.table, 0, "flags").type, VALUE_NONE);
	query_result__free(&a->base);
	snap__put(&s->base);
}

static void time_queued_is_not_invented(void **state)
{
	struct builder *m = *state;
	const struct io_snap *s;
	struct io_result *a;

	put(m, vda(), IO_READ, 0, 9, MS, true);
	put(m, device(LOOP0, LOOP0, "loop0", "loop0"), IO_READ, 0, 3, MS, false);
	s = tick(m);
	a = ask(s, IO_BY_DEVICE, false, "");
	assert_int_equal(table_cell(&a->base.table, 0, "queue_p50_ns").type, VALUE_NS);
	assert_in_range(table_cell(&a->base.table, 0, "queue_p50_ns").u, MS * 22 / 100, MS * 28 / 100);
	assert_int_equal(table_cell(&a->base.table, 1, "queue_p50_ns").type, VALUE_NONE);
	assert_string_equal(table_cell(&a->base.table, 1, "queued").s, "unknown");
	assert_int_equal(table_cell(&a->base.table, 1, "device_p50_ns").type, VALUE_NONE);
	assert_int_equal(table_cell(&a->base.table, 1, "max_ns").u, MS);
	assert_int_equal(table_cell(&a->base.table, 1, "size_p50_bytes").u, 4096);
	query_result__free(&a->base);
	snap__put(&s->base);
}

static void a_device_of_another_name_is_another(void **state)
{
	struct builder *m = *state;
	const struct io_snap *s;

	put(m, device(8u << 20, 8u << 20, "sda", "sda"), IO_READ, 0, 1, MS, false);
	put(m, device(8u << 20, 8u << 20, "sdb", "sdb"), IO_READ, 0, 1, MS, false);
	s = tick(m);
	assert_int_equal(s->nkinds, 2);
	snap__put(&s->base);
}

static void shares_of_the_time_and_trends(void **state)
{
	struct builder *m = *state;
	const struct io_snap *s;
	struct io_result *a;
	struct value trend;

	put(m, vda(), IO_READ, 0, 30, MS, true);
	snap__put(&tick(m)->base);
	put(m, vda(), IO_READ, 0, 10, 3 * MS, true);
	put(m, vda(), IO_WRITE, 0, 1, 10 * MS, true);
	put_proc(m, 10, "db", false, 77, IO_READ, 10);
	s = tick(m);
	a = ask(s, IO_BY_DEVICE, false, "");
	assert_int_equal(a->nrows, 2);
	assert_float_equal(table_cell(&a->base.table, 0, "time_pct").f, 75, 1e-9);
	assert_float_equal(table_cell(&a->base.table, 1, "time_pct").f, 25, 1e-9);
	trend = table_cell(&a->base.table, 0, "trend");
	assert_int_equal(trend.n, TREND_LEN);
	assert_float_equal(trend.trend[TREND_LEN - 1], 10, 1e-3);
	assert_float_equal(trend.trend[TREND_LEN - 2], 30, 1e-3);
	assert_float_equal(trend.trend[TREND_LEN - 3], 0, 1e-3);
	query_result__free(&a->base);
	a = ask(s, IO_BY_PID, false, "");
	assert_float_equal(table_cell(&a->base.table, 0, "time_pct").f, 25, 1e-9);
	query_result__free(&a->base);
	snap__put(&s->base);
}

static void zero_forgets_it_all(void **state)
{
	struct builder *m = *state;
	const struct io_snap *s;

	put(m, vda(), IO_READ, 0, 10, MS, true);
	put_proc(m, 10, "db", false, 77, IO_READ, 5);
	put_slow(m, m->now_ns, MS, 0);
	snap__put(&tick(m)->base);
	model_io.zero(m->model);
	s = tick(m);
	assert_int_equal(s->nkinds + s->nprocs + s->nslow, 0);
	assert_int_equal(s->heat.n, 1);
	snap__put(&s->base);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
		T(buckets_are_narrow_and_meet),
		T(quantiles_are_those_of_the_sorted_values),
		T(sums_of_the_windows),
		T(what_fades_keeps_its_times),
		T(what_is_not_known_is_none),
		T(the_last_minutes_are_of_the_stage),
		T(a_disk_has_its_partitions),
		T(flags_are_apart_or_joined),
		T(time_queued_is_not_invented),
		T(a_device_of_another_name_is_another),
		T(shares_of_the_time_and_trends),
		T(zero_forgets_it_all),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
