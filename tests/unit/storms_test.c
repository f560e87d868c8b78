// SPDX-License-Identifier: GPL-2.0-only
/* Many processes of one name as one row. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "models/storms.h"

static void few_are_no_storm(void **state)
{
	struct storms s = {0};

	assert_null(storms__of(&s, "sh"));
	for (u64 i = 0; i < STORM_PROCESSES - 1; i++)
		storms__add(&s, "sh", i);
	storms__add(&s, "sh", 0); /* again */
	storms__add(&s, "true", 100);
	assert_null(storms__of(&s, "sh"));
	storms__add(&s, "sh", 200);
	assert_int_equal(storms__of(&s, "sh")->n, STORM_PROCESSES);
	assert_null(storms__of(&s, "true"));
	storms__fini(&s);
}

static void names_have_rows_of_their_own(void **state)
{
	struct storms s = {0};
	struct arena a;

	arena__init(&a);
	for (u64 i = 0; i < 1200; i++)
		storms__add(&s, i % 3 ? "sh" : "true", i);
	assert_int_equal(storms__of(&s, "true")->n, 400);
	assert_string_equal(storm__text(storms__of(&s, "sh"), &a), "  800 x");
	assert_true(storm__key(storms__of(&s, "sh")) != storm__key(storms__of(&s, "true")));
	storms__fini(&s);
	arena__fini(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(few_are_no_storm),
		cmocka_unit_test(names_have_rows_of_their_own),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
