// SPDX-License-Identifier: GPL-2.0-only
/* Events of PMUs, from a sysfs of our own: fields scattered over bits, named events, and what
 * is wrong. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#include "sources/event_pmu.h"
#include "tests/lib/scratch.h"

static const struct {
	const char *path, *text;
} files[] = {
	{"cpu/type", "4\n"},
	{"cpu/format/event", "config:0-7,32-35\n"},
	{"cpu/format/umask", "config:8-15\n"},
	{"cpu/format/inv", "config:23\n"},
	{"cpu/format/ldlat", "config1:0-15\n"},
	{"cpu/format/offcore", "config2:0-63\n"},
	{"cpu/events/cpu-cycles", "event=0x3c\n"},
	{"cpu/events/mem-loads", "event=0xcd,umask=0x1,ldlat=3\n"},
	{"cpu/events/mem-loads.unit", "loads\n"},
	{"cpu/events/loop", "loop\n"},
	{"cpu/events/asks", "event=?\n"},
	{"odd/type", "12"},
	{"odd/format/a", "config9:0-7"},
	{"odd/format/b", "config:7-0"},
	{"odd/format/c", "config:0-64"},
	{"odd/format/d", "nonsense"},
	{"no_events/type", "77\n"},
};

static int make_devices(void **state)
{
	if (scratch__make("event_pmu_test"))
		return -1;
	run("mkdir -p cpu/format cpu/events odd/format no_events");
	for (u32 i = 0; i < ARRAY_SIZE(files); i++)
		write_file(files[i].path, files[i].text);
	return 0;
}

static void expect(const char *text, u32 type, u64 config, u64 config1, u64 config2)
{
	struct perf_event_attr attr = {0};
	struct status st = {0};

	if (event_pmu__resolve(text, scratch_dir, &attr, &st))
		fail_msg("%s: %s", text, st.msg);
	assert_int_equal(attr.type, type);
	assert_int_equal(attr.config, config);
	assert_int_equal(attr.config1, config1);
	assert_int_equal(attr.config2, config2);
}

static void expect_error(const char *text, enum exit_code code, const char *says)
{
	struct perf_event_attr attr = {0};
	struct status st = {0};

	assert_true(event_pmu__resolve(text, scratch_dir, &attr, &st) < 0);
	assert_int_equal(st.code, code);
	if (!strstr(st.msg, says))
		fail_msg("'%s' does not say '%s'", st.msg, says);
}

static void test_is(void **state)
{
	assert_true(event_pmu__is("cpu/event=0x3c/"));
	assert_true(event_pmu__is("cpu_core/"));
	assert_false(event_pmu__is("cycles"));
	assert_false(event_pmu__is("../../etc/passwd"));
	assert_false(event_pmu__is("/etc/passwd"));
	assert_false(event_pmu__is("sched:x/y"));
}

static void test_fields(void **state)
{
	expect("cpu/event=0x3c/", 4, 0x3c, 0, 0);
	expect("cpu/event=60,umask=0x1/", 4, 0x13c, 0, 0);
	expect("cpu/event=0x73c/", 4, 0x70000003c, 0, 0); /* its upper bits lie elsewhere */
	expect("cpu/event=0x3c,inv/", 4, 0x3c | 1 << 23, 0, 0);
	expect("cpu/ldlat=30,offcore=0xffffffffffffffff/", 4, 0, 30, ~0ULL);
	expect("cpu/config=0x3c,config1=2,config2=3/", 4, 0x3c, 2, 3);
	expect("cpu/event=1,event=2/", 4, 2, 0, 0);
	expect("no_events/config=1/", 77, 1, 0, 0);
}

static void test_named(void **state)
{
	expect("cpu/cpu-cycles/", 4, 0x3c, 0, 0);
	expect("cpu/mem-loads/", 4, 0x1cd, 3, 0);
	expect("cpu/mem-loads,ldlat=50/", 4, 0x1cd, 50, 0); /* what comes later holds */
}

static void test_wrong(void **state)
{
	expect_error("gpu/event=1/", EXIT_CODE_UNSUPPORTED,
		     "no PMU 'gpu'; there are: cpu, no_events, odd");
	expect_error("cpu/evnt=1/", EXIT_CODE_USAGE,
		     "no 'evnt'; its fields are event, inv, ldlat, offcore, umask");
	expect_error("cpu/nothing/", EXIT_CODE_USAGE,
		     "its events: asks, cpu-cycles, loop, mem-loads");
	expect_error("cpu/event=/", EXIT_CODE_USAGE, "event= takes a number");
	expect_error("cpu/event=x/", EXIT_CODE_USAGE, "event= takes a number");
	expect_error("cpu/event=-1/", EXIT_CODE_USAGE, "event= takes a number");
	expect_error("cpu/event=99999999999999999999/", EXIT_CODE_USAGE, "takes a number");
	expect_error("cpu/event=0x1000/", EXIT_CODE_USAGE, "event=0x1000 is too large");
	expect_error("cpu/umask=256/", EXIT_CODE_USAGE, "too large");
	expect_error("cpu//", EXIT_CODE_USAGE, "a field or an event is expected");
	expect_error("cpu/event=1,/", EXIT_CODE_USAGE, "a field or an event is expected");
	expect_error("cpu/event=1", EXIT_CODE_USAGE, "ends with a slash");
	expect_error("cpu/", EXIT_CODE_USAGE, "ends with a slash");
	expect_error("cpu/event=1/zz", EXIT_CODE_USAGE, "ends with a slash");
	expect_error("cpu/a/b/", EXIT_CODE_USAGE, "ends with a slash");
	expect_error("cpu/..=1/", EXIT_CODE_USAGE, "is expected");
	expect_error("cpu/event=\033/", EXIT_CODE_USAGE, "takes a number");
}

/* What a kernel or somebody else put there. */
static void test_broken_sysfs(void **state)
{
	expect_error("cpu/loop/", EXIT_CODE_USAGE, "no 'loop'");
	expect_error("cpu/asks/", EXIT_CODE_USAGE, "event= takes a number");
	expect_error("odd/a=1/", EXIT_CODE_UNSUPPORTED, "does not know");
	expect_error("odd/b=1/", EXIT_CODE_UNSUPPORTED, "is broken");
	expect_error("odd/c=1/", EXIT_CODE_UNSUPPORTED, "is broken");
	expect_error("odd/d=1/", EXIT_CODE_UNSUPPORTED, "does not know");
}

static void count(void *ctx, const char *name)
{
	static const char *const want[] = {"cpu/asks/", "cpu/cpu-cycles/", "cpu/loop/",
					   "cpu/mem-loads/"};
	u32 *n = ctx;

	assert_true(*n < ARRAY_SIZE(want));
	assert_string_equal(name, want[(*n)++]);
}

static void test_each(void **state)
{
	u32 n = 0;

	event_pmu__each(scratch_dir, count, &n);
	assert_int_equal(n, 4);
	event_pmu__each("/no/such/folder", count, &n);
	assert_int_equal(n, 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_is),	     cmocka_unit_test(test_fields),
		cmocka_unit_test(test_named),	     cmocka_unit_test(test_wrong),
		cmocka_unit_test(test_broken_sysfs), cmocka_unit_test(test_each),
	};

	return cmocka_run_group_tests_name("event_pmu", tests, make_devices, scratch__remove);
}
