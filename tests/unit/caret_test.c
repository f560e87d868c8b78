// SPDX-License-Identifier: GPL-2.0-only
/* A fault in a line: drawn below it, and found again in another line that has the text in it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "base/caret.h"

static void assert_found(const char *text, u32 column, u32 length, const char *before)
{
	char below[64], msg[256], line[128];
	u32 at, n;

	caret__draw(column, length, text, below, sizeof(below));
	snprintf(msg, sizeof(msg), "this is wrong\n%s\n%s", text, below);
	snprintf(line, sizeof(line), "%s%s", before, text);
	assert_true(caret__find(msg, line, &at, &n));
	assert_int_equal(at, strlen(before) + column);
	assert_int_equal(n, length);
}

static void what_is_drawn_is_found(void **state)
{
	assert_found("count a:b by c", 0, 5, "");
	assert_found("count a:b by c", 6, 3, "ask ");
	assert_found("count a:b by c", 13, 1, "reask 2 ");
	assert_found("count a:b", 9, 1, "ask ");
	/* Columns are bytes, carets stand below characters. */
	assert_found("count \xc3\xa4:b by c", 13, 1, "ask ");
}

static void others_have_none(void **state)
{
	u32 at, n;

	assert_false(caret__find("no caret", "ask no caret", &at, &n));
	assert_false(caret__find("", "", &at, &n));
	assert_false(caret__find("wrong\nx y", "ask x y", &at, &n));
	assert_false(caret__find("wrong\nx y\nmore", "ask x y", &at, &n));
	assert_false(caret__find("wrong\nx y\n  ^", "ask x z", &at, &n));
	assert_false(caret__find("wrong\n\n^", "ask", &at, &n));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_drawn_is_found),
		cmocka_unit_test(others_have_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
