// SPDX-License-Identifier: GPL-2.0-only
/* Which sources serve, what happens to them, and what the user is told about it. */
#include "pipeline/collector.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>
#include <stdio.h>

#include "base/log.h"
#include "scope/filter.h"
#include "tests/lib/fakes.h"

/* A beside the others, then B, then C; not in the order of tiers. */
static const struct source_row tiers[] = {
	{&fake_ops[FAKE_C], MODEL_PROFILE, 2},
	{&fake_ops[FAKE_B], MODEL_PROFILE, 1},
	{&fake_ops[FAKE_A], MODEL_PROFILE, 0},
	{0},
};

/* The one that can only be closed and opened again. */
static const struct source_row fixed[] = {
	{&fake_ops[FAKE_FIXED], MODEL_PROFILE, 1},
	{0},
};

static struct collector *start_with(const struct source_row *rows, u64 wanted)
{
	struct collector_config cfg = {
		.sampling = {.freq = 99},
		.interval_ns = NSEC_PER_SEC,
		.wanted = wanted,
		.manual_tick = true,
		.sources = rows,
		.models = fake_models,
	};
	struct collector *c = collector__start(&cfg, NULL);

	assert_non_null(c);
	return c;
}

static struct collector *start(const struct source_row *rows)
{
	return start_with(rows, 1u << MODEL_PROFILE);
}

static void stop(struct collector *c)
{
	collector__stop(c);
	for (u32 i = 0; i < FAKES; i++)
		assert_int_equal(fakes[i].opens, fakes[i].closes);
}

static int setup(void **state)
{
	fakes__reset();
	return 0;
}

static const struct frame *tick(struct collector *c, u64 n)
{
	collector__tick(c);
	return frame_when(c, ticked, n);
}

static void expect(const char *journal)
{
	assert_string_equal(fakes__journal(), journal);
}

static void test_best_tier_serves(void **state)
{
	struct collector *c = start(tiers);
	const struct frame *f = tick(c, 1);

	assert_string_equal(f->feeds[MODEL_PROFILE].health.tier, "b");
	assert_string_equal(f->feeds[MODEL_PROFILE].health.note, "");
	assert_string_equal(f->feeds[MODEL_PROFILE].reason, "");
	snap__put(f);
	stop(c);
	expect("open:a:all open:b:all close:a close:b");
}

static void test_next_tier_serves(void **state)
{
	struct collector *c;
	const struct frame *f;
	u64 lines = log__total();

	fakes[FAKE_B].fail = EXIT_CODE_UNSUPPORTED;
	c = start(tiers);
	f = tick(c, 1);
	assert_string_equal(f->feeds[MODEL_PROFILE].health.tier, "c");
	assert_string_equal(f->feeds[MODEL_PROFILE].reason, "b: no b here");
	assert_int_equal(f->feeds[MODEL_PROFILE].exit_code, EXIT_CODE_OK);
	assert_int_equal(log__total(), lines + 1);
	snap__put(f);
	stop(c);
	expect("open:a:all fail:b open:c:all close:a close:c");
}

static void expect_failure(int b, int c, int code, const char *reason)
{
	struct collector *col;
	const struct frame *f;

	fakes__reset();
	fakes[FAKE_B].fail = b;
	fakes[FAKE_C].fail = c;
	col = start(tiers);
	f = frame_when(col, is_failed, MODEL_PROFILE);
	assert_int_equal(f->feeds[MODEL_PROFILE].exit_code, code);
	assert_string_equal(f->feeds[MODEL_PROFILE].reason, reason);
	/* what runs beside the others has nobody left to serve */
	assert_int_equal(fakes[FAKE_A].closes, 1);
	snap__put(f);
	stop(col);
}

static void test_the_most_telling_failure(void **state)
{
	const char *both = "b: no b here; c: no c here";

	expect_failure(EXIT_CODE_UNSUPPORTED, EXIT_CODE_PERMISSION, EXIT_CODE_PERMISSION, both);
	expect_failure(EXIT_CODE_PERMISSION, EXIT_CODE_UNSUPPORTED, EXIT_CODE_PERMISSION, both);
	expect_failure(EXIT_CODE_FAILURE, EXIT_CODE_UNSUPPORTED, EXIT_CODE_UNSUPPORTED, both);
	expect_failure(EXIT_CODE_FAILURE, EXIT_CODE_FAILURE, EXIT_CODE_FAILURE, both);
	/* a wrong request is wrong whatever the tier */
	expect_failure(EXIT_CODE_PERMISSION, EXIT_CODE_USAGE, EXIT_CODE_USAGE, "no c here");
}

