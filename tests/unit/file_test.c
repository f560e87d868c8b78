// SPDX-License-Identifier: GPL-2.0-only
/* Small files: their first line, a number, a field. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/file.h"
#include "tests/lib/scratch.h"

static char path[80];

static int make(void **state)
{
	int err = scratch__make("file");

	snprintf(path, sizeof(path), "%s/file", scratch_dir);
	return err;
}

static void put(const char *text)
{
	write_file("file", text);
}

static void the_first_line(void **state)
{
	char line[8];

	put("on\noff\n");
	assert_true(file__line(path, line, sizeof(line)));
	assert_string_equal(line, "on");
	put("no end");
	assert_true(file__line(path, line, sizeof(line)));
	assert_string_equal(line, "no end");
	put("longer than it\n");
	assert_true(file__line(path, line, sizeof(line)));
	assert_string_equal(line, "longer ");
	put("");
	assert_false(file__line(path, line, sizeof(line)));
	assert_false(file__line("/nowhere", line, sizeof(line)));
}

static void a_number_or_the_other_one(void **state)
{
	put("-12 kB\n");
	assert_int_equal(file__number(path, 7), -12);
	put("max\n");
	assert_int_equal(file__number(path, 7), 7);
	assert_int_equal(file__number("/nowhere", 7), 7);
}

static void a_field_by_its_name(void **state)
{
	char value[8] = "before";

	put("MemTotalHuge: 1 kB\nMemTotal:\t 2 kB\nMemTotal: 3 kB\nEmpty:\nlong: 1234567890\n");
	assert_true(file__field(path, "MemTotal", value, sizeof(value)));
	assert_string_equal(value, "2 kB");
	assert_false(file__field(path, "Mem", value, sizeof(value)));
	assert_string_equal(value, "2 kB");
	assert_true(file__field(path, "Empty", value, sizeof(value)));
	assert_string_equal(value, "");
	assert_true(file__field(path, "long", value, sizeof(value)));
	assert_string_equal(value, "1234567");
	assert_false(file__field("/nowhere", "MemTotal", value, sizeof(value)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_first_line),
		cmocka_unit_test(a_number_or_the_other_one),
		cmocka_unit_test(a_field_by_its_name),
	};

	return cmocka_run_group_tests(tests, make, scratch__remove);
}
