// SPDX-License-Identifier: GPL-2.0-only
/* What --watch takes: places in this very program, access, length, and what is refused. */
#include <linux/hw_breakpoint.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "sources/watch_spec.h"

u64 watched_number[3];
u32 watched_small;

static struct watch_spec parsed(const char *fmt)
{
	static char text[PATH_MAX];
	struct watch_spec w;
	struct status st = {0};

	snprintf(text, sizeof(text), fmt, "/proc/self/exe");
	if (watch_spec__parse(&w, text, &st))
		fail_msg("%s: %s", text, st.msg);
	return w;
}

static void test_places(void **state)
{
	struct watch_spec w = parsed("%s:watched_small"), first = parsed("%s:watched_number/8:w");

	(void)state;
	assert_int_equal(w.len, 4);
	assert_int_equal(w.access, HW_BREAKPOINT_W);
	assert_string_equal(w.symbol, "watched_small");
	w = parsed("%s:watched_number+16/4:rw");
	assert_int_equal(w.at, first.at + 16);
	assert_int_equal(w.len, 4);
	assert_int_equal(w.access, HW_BREAKPOINT_RW);
	assert_string_equal(w.symbol, "watched_number+16");
	assert_int_equal(parsed("%s:main:x").access, HW_BREAKPOINT_X);
	assert_int_equal(parsed("%s:watched_small:r").access, HW_BREAKPOINT_RW);
	w = parsed("0x7f00001000/8:w");
	assert_int_equal(w.at, 0x7f00001000);
	assert_string_equal(w.path, "");
}

static void test_refused(void **state)
{
	static const char *const wrong[] = {
		"", "x", "0x", "0xzz/8", "0x1001/8:w", "/no/such/program:x/8", "/proc/self/exe:nothing_so",
		"/proc/self/exe:watched_number", "/proc/self/exe:watched_number/3",
		"/proc/self/exe:watched_number/16", "/proc/self/exe:watched_number+4/8",
		"/proc/self/exe:watched_number+x/8", "/proc/self/exe:main:rx", "/proc/self/exe:", ":main",
	};
	struct watch_spec w;

	(void)state;
	for (u32 i = 0; i < ARRAY_SIZE(wrong); i++) {
		struct status st = {0};

		if (!watch_spec__parse(&w, wrong[i], &st))
			fail_msg("\"%s\" is taken", wrong[i]);
		assert_int_equal(st.code, EXIT_CODE_USAGE);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_places),
		cmocka_unit_test(test_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