static void test_tier_0_may_fail(void **state)
{
	struct collector *c;
	const struct frame *f;

	fakes[FAKE_A].fail = EXIT_CODE_PERMISSION;
	c = start(tiers);
	f = tick(c, 1);
	assert_int_equal(f->feeds[MODEL_PROFILE].state, FEED_LIVE);
	assert_string_equal(f->feeds[MODEL_PROFILE].health.note, "without a: no a here");
	snap__put(f);
	stop(c);
}

static void test_tier_0_alone_may_not(void **state)
{
	static const struct source_row rows[] = {{&fake_ops[FAKE_A], MODEL_PROFILE, 0}, {0}};
	struct collector *c;
	const struct frame *f;

	fakes[FAKE_A].fail = EXIT_CODE_PERMISSION;
	c = start(rows);
	f = frame_when(c, is_failed, MODEL_PROFILE);
	assert_int_equal(f->feeds[MODEL_PROFILE].exit_code, EXIT_CODE_PERMISSION);
	snap__put(f);
	stop(c);
}

static void test_no_source_at_all(void **state)
{
	static const struct source_row rows[] = {{&fake_ops[FAKE_A], MODEL_VITALS, 0}, {0}};
	struct collector *c = start(rows);
	const struct frame *f = frame_when(c, is_failed, MODEL_PROFILE);

	assert_string_equal(f->feeds[MODEL_PROFILE].reason, "fake model has no source");
	snap__put(f);
	stop(c);
}

/* New settings may open what did not open before. */
static void test_failed_ones_are_tried_again(void **state)
{
	struct sampling how = {.freq = 49};
	struct collector *c;

	fakes[FAKE_FIXED].only_freq = 49;
	c = start(fixed);
	snap__put(frame_when(c, is_failed, MODEL_PROFILE));
	collector__set_sampling(c, &how);
	snap__put(frame_when(c, is_live, MODEL_PROFILE));
	stop(c);
	expect("fail:fixed open:fixed:all close:fixed");
}

/* Two models that need one event share one source. */
static void test_shared_source(void **state)
{
	static const struct source_row rows[] = {
		{&fake_ops[FAKE_B], MODEL_VITALS, 1},
		{&fake_ops[FAKE_B], MODEL_PROFILE, 1},
		{0},
	};
	struct collector *c = start_with(rows, 1u << MODEL_VITALS | 1u << MODEL_PROFILE);
	const struct frame *f;

	fakes[FAKE_B].pending = 6;
	f = tick(c, 1);
	assert_int_equal(snap_of(f, MODEL_VITALS)->total, 6);
	assert_int_equal(snap_of(f, MODEL_PROFILE)->total, 6);
	snap__put(f);
	collector__want(c, MODEL_VITALS, false);
	fakes[FAKE_B].pending = 1;
	f = tick(c, 2);
	assert_int_equal(snap_of(f, MODEL_VITALS)->total, 6);
	assert_int_equal(snap_of(f, MODEL_PROFILE)->total, 7);
	assert_int_equal(fakes[FAKE_B].closes, 0);
	snap__put(f);
	collector__want(c, MODEL_PROFILE, false);
	snap__put(frame_when(c, is_off, MODEL_PROFILE));
	assert_int_equal(fakes[FAKE_B].closes, 1);
	stop(c);
	expect("open:b:all close:b");
}

static struct scope *scope(const char *expr)
{
	struct filter_error err;

	return filter__parse(expr, &err);
}

static void set_scope(struct collector *c, const char *expr)
{
	struct scope *s = scope(expr);

	assert_non_null(s);
	collector__set_scope(c, s);
	scope__put(s);
}

/* What was gathered before a filter changed is in a row, also when the source must be closed. */
static void test_scope_change_loses_nothing(void **state)
{
	struct collector *c = start(fixed);
	const struct frame *f;

	fakes[FAKE_FIXED].pending = 30;
	f = tick(c, 1);
	snap__put(f);
	fakes[FAKE_FIXED].pending = 12;
	set_scope(c, "pid=7");
	f = tick(c, 2);
	assert_int_equal(fakes[FAKE_FIXED].opens, 2);
	assert_int_equal(snap_of(f, MODEL_PROFILE)->count, 12);
	assert_int_equal(snap_of(f, MODEL_PROFILE)->total, 42);
	/* and the totals of health go on over the reopening */
	assert_int_equal(f->feeds[MODEL_PROFILE].health.samples, 12);
	assert_int_equal(f->feeds[MODEL_PROFILE].health.samples_total, 42);
	snap__put(f);
	stop(c);
	expect("open:fixed:all close:fixed open:fixed:pid=7 close:fixed");
}

