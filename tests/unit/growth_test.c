// SPDX-License-Identifier: GPL-2.0-only
/* What grows and what does not: series whose truth is known by construction. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "models/growth.h"

#define SECOND NSEC_PER_SEC
#define BEGAN  (1000 * SECOND)

static struct growth judge_of(double (*size)(u32 second), u32 seconds)
{
	struct growth_series series = {.least = INFINITY};
	struct growth_clock c = {0};

	for (u32 i = 0; i < seconds; i++) {
		struct growth_step s = growth_clock__tick(&c, BEGAN + i * SECOND, BEGAN + (i + 1) * SECOND);

		growth_series__advance(&series, &s, (float)size(i), 2 * (float)i);
	}
	assert_true(c.n >= MIN(seconds, GROWTH_POINTS / 2u - 1) && c.n <= GROWTH_POINTS);
	return growth__judge(&series, &c);
}

static double steady(u32 s)
{
	return 5e6;
}

static double line(u32 s)
{
	return 1e6 + 2e4 * s;
}

/* A cache that fills up and is emptied every 20 s. */
static double saw(u32 s)
{
	return 1e6 + 5e4 * (s % 20);
}

/* Grows and shrinks, each for 20 s; it was at its least for a while before. */
static double cycle(u32 s)
{
	u32 at = (s + 20) % 40;

	return s < 20 ? 0 : 1e5 * (at < 20 ? 20 - at : at - 20);
}

static double rises_after_rest(u32 s)
{
	return s % 45 < 20 ? 0 : 1e5 * (s % 45 - 20);
}

static double noise(u32 s)
{
	return 1e6 + (s * 2654435761u >> 12) % 100000;
}

static double noisy_line(u32 s)
{
	return 1e4 * s + noise(s);
}

static double fills(u32 s)
{
	return MIN(1e6 * s, 1e7);
}

static double fills_in_20_s(u32 s)
{
	return 1e7 * (1 - exp(-(double)s / 20));
}

/* What is new takes the place of what was there before it was watched. */
static double replaces(u32 s)
{
	return 1e7 * (1 - exp(-(double)s / 30));
}

static double late(u32 s)
{
	return 1e6 + 3e4 * (s > 200 ? s - 200 : 0);
}

static double steps(u32 s)
{
	return s < 100 ? 0 : s < 200 ? 5e6 : 9e6;
}

/* Garbage that is collected every 20 s; what is left over then grows for a while. */
static double collected(u32 s)
{
	return 1e6 + 5e4 * (s % 20) + 2e3 * MIN(s, 200);
}

static double collected_leak(u32 s)
{
	return 1e6 + 5e4 * (s % 20) + 2e3 * s;
}

static double shrinks(u32 s)
{
	return 1e9 - 1e5 * s;
}

static void what_grows(void **state)
{
	struct growth g = judge_of(line, 300);

	assert_true(g.sure_pct >= GROWTH_SURE);
	assert_float_equal(g.per_min, 60 * 2e4, 1e4);
	assert_true(g.from_ns <= BEGAN + 20 * SECOND);
	assert_true(judge_of(collected_leak, 800).sure_pct >= GROWTH_SURE);
	g = judge_of(noisy_line, 300);
	assert_true(g.sure_pct >= GROWTH_SURE);
	assert_float_equal(g.per_min, 60 * 1e4, 6e4);
}

/* Not from the begin on, but since then. */
static void since_when(void **state)
{
	struct growth g = judge_of(late, 600);

	assert_true(g.sure_pct >= GROWTH_SURE);
	assert_true(g.from_ns >= BEGAN + 130 * SECOND && g.from_ns <= BEGAN + 260 * SECOND);
	assert_float_equal(g.per_min, 60 * 3e4, 3e5);
}

static void what_does_not(void **state)
{
	assert_int_equal(judge_of(steady, 300).sure_pct, 0);
	assert_int_equal(judge_of(shrinks, 300).sure_pct, 0);
	assert_int_equal(judge_of(steps, 300).sure_pct, 0);
	for (u32 seconds = 60; seconds < 600; seconds += 7) {
		assert_true(judge_of(saw, seconds).sure_pct < GROWTH_SURE);
		assert_true(judge_of(noise, seconds).sure_pct < GROWTH_SURE);
	}
	for (u32 seconds = 30; seconds < 600; seconds++) {
		assert_true(judge_of(cycle, seconds).sure_pct < GROWTH_SURE);
		assert_true(judge_of(rises_after_rest, seconds).sure_pct < GROWTH_SURE);
	}
	for (u32 seconds = 60; seconds < 600; seconds += 7)
		assert_true(judge_of(replaces, seconds).sure_pct < GROWTH_SURE);
	for (u32 seconds = 60; seconds < 600; seconds += 7)
		assert_true(judge_of(collected, seconds).sure_pct < GROWTH_SURE);
	/* It grew, and then it was full. */
	assert_true(judge_of(fills, 1000).sure_pct < GROWTH_SURE);
}

/* A few marks rise by chance. */
static void too_early(void **state)
{
	assert_int_equal(judge_of(line, 29).sure_pct, 0);
	assert_true(judge_of(line, 34).sure_pct >= GROWTH_SURE);
	for (u32 seconds = 1; seconds < 120; seconds++)
		assert_true(judge_of(fills_in_20_s, seconds).sure_pct < GROWTH_SURE);
}

/* Marks stay those of their spans as these become longer, whatever the interval's length is. */
static void marks_are_of_all_of_the_time(void **state)
{
	struct growth_series series = {.least = INFINITY};
	struct growth_clock c = {0};
	u64 t = BEGAN;

	for (u32 i = 0; i < 5000; i++) {
		u64 dt = SECOND / 10 * (17 - i % 11);
		struct growth_step s = growth_clock__tick(&c, t, t + dt);

		t += dt;
		growth_series__advance(&series, &s, (float)((double)(t - BEGAN) / 1e9), 0);
		for (u32 k = 0; k < c.n; k++) {
			double at = (double)(c.ends_ns[k] - BEGAN) / 1e9;
			double before = k ? (double)(c.ends_ns[k - 1] - BEGAN) / 1e9 : 0;

			assert_true(series.marks[k] <= at + 0.01);
			assert_true(series.marks[k] >= before - 0.01);
		}
	}
	assert_true((double)c.ends_ns[c.n - 1] > (double)t - 3.0 * (double)c.step_ns);
}

/* On a screen the first interval is a short one. */
static void first_interval_is_short(void **state)
{
	struct growth_series series = {.least = INFINITY};
	struct growth_clock c = {0};
	struct growth g = {0};
	u64 t = BEGAN;

	for (u32 i = 0; i < 120; i++) {
		u64 dt = i ? SECOND / 2 : SECOND / 20;
		struct growth_step s = growth_clock__tick(&c, t, t + dt);
		double at = (double)(t + dt - BEGAN) / 1e9;

		t += dt;
		growth_series__advance(&series, &s, (float)(100 * at), (float)(400 * at));
		g = growth__judge(&series, &c);
		if (i < 72)
			continue;
		assert_true(g.sure_pct >= GROWTH_SURE);
		assert_float_equal(g.per_min, 6000, 250);
		assert_float_equal(g.kept_pct, 25, 5);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_grows),
		cmocka_unit_test(since_when),
		cmocka_unit_test(what_does_not),
		cmocka_unit_test(too_early),
		cmocka_unit_test(marks_are_of_all_of_the_time),
		cmocka_unit_test(first_interval_is_short),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
