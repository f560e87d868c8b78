/* SPDX-License-Identifier: GPL-2.0-only */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "widgets/input.h"

static void names_give_keys(void **state)
{
	assert_int_equal(key__parse("a"), 'a');
	assert_int_equal(key__parse("é"), 0xe9);
	assert_int_equal(key__parse("/"), '/');
	assert_int_equal(key__parse("Space"), ' ');
	assert_int_equal(key__parse("Hash"), '#');
	assert_int_equal(key__parse("enter"), KEYCODE_ENTER);
	assert_int_equal(key__parse("PgDn"), KEYCODE_PGDN);
	assert_int_equal(key__parse("F1"), KEYCODE_F1);
	assert_int_equal(key__parse("f12"), KEYCODE_F12);
	assert_int_equal(key__parse("C-a"), 1);
	assert_int_equal(key__parse("C-A"), 1);
	assert_int_equal(key__parse("M-x"), 'x' | KEYCODE_ALT);
	assert_int_equal(key__parse("M-Up"), KEYCODE_UP | KEYCODE_ALT);
}

/* A terminal sends one byte for both. */
static void control_keys_with_names(void **state)
{
	assert_int_equal(key__parse("C-m"), KEYCODE_ENTER);
	assert_int_equal(key__parse("C-i"), KEYCODE_TAB);
	assert_int_equal(key__parse("C-["), KEYCODE_ESC);
	assert_int_equal(key__parse("C-h"), KEYCODE_BACKSPACE);
}

static void unknown_names(void **state)
{
	static const char *const wrong[] = {
		"",   "ab",    "F0",	      "F13",  "F1x",  "FF",	  "C-", "C-1",	    "C-ab",
		"M-", "M-M-x", "M-M-M-M-M-x", "\xff", "\033", "Spacebar", " ",	"\xc2\x9b", "F-1"};

	for (u32 i = 0; i < ARRAY_SIZE(wrong); i++)
		assert_int_equal(key__parse(wrong[i]), 0);
}

static void names_come_back(void **state)
{
	static const char *const names[] = {
		"a",   "é",   "Space", "#",   "Enter",	 "Tab",		"BackTab", "Esc", "F1",
		"F12", "C-a", "C-z",   "M-x", "M-Enter", "M-Backspace", "PgUp",	   "日",  "C-\\"};
	char buf[16];

	for (u32 i = 0; i < ARRAY_SIZE(names); i++) {
		memset(buf, 0, sizeof(buf));
		assert_ptr_equal(key__name(key__parse(names[i]), buf, sizeof(buf)), buf);
		assert_string_equal(buf, names[i]);
	}
	assert_string_equal(key__name(0x3fffff, buf, sizeof(buf)), "?");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_give_keys),
		cmocka_unit_test(control_keys_with_names),
		cmocka_unit_test(unknown_names),
		cmocka_unit_test(names_come_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
