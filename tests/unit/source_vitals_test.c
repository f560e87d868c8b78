// SPDX-License-Identifier: GPL-2.0-only
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "sources/source.h"
#include "sources/vitals_parse.h"

static void close_to(double got, double want)
{
	assert_true(got > want - 1e-6 && got < want + 1e-6);
}

static void test_cpu_shares(void **state)
{
	struct cpu_times a, b;
	struct vitals v = {0};

	vitals__parse_stat("cpu  100 0 50 1000 10 1 2 3 0 0\ncpu0 1 2 3 4\n", &a);
	vitals__parse_stat("cpu  130 10 60 1040 15 2 3 6 0 0\ncpu0 1 2 3 4\n", &b);
	vitals__cpu_shares(&a, &b, &v);
	close_to(v.user_pct, 40);
	close_to(v.system_pct, 10);
	close_to(v.idle_pct, 40);
	close_to(v.iowait_pct, 5);
	close_to(v.irq_pct, 2);
	close_to(v.steal_pct, 3);
}

/* iowait and idle may run backward; nothing may become negative or infinite. */
static void test_counters_that_go_back(void **state)
{
	const struct cpu_times a = {.user = 10, .idle = 100, .iowait = 50};
	const struct cpu_times b = {.user = 20, .idle = 99, .iowait = 40};
	struct vitals v = {0};

	vitals__cpu_shares(&a, &b, &v);
	close_to(v.user_pct, 100);
	close_to(v.iowait_pct, 0);
	v = (struct vitals){0};
	vitals__cpu_shares(&a, &a, &v);
	close_to(v.idle_pct, 0);
}

static void test_meminfo_and_load(void **state)
{
	struct vitals v = {0};

	vitals__parse_meminfo("MemTotal:  1000 kB\nMemFree: 5 kB\nMemAvailable: 600 kB\n"
			      "SwapCached: 7 kB\nCached:  30 kB\nSwapTotal: 9 kB",
			      &v);
	assert_int_equal(v.mem_total_bytes, 1024000);
	assert_int_equal(v.mem_available_bytes, 614400);
	assert_int_equal(v.cached_bytes, 30 * 1024);
	assert_int_equal(v.swap_total_bytes, 9 * 1024);
	assert_int_equal(v.swap_free_bytes, 0);
	vitals__parse_loadavg("0.50 1.25 2.00 3/456 789\n", &v);
	assert_int_equal(v.last_pid, 789);
	assert_true(vitals__starts_per_s(789, 1039, NSEC_PER_SEC / 2) == 500);
	assert_true(vitals__starts_per_s(0, 1039, NSEC_PER_SEC) == 0);	/* the first look */
	assert_true(vitals__starts_per_s(32000, 300, NSEC_PER_SEC) == 0); /* numbers began anew */
	close_to(v.load5, 1.25);
	assert_int_equal(v.running, 3);
	assert_int_equal(v.tasks, 456);
}

static void test_pressure(void **state)
{
	double some, full;

	assert_true(vitals__parse_pressure("some avg10=1.50 avg60=0.00 avg300=0.00 total=1\n"
					   "full avg10=0.25 avg60=0.00 avg300=0.00 total=1\n",
					   &some, &full));
	close_to(some, 1.5);
	close_to(full, 0.25);
	assert_true(
		vitals__parse_pressure("some avg10=3.00 avg60=0 avg300=0 total=1", &some, &full));
	close_to(full, 0);
	assert_false(vitals__parse_pressure("", &some, &full));
	close_to(some, 0);
}

static void keep(void *ctx, const struct sample *s)
{
	*(struct vitals_sample *)ctx = *(const struct vitals_sample *)s;
}

/* The real /proc, once. */
static void test_source(void **state)
{
	const struct source_ops *ops = source_table[SOURCE_VITALS].ops;
	const struct sampling how = {0};
	struct vitals_sample got = {0};
	const struct sample_sink sink = {keep, &got};
	struct status st;
	struct source *s = ops->open(&how, NULL, &st);

	assert_non_null(s);
	ops->drain(s, false, &sink);
	assert_int_equal(got.vitals.ncpus, 0);
	ops->drain(s, true, &sink);
	assert_int_equal(got.head.type, SAMPLE_VITALS);
	assert_true(got.vitals.ncpus > 0 && got.vitals.mem_total_bytes > 0);
	assert_true(got.vitals.mem_available_bytes <= got.vitals.mem_total_bytes);
	assert_true(got.vitals.self_rss_bytes > 0 && got.vitals.tasks > 0);
	ops->close(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cpu_shares),
		cmocka_unit_test(test_counters_that_go_back),
		cmocka_unit_test(test_meminfo_and_load),
		cmocka_unit_test(test_pressure),
		cmocka_unit_test(test_source),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
