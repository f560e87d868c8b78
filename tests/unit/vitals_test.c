// SPDX-License-Identifier: GPL-2.0-only
/* The vitals model: newest values, and a trend that grows by one a tick with news. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "models/model.h"
#include "samples/vitals.h"

extern const struct model_ops model_vitals;

static void put(struct model *m, double user, double system, double iowait)
{
	struct vitals_sample s = {
		.head.type = SAMPLE_VITALS,
		.vitals = {.ncpus = 2,
			   .user_pct = user,
			   .system_pct = system,
			   .iowait_pct = iowait},
	};

	model_vitals.consume(m, &s.head);
}

static const struct vitals_snap *tick(struct model *m)
{
	struct snap *s = model_vitals.tick(m, 1, 2);

	return s ? container_of(s, struct vitals_snap, base) : NULL;
}

static void nothing_before_the_first_sample(void **state)
{
	struct model *m = model_vitals.new(NULL);
	struct sample other = {.type = SAMPLE_PROC};

	model_vitals.consume(m, &other);
	assert_null(tick(m));
	model_vitals.free(m);
}

static void busy_is_work_and_not_waiting(void **state)
{
	struct model *m = model_vitals.new(NULL);
	const struct vitals_snap *s;

	put(m, 30, 12, 50);
	s = tick(m);
	assert_int_equal(s->ntrend, 1);
	assert_true(fabsf(s->busy_pct[0] - 42) < 0.01f);
	assert_int_equal(s->now.ncpus, 2);
	assert_int_equal(s->base.t0_ns, 1);
	snap__put(s);
	model_vitals.free(m);
}

static void a_tick_without_news_adds_nothing(void **state)
{
	struct model *m = model_vitals.new(NULL);
	const struct vitals_snap *s;

	put(m, 10, 0, 0);
	snap__put(tick(m));
	s = tick(m);
	assert_int_equal(s->ntrend, 1);
	snap__put(s);
	model_vitals.free(m);
}

static void the_trend_keeps_the_newest(void **state)
{
	struct model *m = model_vitals.new(NULL);
	const struct vitals_snap *s = NULL;

	for (u32 i = 0; i < VITALS_TREND + 7; i++) {
		snap__put(s);
		put(m, i, 0, 0);
		s = tick(m);
	}
	assert_int_equal(s->ntrend, VITALS_TREND);
	assert_true(s->busy_pct[0] == 7);
	assert_true(s->busy_pct[VITALS_TREND - 1] == VITALS_TREND + 6);
	snap__put(s);
	model_vitals.free(m);
}

static void broken_shares_stay_in_range(void **state)
{
	struct model *m = model_vitals.new(NULL);
	const struct vitals_snap *s;

	put(m, 90, 90, 0);
	s = tick(m);
	assert_true(s->busy_pct[0] == 100);
	snap__put(s);
	model_vitals.free(m);
}

/* A snapshot is a value of its own: what comes later does not reach it. */
static void snapshots_do_not_change(void **state)
{
	struct model *m = model_vitals.new(NULL);
	const struct vitals_snap *s;

	put(m, 10, 0, 0);
	s = tick(m);
	put(m, 99, 0, 0);
	snap__put(tick(m));
	model_vitals.zero(m);
	assert_int_equal(s->ntrend, 1);
	assert_true(s->now.user_pct == 10);
	assert_true(model_vitals.memory(m) > 0);
	model_vitals.free(m);
	snap__put(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_before_the_first_sample),
		cmocka_unit_test(busy_is_work_and_not_waiting),
		cmocka_unit_test(a_tick_without_news_adds_nothing),
		cmocka_unit_test(the_trend_keeps_the_newest),
		cmocka_unit_test(broken_shares_stay_in_range),
		cmocka_unit_test(snapshots_do_not_change),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
