// SPDX-License-Identifier: GPL-2.0-only
/* Windows: how long they are, what decays and how fast, what is coldest. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "models/windows.h"

#define S NSEC_PER_SEC

static void the_clock_begins_at_the_first_interval(void **state)
{
	struct window_clock c = {0};
	u64 ns[WINDOWS];

	assert_float_equal(window_clock__advance(&c, 100 * S, 105 * S, ns), 0.5, 1e-9);
	assert_int_equal(c.since_ns, 100 * S);
	assert_int_equal(ns[WINDOW_LAST], 5 * S);
	assert_int_equal(ns[WINDOW_TOTAL], 5 * S);
	window_clock__advance(&c, 105 * S, 110 * S, ns);
	assert_int_equal(ns[WINDOW_LAST], 5 * S);
	assert_int_equal(ns[WINDOW_DECAY], 5 * S + 5 * S / 2);
	assert_int_equal(ns[WINDOW_TOTAL], 10 * S);
	assert_float_equal(window_clock__advance(&c, 110 * S, 110 * S, ns), 1, 1e-9);
	assert_int_equal(ns[WINDOW_LAST], 0);
}

static void sums_go_to_each_window(void **state)
{
	u64 now[2] = {8, 1}, total[2] = {0}, out[WINDOWS][2];
	double decay[2] = {0};
	const struct window_sums s = {2, now, total, decay};

	window_sums__advance(&s, 0.5, out[0], 2);
	now[0] = 2;
	assert_float_equal(window_sums__heat(&s), 8 + 1 + 2, 1e-9);
	window_sums__advance(&s, 0.5, out[0], 2);
	assert_int_equal(out[WINDOW_LAST][0], 2);
	assert_int_equal(out[WINDOW_DECAY][0], 6);
	assert_int_equal(out[WINDOW_TOTAL][0], 10);
	assert_int_equal(out[WINDOW_LAST][1], 0);
	assert_int_equal(out[WINDOW_TOTAL][1], 1);
	for (u32 i = 0; i < 20; i++)
		window_sums__advance(&s, 0.5, out[0], 2);
	assert_true(decay[0] <= 0); /* gone, not ever smaller */
	assert_int_equal(out[WINDOW_TOTAL][0], 10);
}

static void merging_loses_nothing(void **state)
{
	u64 now[2] = {3, 5}, total[2] = {30, 50};
	double decay[2] = {1.5, 2.5};
	const struct window_sums to = {1, &now[0], &total[0], &decay[0]};
	const struct window_sums from = {1, &now[1], &total[1], &decay[1]};

	window_sums__merge(&to, &from);
	assert_int_equal(now[0], 8);
	assert_int_equal(total[0], 80);
	assert_float_equal(decay[0], 4, 1e-9);
}

static void the_coldest_and_of_equals_the_first(void **state)
{
	static const double heat[] = {5, 1, 3, 1, 1, 9};
	bool cold[6];

	heat__coldest(heat, 6, 3, cold);
	assert_true(cold[1] && cold[3] && cold[4]);
	heat__coldest(heat, 6, 2, cold);
	assert_true(cold[1] && cold[3] && !cold[4] && !cold[0] && !cold[5]);
	heat__coldest(heat, 6, 100, cold);
	for (u32 i = 0; i < 6; i++)
		assert_true(cold[i]);
	heat__coldest(heat, 0, 1, cold);
}

static void rates_are_rounded_and_of_no_time_none(void **state)
{
	assert_int_equal(window__per_second(3, 2 * S), 2);
	assert_int_equal(window__per_second(1, 4 * S), 0);
	assert_int_equal(window__per_second(7, 0), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_clock_begins_at_the_first_interval),
		cmocka_unit_test(sums_go_to_each_window),
		cmocka_unit_test(merging_loses_nothing),
		cmocka_unit_test(the_coldest_and_of_equals_the_first),
		cmocka_unit_test(rates_are_rounded_and_of_no_time_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
