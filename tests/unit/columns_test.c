/* SPDX-License-Identifier: GPL-2.0-only */
/* Lists of columns as the configuration keeps them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "tui/columns.h"

static void lists_are_checked(void **state)
{
	static const char *const right[] = {"procs:text", "procs:process,cpu_pct;cpu:self", "a:b;",
					    "io:device ; cpu:self, symbol"};
	static const char *const wrong[] = {"", ";", "procs", "procs:", ":text", "procs:Text",
					    "procs:te\033xt", "procs:a;cpu"};
	char text[COLUMNS_TEXT + 8];

	for (u32 i = 0; i < ARRAY_SIZE(right); i++)
		if (!columns__valid(right[i]))
			fail_msg("%s", right[i]);
	for (u32 i = 0; i < ARRAY_SIZE(wrong); i++)
		if (columns__valid(wrong[i]))
			fail_msg("%s", wrong[i]);
	memset(text, 'a', sizeof(text));
	text[1] = ':';
	text[COLUMNS_TEXT] = '\0';
	assert_false(columns__valid(text));
	text[COLUMNS_TEXT - 1] = '\0';
	assert_true(columns__valid(text));
}

static void one_is_found(void **state)
{
	static const char *const text = "procs:process,text; cpu:self";
	char names[16];

	assert_true(columns__of(text, "procs", names, sizeof(names)));
	assert_string_equal(names, "process,text");
	assert_true(columns__of(text, "cpu", names, sizeof(names)));
	assert_string_equal(names, "self");
	assert_false(columns__of(text, "proc", names, sizeof(names)));
	assert_string_equal(names, "");
	assert_true(columns__of(text, "procs", names, 4));
	assert_string_equal(names, "pro");
}

static void one_is_replaced(void **state)
{
	char text[COLUMNS_TEXT] = "", long_one[COLUMNS_TEXT];

	assert_true(columns__set(text, "cpu", "self"));
	assert_true(columns__set(text, "io", "device,reads"));
	assert_string_equal(text, "cpu:self;io:device,reads");
	assert_true(columns__set(text, "cpu", "symbol"));
	assert_string_equal(text, "io:device,reads;cpu:symbol");
	assert_true(columns__valid(text));
	assert_true(columns__set(text, "io", ""));
	assert_string_equal(text, "cpu:symbol");
	memset(long_one, 'x', sizeof(long_one));
	long_one[COLUMNS_TEXT - 15] = '\0';
	assert_false(columns__set(text, "sched", long_one));
	assert_string_equal(text, "cpu:symbol");
	assert_true(columns__set(text, "cpu", long_one));
	assert_true(columns__valid(text));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lists_are_checked),
		cmocka_unit_test(one_is_found),
		cmocka_unit_test(one_is_replaced),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
