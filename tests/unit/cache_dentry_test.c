// SPDX-License-Identifier: GPL-2.0-only
/* The dentry model: sums, groupings, bounds, and what is not known. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>

#include "models/dentry.h"
#include "models/model.h"
#include "scope/filter.h"
#include "tests/lib/rows.h"

static struct model *model;
static u64 now_ns;

static int setup(void **state)
{
	model = model_dentry.new(NULL);
	now_ns = 1000 * NSEC_PER_SEC;
	return 0;
}

static int teardown(void **state)
{
	model_dentry.free(model);
	return 0;
}

static void put(u32 tgid, const char *comm, u64 lookups, u64 negative)
{
	struct dentry_sample s = {.head.type = SAMPLE_DENTRY,
				  .tgid = tgid,
				  .cgroup = 1,
				  .lookups = lookups,
				  .negative = negative};

	copy_str(s.comm, sizeof(s.comm), comm);
	model_dentry.consume(model, &s.head);
}

static const struct tally_snap *tick(void)
{
	struct snap *s = model_dentry.tick(model, now_ns, now_ns + NSEC_PER_SEC);

	now_ns += NSEC_PER_SEC;
	return container_of(s, struct tally_snap, base);
}

static struct tally_result *ask(const struct tally_snap *s, enum tally_group group,
				enum time_window window)
{
	struct tally_query q = {.of = &dentry_table, .group = group, .window = window};

	return tally__query(s, &q, NULL);
}

static void rows_and_shares(void **state)
{
	const struct tally_snap *s;
	struct tally_result *a;

	put(5, "cc1", 100, 25);
	put(6, "cc1", 300, 0);
	put(7, "ls", 1, 1);
	s = tick();
	a = ask(s, TALLY_BY_PID, WINDOW_LAST);
	assert_int_equal(a->nrows, 3);
	assert_int_equal(table_cell(&a->base.table, 0, "pid").u, 6);
	assert_int_equal(table_cell(&a->base.table, 0, "lookup_rate").u, 300);
	assert_float_equal(table_cell(&a->base.table, 1, "negative_pct").f, 25, 1e-9);
	assert_int_equal(a->n[DENTRY_LOOKUPS], 401);
	assert_int_equal(a->n[DENTRY_NEGATIVE], 26);
	query_result__free(&a->base);
	a = ask(s, TALLY_BY_COMM, WINDOW_LAST);
	assert_int_equal(a->nrows, 2);
	assert_int_equal(table_cell(&a->base.table, 0, "lookups").u, 400);
	query_result__free(&a->base);
	snap__put(&s->base);
}

static void slow_ones_are_not_invented(void **state)
{
	const struct tally_snap *s;
	struct tally_result *a;

	put(5, "cc1", 100, 25);
	s = tick();
	a = ask(s, TALLY_BY_PID, WINDOW_LAST);
	assert_int_equal(table_cell(&a->base.table, 0, "slow").type, VALUE_NONE);
	query_result__free(&a->base);
	snap__put(&s->base);
}

static void windows_and_the_state(void **state)
{
	const struct dentry_state_sample st = {
		.head.type = SAMPLE_DENTRY_STATE, .dentries = 9, .unused = 5, .negative = 2};
	const struct tally_snap *s;
	struct tally_result *a;

	put(5, "cc1", 100, 25);
	s = tick();
	assert_null(dentry__state(&s->base));
	snap__put(&s->base);
	model_dentry.consume(model, &st.head);
	put(5, "cc1", 50, 0);
	s = tick();
	assert_non_null(dentry__state(&s->base));
	assert_int_equal(dentry__state(&s->base)->dentries, 9);
	assert_int_equal(dentry__state(&s->base)->unused, 5);
	assert_int_equal(dentry__state(&s->base)->negative, 2);
	a = ask(s, TALLY_BY_PID, WINDOW_TOTAL);
	assert_int_equal(table_cell(&a->base.table, 0, "lookups").u, 150);
	assert_int_equal(table_cell(&a->base.table, 0, "lookup_rate").u, 75);
	query_result__free(&a->base);
	snap__put(&s->base);
	model_dentry.zero(model);
	s = tick();
	assert_int_equal(s->nuses, 0);
	snap__put(&s->base);
}

static void processes_that_are_too_many_are_others(void **state)
{
	const u32 n = DENTRY_MAX_ROWS * 2;
	const struct tally_snap *s;
	struct tally_result *a;

	for (u32 i = 1; i <= n; i++)
		put(i, "sh", 3, 1);
	s = tick();
	assert_true(s->nuses <= DENTRY_MAX_ROWS);
	a = ask(s, TALLY_BY_COMM, WINDOW_LAST);
	assert_int_equal(a->n[DENTRY_LOOKUPS], 3 * n);
	assert_int_equal(a->nrows, 2);
	query_result__free(&a->base);
	a = ask(s, TALLY_BY_PID, WINDOW_LAST);
	assert_string_equal(table_cell(&a->base.table, 0, "comm").s, "[others]");
	assert_int_equal(table_cell(&a->base.table, 0, "pid").type, VALUE_NONE);
	query_result__free(&a->base);
	snap__put(&s->base);
}

/* Which threads count was decided in the kernel: a filter by thread leaves their process's row. */
static void a_filter_by_thread_keeps_its_process(void **state)
{
	struct tally_query q = {.of = &dentry_table, .group = TALLY_BY_PID, .window = WINDOW_LAST};
	static const char *const filters[] = {"tid=78", "pid=77", "pid=5"};
	const struct tally_snap *s;

	put(77, "find", 10, 2);
	s = tick();
	for (u32 i = 0; i < ARRAY_SIZE(filters); i++) {
		struct filter_error err;
		struct scope *scope = filter__parse(filters[i], &err);
		struct tally_result *a = tally__query(s, &q, scope);

		assert_int_equal(a->nrows, i < 2);
		query_result__free(&a->base);
		scope__put(scope);
	}
	snap__put(&s->base);
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(rows_and_shares),
		T(slow_ones_are_not_invented),
		T(windows_and_the_state),
		T(processes_that_are_too_many_are_others),
		T(a_filter_by_thread_keeps_its_process),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
