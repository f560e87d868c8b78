// SPDX-License-Identifier: GPL-2.0-only
/* Points in time as people write them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/timepoint.h"

#define S NSEC_PER_SEC

/* Begins at 2026-11-21 13:00:00 UTC and lasts ten minutes. */
#define WALL 1795266000
static const struct timespan span = {
	.begin_ns = 100 * S, .end_ns = 700 * S, .begin_wall = WALL};

static u64 at(const char *text)
{
	u64 ns = 0;

	assert_true(timepoint__parse(text, &span, &ns));
	return ns / S;
}

static void test_offsets(void **state)
{
	assert_int_equal(at("-90s"), 610);
	assert_int_equal(at("-90"), 610);
	assert_int_equal(at("-1.5m"), 610);
	assert_int_equal(at("+10s"), 110);
	assert_int_equal(at("start"), 100);
	assert_int_equal(at("end"), 700);
}

static void test_nearest_end(void **state)
{
	assert_int_equal(at("-3h"), 100);
	assert_int_equal(at("+3h"), 700);
	assert_int_equal(at("12:00"), 100);
	assert_int_equal(at("13:11"), 700);
}

static void test_clock(void **state)
{
	struct timespan unknown = {.begin_ns = 100 * S, .end_ns = 700 * S};
	u64 ns;

	assert_int_equal(at("13:05"), 400);
	assert_int_equal(at("13:05:33"), 433);
	assert_false(timepoint__parse("13:05", &unknown, &ns));
}

static void test_midnight(void **state)
{
	struct timespan night = {.end_ns = 600 * S,
				 .begin_wall = WALL + 11 * 3600 - 300}; /* 23:55 to 0:05 */
	u64 ns;

	assert_true(timepoint__parse("23:58", &night, &ns));
	assert_int_equal(ns / S, 180);
	assert_true(timepoint__parse("00:01", &night, &ns));
	assert_int_equal(ns / S, 360);
}

/* An hour's sleep after five minutes and ten minutes' after eight. */
static void test_sleeps(void **state)
{
	static const struct timespan_sleep sleeps[] = {{400 * S, 3600 * S}, {580 * S, 4200 * S}};
	static const struct {
		const char *clock;
		u64 s;
	} cases[] = {{"13:04:59", 399}, {"14:05:00", 400}, {"14:07:59", 579},
		     {"14:18:00", 580}, {"14:20:00", 700}};
	struct timespan slept = span;
	char buf[16];
	u64 ns;

	slept.sleeps = sleeps;
	slept.nsleeps = ARRAY_SIZE(sleeps);
	for (u32 i = 0; i < ARRAY_SIZE(cases); i++) {
		timepoint__format(buf, sizeof(buf), &slept, cases[i].s * S);
		assert_string_equal(buf, cases[i].clock);
		assert_true(timepoint__parse(cases[i].clock, &slept, &ns));
		assert_int_equal(ns, cases[i].s * S);
	}
	/* While it slept: when it was awake again. */
	assert_true(timepoint__parse("13:40", &slept, &ns));
	assert_int_equal(ns, 400 * S);
	/* What is no time of day has no sleep in it. */
	assert_true(timepoint__parse("-2m", &slept, &ns));
	assert_int_equal(ns, 580 * S);
}

static void test_nonsense(void **state)
{
	static const char *const wrong[] = {"",	    "-",     "+",      "-x",	 "-5x",
					    "5",    "25:00", "12:60",  "12:00x", "--5",
					    "-inf", "-nan",  "-1e300", "+0x10",	 "now"};
	u64 ns;

	for (u32 i = 0; i < ARRAY_SIZE(wrong); i++)
		if (timepoint__parse(wrong[i], &span, &ns))
			fail_msg("\"%s\" was taken", wrong[i]);
}

static void test_format(void **state)
{
	struct timespan unknown = {.begin_ns = 100 * S, .end_ns = 700 * S};
	char buf[16];

	timepoint__format(buf, sizeof(buf), &span, 433 * S);
	assert_string_equal(buf, "13:05:33");
	timepoint__format(buf, sizeof(buf), &unknown, 433 * S);
	assert_string_equal(buf, "5:33");
	timepoint__format(buf, sizeof(buf), &unknown, 3800 * S);
	assert_string_equal(buf, "1:01:40");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_offsets),	 cmocka_unit_test(test_nearest_end),
		cmocka_unit_test(test_clock),	 cmocka_unit_test(test_midnight),
		cmocka_unit_test(test_nonsense), cmocka_unit_test(test_format),
		cmocka_unit_test(test_sleeps),
	};

	setenv("TZ", "UTC", 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
