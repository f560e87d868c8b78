// SPDX-License-Identifier: GPL-2.0-only
/* Lists of what is counted: names, groups, and what is wrong. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#include "sources/counter_list.h"

static struct counter_list l;
static struct status st;

static void test_names_and_groups(void **state)
{
	assert_int_equal(counter_list__parse(&l, "page-faults,{cycles,instructions:u},sched:sched_switch,{cs}", &st), 0);
	assert_int_equal(l.n, 5);
	assert_string_equal(l.names[2], "instructions:u");
	assert_string_equal(l.names[3], "sched:sched_switch");
	assert_string_equal(l.names[4], "cs");
	for (u32 i = 0; i < l.n; i++)
		assert_int_equal(l.leaders[i], i == 2 ? 1 : i);
}

static void test_commas_of_a_pmu(void **state)
{
	assert_int_equal(counter_list__parse(&l, "{cpu/event=0x3c,umask=1/u,cycles},armv8_pmuv3_0/config=8/", &st), 0);
	assert_int_equal(l.n, 3);
	assert_string_equal(l.names[0], "cpu/event=0x3c,umask=1/u");
	assert_string_equal(l.names[2], "armv8_pmuv3_0/config=8/");
	assert_int_equal(l.leaders[1], 0);
}

static void refused(const char *text, const char *words)
{
	st = (struct status){0};
	assert_int_equal(counter_list__parse(&l, text, &st), -EINVAL);
	assert_int_equal(st.code, EXIT_CODE_USAGE);
	if (!strstr(st.msg, words))
		fail_msg("\"%s\": %s", text, st.msg);
}

static void test_what_is_wrong(void **state)
{
	refused("", "name of an event");
	refused("cycles,", "name of an event");
	refused("{},cycles", "name of an event");
	refused("{cycles,instructions", "no }");
	refused("{cycles,{instructions}}", "groups have no groups");
	refused("cycles}", "a comma is expected");
	refused("{cycles}instructions", "a comma is expected");
	refused("cycles,branches,cycles", "twice");
}

static void test_limits(void **state)
{
	char text[COUNTERS_MAX * 8 + 8], *at = text, name[200];

	for (u32 i = 0; i <= COUNTERS_MAX; i++)
		at += sprintf(at, "%sr%x", i ? "," : "", i + 1);
	refused(text, "too many");
	*strrchr(text, ',') = '\0';
	assert_int_equal(counter_list__parse(&l, text, &st), 0);
	assert_int_equal(l.n, COUNTERS_MAX);
	memset(name, 'x', sizeof(name));
	name[128] = '\0';
	refused(name, "too long");
	name[127] = '\0';
	assert_int_equal(counter_list__parse(&l, name, &st), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names_and_groups),
		cmocka_unit_test(test_commas_of_a_pmu),
		cmocka_unit_test(test_what_is_wrong),
		cmocka_unit_test(test_limits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
