// SPDX-License-Identifier: GPL-2.0-only
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/base.h"
#include "sources/events.h"
#include "tests/lib/scratch.h"

/* A tracefs of two events. */
static int make_tracefs(void **state)
{
	if (scratch__make("events_test"))
		return -1;
	run("mkdir -p events/sched/sched_switch events/sched/sched_wakeup");
	write_file("events/sched/sched_switch/id", "316\n");
	write_file("events/sched/sched_wakeup/id", "318\n");
	return 0;
}

static void expect(const char *text, u32 type, u64 config)
{
	struct perf_event_attr attr;
	struct status st = {0};

	if (event__resolve(text, scratch_dir, &attr, &st))
		fail_msg("%s: %s", text, st.msg);
	assert_int_equal(attr.type, type);
	assert_int_equal(attr.config, config);
}

static void expect_error(const char *text, enum exit_code code, const char *says)
{
	struct perf_event_attr attr;
	struct status st = {0};

	assert_true(event__resolve(text, scratch_dir, &attr, &st) < 0);
	assert_int_equal(st.code, code);
	if (!strstr(st.msg, says))
		fail_msg("'%s' does not say '%s'", st.msg, says);
}

static void test_names(void **state)
{
	expect("cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES);
	expect("cpu-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES);
	expect("cpu-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK);
	expect("faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS);
	expect("LLC-load-misses", PERF_TYPE_HW_CACHE, 2 | 0 << 8 | 1 << 16);
	expect("dTLB-stores", PERF_TYPE_HW_CACHE, 3 | 1 << 8 | 0 << 16);
	expect("r1c2", PERF_TYPE_RAW, 0x1c2);
	expect("sched:sched_switch", PERF_TYPE_TRACEPOINT, 316);
	expect("sched:sched_wakeup:k", PERF_TYPE_TRACEPOINT, 318);
}

static void test_modifiers(void **state)
{
	struct perf_event_attr attr;
	struct status st;

	assert_int_equal(event__resolve("cycles:u", NULL, &attr, &st), 0);
	assert_true(attr.exclude_kernel && attr.exclude_hv && !attr.exclude_user);
	assert_int_equal(event__resolve("cycles:k", NULL, &attr, &st), 0);
	assert_true(!attr.exclude_kernel && attr.exclude_user);
	assert_int_equal(event__resolve("cycles:ukpp", NULL, &attr, &st), 0);
	assert_true(!attr.exclude_kernel && !attr.exclude_user);
	assert_int_equal(attr.precise_ip, 2);
	assert_int_equal(event__resolve("cycles:P", NULL, &attr, &st), 0);
	assert_int_equal(attr.precise_ip, 3);
	assert_int_equal(event__resolve("cycles:H", NULL, &attr, &st), 0);
	assert_true(attr.exclude_guest && !attr.exclude_host && !attr.exclude_user);
	assert_int_equal(event__resolve("cycles:uG", NULL, &attr, &st), 0);
	assert_true(!attr.exclude_guest && attr.exclude_host && attr.exclude_kernel);
	expect_error("cycles:pppp", EXIT_CODE_USAGE, "ppp");
	assert_int_equal(event__resolve("cpu-clock:P", NULL, &attr, &st), 0);
	assert_int_equal(attr.precise_ip, 0);
	expect_error("cpu-clock:pp", EXIT_CODE_UNSUPPORTED, "leave the p out");
	expect_error("cpu-clock:zz", EXIT_CODE_USAGE, "modifiers are");
}

/* A PMU's modifiers come right after its last slash. */
static void test_pmus(void **state)
{
	struct perf_event_attr attr;
	struct status st = {0};

	expect("software/config=2/", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS);
	assert_int_equal(event__resolve("software/config=2/u", NULL, &attr, &st), 0);
	assert_true(attr.exclude_kernel && !attr.exclude_user);
	assert_int_equal(event__resolve("software/config=2/:k", NULL, &attr, &st), 0);
	assert_true(!attr.exclude_kernel && attr.exclude_user);
	expect_error("software/config=2/x", EXIT_CODE_USAGE, "ends with a slash");
	expect_error("nopmu/config=2/", EXIT_CODE_UNSUPPORTED, "no PMU 'nopmu'");
	assert_int_equal(event__resolve("", NULL, &attr, &st), -ENOENT);
}

static void test_wrong_names_get_near_ones(void **state)
{
	expect_error("cicles", EXIT_CODE_USAGE, "'cycles'");
	expect_error("page-fault", EXIT_CODE_USAGE, "'page-faults'");
	expect_error("cpu-clok:u", EXIT_CODE_USAGE, "'cpu-clock'");
	expect_error("qqqqqqqqqqq", EXIT_CODE_USAGE, "--list-events");
	expect_error("sched:sched_swich", EXIT_CODE_USAGE, "'sched:sched_switch'");
	expect_error("shed:sched_switch", EXIT_CODE_USAGE, "'sched:sched_switch'");
	expect_error("nothing:like_it", EXIT_CODE_USAGE, "nothing");
	expect_error("rxyz", EXIT_CODE_USAGE, "unknown event");
}

static void test_hostile_names(void **state)
{
	char huge[1000];

	expect_error("../../etc:passwd", EXIT_CODE_USAGE, "subsystem:name");
	expect_error("sched:../sched/sched_switch", EXIT_CODE_USAGE, "subsystem:name");
	expect_error(":", EXIT_CODE_USAGE, "subsystem:name");
	expect_error("a:", EXIT_CODE_USAGE, "subsystem:name");
	expect_error(":b", EXIT_CODE_USAGE, "subsystem:name");
	expect_error("r11112222333344445", EXIT_CODE_USAGE, "unknown event");
	memset(huge, 'x', sizeof(huge) - 1);
	huge[sizeof(huge) - 1] = '\0';
	expect_error(huge, EXIT_CODE_USAGE, "too long");
	huge[100] = '\0';
	expect_error(huge, EXIT_CODE_USAGE, "unknown event");
	huge[50] = ':';
	expect_error(huge, EXIT_CODE_USAGE, "tracepoint");
}

static void test_tracefs_not_mounted(void **state)
{
	struct perf_event_attr attr;
	struct status st;

	assert_int_equal(event__resolve("sched:sched_switch", NULL, &attr, &st), -ENOENT);
	assert_non_null(strstr(st.msg, "mount -t tracefs nodev /sys/kernel/tracing"));
}

static void test_every_name_resolves_to_itself(void **state)
{
	struct event_name e;
	u32 n = 0;

	for (; event__name(n, &e); n++)
		expect(e.name, e.type, e.config);
	assert_true(n > 50);
}

static void test_list(void **state)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	/* Without tracefs a line says so. */
	assert_int_equal(event__list(f, "cpu-*"), event__tracefs() ? 3 : 4);
	fclose(f);
	assert_non_null(strstr(text, "cpu-clock"));
	assert_non_null(strstr(text, "cpu-cycles"));
	assert_null(strstr(text, "page-faults"));
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_modifiers),
		cmocka_unit_test(test_pmus),
		cmocka_unit_test(test_wrong_names_get_near_ones),
		cmocka_unit_test(test_hostile_names),
		cmocka_unit_test(test_tracefs_not_mounted),
		cmocka_unit_test(test_every_name_resolves_to_itself),
		cmocka_unit_test(test_list),
	};

	return cmocka_run_group_tests(tests, make_tracefs, scratch__remove);
}