/* What came before may have been of others: only the source knows who is of the tree. */
static void test_scope_of_a_tree_begins_anew(void **state)
{
	struct collector *c = start(tiers);
	const struct frame *f;

	fakes[FAKE_B].pending = 30;
	snap__put(tick(c, 1));
	fakes[FAKE_B].pending = 5;
	set_scope(c, "tree=7");
	snap__put(tick(c, 2));
	fakes[FAKE_B].pending = 12;
	f = tick(c, 3);
	assert_int_equal(snap_of(f, MODEL_PROFILE)->total, 12);
	snap__put(f);
	/* Without the filter all of that counts. */
	set_scope(c, "");
	fakes[FAKE_B].pending = 1;
	f = tick(c, 4);
	assert_int_equal(snap_of(f, MODEL_PROFILE)->total, 13);
	snap__put(f);
	stop(c);
}

static void test_scope_in_place(void **state)
{
	struct collector *c = start(tiers);

	fakes[FAKE_B].pending = 12;
	set_scope(c, "pid=7");
	snap__put(tick(c, 1));
	assert_int_equal(fakes[FAKE_B].drains, 1);
	stop(c);
	expect("open:a:all open:b:all scope:a:pid=7 scope:b:pid=7 close:a close:b");
}

static void test_refused_settings_are_told(void **state)
{
	struct collector *c = start(tiers);
	struct sampling how = {.freq = 1000000};
	const struct frame *f;

	fakes[FAKE_B].refuse = true;
	set_scope(c, "pid=7");
	collector__set_sampling(c, &how);
	f = tick(c, 1);
	assert_string_equal(f->feeds[MODEL_PROFILE].health.note,
			    "the old filter stays: filter too long; "
			    "the old sampling stays: rate too high");
	assert_int_equal(f->feeds[MODEL_PROFILE].health.freq, 99);
	assert_int_equal(f->feeds[MODEL_PROFILE].state, FEED_LIVE);
	snap__put(f);
	/* each goes when a setting of its kind is taken */
	fakes[FAKE_B].refuse = false;
	how.freq = 49;
	collector__set_sampling(c, &how);
	f = tick(c, 2);
	assert_string_equal(f->feeds[MODEL_PROFILE].health.note,
			    "the old filter stays: filter too long");
	assert_int_equal(f->feeds[MODEL_PROFILE].health.freq, 49);
	snap__put(f);
	set_scope(c, "pid=8");
	f = tick(c, 3);
	assert_string_equal(f->feeds[MODEL_PROFILE].health.note, "");
	snap__put(f);
	stop(c);
}

/* A source that does not open with the new rate goes on with the old one. */
static void test_refused_reopening_restores(void **state)
{
	struct collector *c = start(fixed);
	struct sampling how = {.freq = 4000};
	const struct frame *f;

	fakes[FAKE_FIXED].only_freq = 99;
	fakes[FAKE_FIXED].pending = 5;
	collector__set_sampling(c, &how);
	f = tick(c, 1);
	assert_int_equal(f->feeds[MODEL_PROFILE].state, FEED_LIVE);
	assert_string_equal(f->feeds[MODEL_PROFILE].health.note,
			    "the old sampling stays: no fixed here");
	assert_int_equal(snap_of(f, MODEL_PROFILE)->total, 5);
	snap__put(f);
	stop(c);
	expect("open:fixed:all close:fixed fail:fixed open:fixed:all close:fixed");
}

static void set_event(struct collector *c, const char *event)
{
	struct sampling how = {.freq = 99};

	copy_str(how.event, sizeof(how.event), event);
	collector__set_sampling(c, &how);
}

/* B cannot take the event, C can; what was counted of the old one is forgotten. */
static void test_another_event_finds_its_source(void **state)
{
	struct collector *c = start(tiers);
	const struct frame *f;

	fakes[FAKE_B].pending = 5;
	snap__put(tick(c, 1));
	fakes[FAKE_B].refuse = true;
	fakes[FAKE_B].fail = EXIT_CODE_UNSUPPORTED;
	set_event(c, "page-faults");
	fakes[FAKE_C].pending = 3;
	f = tick(c, 2);
	assert_string_equal(f->feeds[MODEL_PROFILE].health.tier, "c");
	assert_string_equal(f->feeds[MODEL_PROFILE].refused, "");
	assert_int_equal(f->feeds[MODEL_PROFILE].health.samples_total, 3);
	assert_int_equal(snap_of(f, MODEL_PROFILE)->total, 3);
	snap__put(f);
	stop(c);
}

