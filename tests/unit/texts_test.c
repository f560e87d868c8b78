// SPDX-License-Identifier: GPL-2.0-only
/* Texts that are shared: each is there once, and as long as somebody holds it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "models/texts.h"

static void a_text_has_one_place(void **state)
{
	char copy[] = "openat";
	const char *a, *b;
	struct texts t;

	texts__init(&t);
	a = texts__intern(&t, "openat");
	b = texts__intern(&t, copy);
	assert_ptr_equal(a, b);
	assert_ptr_not_equal(a, copy);
	copy[0] = 'O';
	assert_string_equal(a, "openat");
	assert_ptr_not_equal(texts__intern(&t, copy), a);
	assert_int_equal(t.n, 2);
	assert_int_equal(t.bytes, 2 * sizeof("openat"));
	assert_string_equal(texts__intern(&t, ""), "");
	texts__fini(&t);
}

static void many_stay_where_they_are(void **state)
{
	const char *places[5000];
	struct texts t;
	char text[32];

	texts__init(&t);
	for (u32 i = 0; i < ARRAY_SIZE(places); i++) {
		snprintf(text, sizeof(text), "/path/%u", i);
		places[i] = texts__intern(&t, text);
	}
	for (u32 i = 0; i < ARRAY_SIZE(places); i++) {
		snprintf(text, sizeof(text), "/path/%u", i);
		assert_ptr_equal(texts__intern(&t, text), places[i]);
		assert_string_equal(places[i], text);
	}
	assert_int_equal(t.n, ARRAY_SIZE(places));
	texts__fini(&t);
}

static void renewed_ones_leave_the_old(void **state)
{
	struct stack_store *old;
	const char *before, *after;
	struct texts t;

	texts__init(&t);
	before = texts__intern(&t, "/a/b");
	texts__renew(&t, &old);
	assert_int_equal(t.bytes, 0);
	after = texts__intern(&t, before);
	assert_ptr_not_equal(after, before);
	assert_string_equal(before, "/a/b");
	stack_store__put(old);
	assert_string_equal(after, "/a/b");
	assert_ptr_equal(texts__intern(&t, "/a/b"), after);
	assert_int_equal(t.n, 1);
	texts__fini(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_text_has_one_place),
		cmocka_unit_test(many_stay_where_they_are),
		cmocka_unit_test(renewed_ones_leave_the_old),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
