// SPDX-License-Identifier: GPL-2.0-only
/* Sums of measures that are counts: with nothing counted beside them, by names of their own, one of
 * the other. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/lib/fake_symbols.h"
#include "tests/lib/measure_maker.h"

static struct measure_answer *ask(struct measure_maker *m, const struct measure *of, const char *groups)
{
	struct measure_query q = {.window = WINDOW_LAST};
	struct snap *snap = m->ops->tick(m->model, m->now_ns, m->now_ns + NSEC_PER_SEC);
	struct measure_answer *a;

	assert_true(measure__parse_groups(of, groups, &q.groups));
	a = measure__query(container_of(snap, struct measure_snap, base), &q, NULL);
	snap__put(snap);
	return a;
}

static struct value cell(const struct measure_answer *a, u32 row, const char *column)
{
	const struct row_table *t = &a->base.table;
	struct value v = {0};

	for (u32 i = 0; i < t->ncolumns; i++)
		if (!strcmp(t->columns[i].name, column)) {
			assert_true(t->cell(t, row, i, &v));
			return v;
		}
	fail_msg("no column %s", column);
	return v;
}

static void put(struct measure_maker *m, const char *first, const char *last, u32 count, u64 sum,
		u64 s0, u64 s1, u64 stack)
{
	const struct measure_key keys[] = {{1, first}, {0, ""}, {0, ""}, {0, last}};
	u32 hist[MEASURE_BUCKETS] = {[8] = count};
	struct measure_sample s = {.head.type = SAMPLE_MEASURE,
				   .keys = keys,
				   .nkeys = ARRAY_SIZE(keys),
				   .count = count,
				   .sum = sum,
				   .min = count ? sum / count : 0,
				   .max = count ? sum / count : 0,
				   .sums = {s0, s1},
				   .hist = hist};

	if (stack) {
		s.sampled = true;
		s.stack = stack;
		s.hist = NULL;
	}
	m->ops->consume(m->model, &s.head);
}

static void test_drops(void **state)
{
	struct measure_maker m;
	struct measure_answer *a;
	const struct measure *net = measure_table[MEASURE_NET];
	u64 stack;

	(void)state;
	measure_maker__begin_with(&m, &model_measure_net);
	stack = put_stack(&m, "udp_rcv");
	put(&m, "eth0", "", 10, 1000, 0, 40, 0);
	put(&m, "eth0", "NO_SOCKET", 0, 0, 3, 0, 0);
	put(&m, "eth0", "NO_SOCKET", 0, 0, 3, 0, stack);
	put(&m, "lo@web", "TCP_CSUM", 0, 0, 1, 0, 0);
	a = ask(&m, net, "device");
	assert_int_equal(a->nrows, 2);
	assert_string_equal(cell(a, 0, "device").s, "eth0");
	assert_int_equal(cell(a, 0, "packets").u, 10);
	assert_int_equal(cell(a, 0, "count").u, 10);
	assert_int_equal(cell(a, 0, "bytes").u, 1000);
	assert_int_equal(cell(a, 0, "sum_bytes").u, 1000);
	assert_int_equal(cell(a, 0, "drops").u, 3);
	assert_int_equal(cell(a, 0, "segments").u, 40);
	assert_int_equal(cell(a, 0, "avg_bytes").u, 100);
	assert_int_equal(cell(a, 1, "packets").u, 0);
	assert_int_equal(cell(a, 1, "drops").u, 1);
	assert_int_equal(cell(a, 1, "avg_bytes").type, VALUE_NONE);
	a->base.free(&a->base);
	measure_maker__end(&m);
}

static void test_reasons_and_namespaces(void **state)
{
	struct measure_maker m;
	struct measure_answer *a;
	const struct measure *net = measure_table[MEASURE_NET];

	(void)state;
	measure_maker__begin_with(&m, &model_measure_net);
	put(&m, "eth0", "A", 0, 0, 3, 0, put_stack(&m, "udp_rcv"));
	put(&m, "eth0@web", "B", 0, 0, 7, 0, put_stack(&m, "tcp_drop"));
	put(&m, "eth0", "A", 0, 0, 3, 0, 0);
	put(&m, "eth0@web", "B", 0, 0, 7, 0, 0);
	a = ask(&m, net, "stack");
	assert_int_equal(a->nrows, 2);
	/* The most first. */
	assert_int_equal(cell(a, 0, "drops").u, 7);
	assert_int_equal(cell(a, 0, "packets").u, 0);
	a->base.free(&a->base);
	put(&m, "eth0", "A", 0, 0, 3, 0, 0);
	put(&m, "eth0@web", "B", 0, 0, 7, 0, 0);
	a = ask(&m, net, "netns+reason");
	assert_int_equal(a->nrows, 2);
	assert_string_equal(cell(a, 0, "netns").s, "web");
	assert_string_equal(cell(a, 0, "reason").s, "B");
	assert_string_equal(cell(a, 1, "netns").s, "[own]");
	a->base.free(&a->base);
	measure_maker__end(&m);
}

static void test_ratio(void **state)
{
	struct measure_maker m;
	struct measure_answer *a;

	(void)state;
	measure_maker__begin_with(&m, &model_measure_counters);
	put(&m, "cycles", "", 800, 0, 400, 100, 0);
	put(&m, "major-faults", "", 0, 0, 400, 400, 0);
	a = ask(&m, measure_table[MEASURE_COUNTERS], "event");
	assert_int_equal(a->nrows, 2);
	assert_string_equal(cell(a, 0, "event").s, "cycles");
	assert_int_equal(cell(a, 0, "count").u, 800);
	assert_true(cell(a, 0, "scaled_pct").f == 25);
	assert_int_equal(cell(a, 1, "count").u, 0);
	assert_true(cell(a, 1, "scaled_pct").f == 100);
	a->base.free(&a->base);
	measure_maker__end(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_drops),
		cmocka_unit_test(test_reasons_and_namespaces),
		cmocka_unit_test(test_ratio),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
