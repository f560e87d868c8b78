// SPDX-License-Identifier: GPL-2.0-only
#include "pipeline/schedule.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

#define MS NSEC_PER_MSEC

static struct schedule grid(u64 base, u64 interval)
{
	struct schedule s = {.early = SCHEDULE_EARLY};

	schedule__start(&s, base, interval);
	return s;
}

static void test_stopped(void **state)
{
	struct schedule s = grid(0, 0);

	schedule__hurry(&s, 0, true);
	assert_true(schedule__next(&s, 5 * MS) == SCHEDULE_NEVER);
	assert_false(schedule__due(&s, 0, 5000 * MS));
	assert_false(schedule__take_early(&s, 5000 * MS));
}

static void test_grid_does_not_drift(void **state)
{
	struct schedule s = grid(7 * MS, 100 * MS);
	u64 ticked = 7 * MS;

	/* each tick comes late by another amount; the next is due on the grid all the same */
	for (u64 k = 1; k < 1000; k++) {
		u64 due = schedule__next(&s, ticked);

		assert_true(due == 7 * MS + k * 100 * MS);
		assert_false(schedule__due(&s, ticked, due - 1));
		assert_true(schedule__due(&s, ticked, due));
		ticked = due + k * 37 % 100 * MS;
	}
}

static void test_missed_ticks_merge(void **state)
{
	struct schedule s = grid(0, 100 * MS);
	u64 now = 770 * MS;

	/* made at 200, then nothing until 770: overdue at once, and one tick is enough */
	assert_true(schedule__next(&s, 200 * MS) == 300 * MS);
	assert_true(schedule__due(&s, 200 * MS, now));
	assert_false(schedule__due(&s, now, now));
	assert_true(schedule__next(&s, now) == 800 * MS);
	/* those of 300 to 600 had no tick of their own; the one of 700 is made now */
	assert_int_equal(schedule__missed(&s, 200 * MS, now), 4);
	assert_int_equal(schedule__missed(&s, 600 * MS, now), 0);
	assert_int_equal(schedule__missed(&s, now, now + 10 * MS), 0);
	/* a night in suspend, should the clock have gone on */
	assert_true(schedule__due(&s, 200 * MS, 36000 * 1000 * MS));
	assert_int_equal(schedule__missed(&s, 200 * MS, 36000 * 1000 * MS), 359997);
	assert_true(schedule__next(&s, 36000 * 1000 * MS) == 36000 * 1000 * MS + 100 * MS);
}

static void test_early_ticks(void **state)
{
	struct schedule s = grid(1000 * MS, 1000 * MS);

	schedule__hurry(&s, 1000 * MS, true);
	for (u32 i = 0; i < SCHEDULE_EARLY; i++) {
		u64 due = 1000 * MS + schedule_early_ns[i];

		assert_true(schedule__next(&s, 1000 * MS) == due);
		assert_false(schedule__take_early(&s, due - 1));
		assert_true(schedule__take_early(&s, due));
		assert_false(schedule__due(&s, 1000 * MS, due));
	}
	assert_true(schedule__next(&s, 1000 * MS) == 2000 * MS);
	assert_true(schedule_early_ns[SCHEDULE_EARLY - 1] <= 300 * MS);
	schedule__hurry(&s, 1000 * MS, false);
	assert_true(schedule__next(&s, 1000 * MS) == 1000 * MS + schedule_early_ns[SCHEDULE_AT_ONCE]);
}

static void test_overdue_early_ticks_merge(void **state)
{
	struct schedule s = grid(0, 1000 * MS);

	schedule__hurry(&s, 0, true);
	assert_true(schedule__take_early(&s, 200 * MS));
	assert_false(schedule__take_early(&s, 200 * MS));
	assert_true(schedule__next(&s, 0) == 300 * MS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_stopped),
		cmocka_unit_test(test_grid_does_not_drift),
		cmocka_unit_test(test_missed_ticks_merge),
		cmocka_unit_test(test_early_ticks),
		cmocka_unit_test(test_overdue_early_ticks_merge),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