static void test_no_source_for_another_event(void **state)
{
	struct collector *c = start(tiers);
	const struct frame *f;

	fakes[FAKE_B].pending = 5;
	snap__put(tick(c, 1));
	fakes[FAKE_B].refuse = true;
	fakes[FAKE_B].only_freq = 99;
	fakes[FAKE_C].fail = EXIT_CODE_UNSUPPORTED;
	collector__set_sampling(c, &(struct sampling){.freq = 100, .event = "cycles"});
	fakes[FAKE_B].pending = 1;
	f = tick(c, 2);
	assert_string_equal(f->feeds[MODEL_PROFILE].health.tier, "b");
	assert_non_null(strstr(f->feeds[MODEL_PROFILE].refused, "the old sampling stays: b: "));
	assert_int_equal(snap_of(f, MODEL_PROFILE)->total, 6);
	snap__put(f);
	stop(c);
}

static void test_lost_source_is_told(void **state)
{
	struct collector *c = start(fixed);
	const struct frame *f;

	snap__put(frame_when(c, is_live, MODEL_PROFILE));
	fakes[FAKE_FIXED].fail = EXIT_CODE_PERMISSION;
	set_scope(c, "pid=7");
	f = frame_when(c, is_failed, MODEL_PROFILE);
	assert_int_equal(f->feeds[MODEL_PROFILE].exit_code, EXIT_CODE_PERMISSION);
	assert_string_equal(f->feeds[MODEL_PROFILE].reason, "fixed: no fixed here");
	snap__put(f);
	stop(c);
}

static void test_zero_resets_health_too(void **state)
{
	struct collector *c = start(tiers);
	const struct frame *f;

	fakes[FAKE_B].pending = 8;
	fakes[FAKE_B].lost = 3;
	f = tick(c, 1);
	assert_int_equal(f->feeds[MODEL_PROFILE].health.lost, 3);
	assert_int_equal(f->feeds[MODEL_PROFILE].health.samples_total, 8);
	snap__put(f);
	fakes[FAKE_B].pending = 100; /* gathered before: forgotten */
	collector__zero(c);
	snap__put(next_frame(c));
	fakes[FAKE_B].pending += 2;
	fakes[FAKE_B].lost = 4;
	f = tick(c, 2);
	assert_int_equal(f->feeds[MODEL_PROFILE].health.lost, 1);
	assert_int_equal(f->feeds[MODEL_PROFILE].health.samples, 2);
	assert_int_equal(f->feeds[MODEL_PROFILE].health.samples_total, 2);
	assert_int_equal(snap_of(f, MODEL_PROFILE)->total, 2);
	snap__put(f);
	stop(c);
}

/* The sources of a model add up; the one that samples has the word. */
static void test_health_of_several_sources(void **state)
{
	struct collector *c = start(tiers);
	const struct frame *f;

	fakes[FAKE_A].lost = 1;
	fakes[FAKE_B].lost = 2;
	f = tick(c, 1);
	assert_int_equal(f->feeds[MODEL_PROFILE].health.lost, 3);
	assert_string_equal(f->feeds[MODEL_PROFILE].health.tier, "b");
	assert_true(f->feeds[MODEL_PROFILE].health.map_fill_pct == 20.0);
	snap__put(f);
	stop(c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_best_tier_serves, setup),
		cmocka_unit_test_setup(test_next_tier_serves, setup),
		cmocka_unit_test_setup(test_the_most_telling_failure, setup),
		cmocka_unit_test_setup(test_tier_0_may_fail, setup),
		cmocka_unit_test_setup(test_tier_0_alone_may_not, setup),
		cmocka_unit_test_setup(test_no_source_at_all, setup),
		cmocka_unit_test_setup(test_failed_ones_are_tried_again, setup),
		cmocka_unit_test_setup(test_shared_source, setup),
		cmocka_unit_test_setup(test_scope_change_loses_nothing, setup),
		cmocka_unit_test_setup(test_scope_of_a_tree_begins_anew, setup),
		cmocka_unit_test_setup(test_scope_in_place, setup),
		cmocka_unit_test_setup(test_refused_settings_are_told, setup),
		cmocka_unit_test_setup(test_refused_reopening_restores, setup),
		cmocka_unit_test_setup(test_another_event_finds_its_source, setup),
		cmocka_unit_test_setup(test_no_source_for_another_event, setup),
		cmocka_unit_test_setup(test_lost_source_is_told, setup),
		cmocka_unit_test_setup(test_zero_resets_health_too, setup),
		cmocka_unit_test_setup(test_health_of_several_sources, setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
