// SPDX-License-Identifier: GPL-2.0-only
/* What queries that differ in literals alone have in common. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/base.h"
#include "measures/sql_text.h"

struct example {
	const char *text, *statement;
};

static const struct example either[] = {
	{"", ""},
	{" select 1 ;\n", "select ?"},
	{"SELECT  a1,\tb FROM t2\nWHERE x = 'it''s' AND y<>1.5e-3", "SELECT a1, b FROM t2 WHERE x = ? AND y<>?"},
	{"select 0x1F, .5, 1., t.a2", "select ?, ?, ?, t.a2"},
	{"x = -5", "x = ?"},
	{"x + -5", "x + ?"},
	{"x - 5", "x - ?"},
	{"x-5", "x-?"},
	{"f(-1,+2)", "f(?,?)"},
	{"a -- b\n c", "a c"},
	{"a /* 'b */ c/**/d", "a c d"},
	{"a /* b", "a"},
	{"x in (1, 2, 3, 4)", "x in (?, ...)"},
	{"x in (1,2,3,4,5,6)", "x in (?, ...)"},
	{"x IN(1,2,3,4,x)", "x IN(?, ...,x)"},
	{"insert into t values (1, 2, 3, 4)", "insert into t values (?, ?, ?, ?)"},
	{"x in (1, 2)", "x in (?, ?)"},
	{"f(1), f(2), f(3)", "f(?), f(?), f(?)"},
	{"insert into t values (1, 'a'), (2, 'b'),(3, 'c') returning x", "insert into t values (?, ?) returning x"},
	{"values (1, x), (1, y)", "values (?, x), (?, y)"},
	{"select 'open", "select ?"},
	{"select \xc3\xa4" "1 from t", "select \xc3\xa4" "1 from t"},
};
static const struct example postgresql[] = {
	{"select \"a 1\", $1, $22", "select \"a 1\", ?, ?"},
	{"select $$it's$$, $a$ $b$ $a$ , x", "select ?, ? , x"},
	{"select $a$ $aa$ $a$, 1", "select ?, ?"},
	{"select E'a\\'b', 'a\\', x", "select E?, ?, x"},
	{"select 1 # 2", "select ? # ?"},
	{"a$1", "a$1"},
};
static const struct example mariadb[] = {
	{"select \"a'b\\\"c\", 'a\\'b', `a 1`", "select ?, ?, `a 1`"},
	{"select 1 # 2\n, 3", "select ? , ?"},
	{"select ?", "select ?"},
};

static void check(enum sql_dialect dialect, const struct example *v, u32 n)
{
	char out[200];

	for (u32 i = 0; i < n; i++) {
		sql_text__fold(dialect, v[i].text, false, out, sizeof(out));
		assert_string_equal(out, v[i].statement);
		/* In its own place, too. */
		copy_str(out, sizeof(out), v[i].text);
		sql_text__fold(dialect, out, false, out, sizeof(out));
		assert_string_equal(out, v[i].statement);
	}
}

static void statements(void **state)
{
	check(SQL_POSTGRESQL, either, ARRAY_SIZE(either));
	check(SQL_MARIADB, either, ARRAY_SIZE(either));
	check(SQL_POSTGRESQL, postgresql, ARRAY_SIZE(postgresql));
	check(SQL_MARIADB, mariadb, ARRAY_SIZE(mariadb));
}

static void cut_off(void **state)
{
	char out[12];

	sql_text__fold(SQL_MARIADB, "select 1 from", true, out, sizeof(out));
	assert_true(strlen(out) < sizeof(out));
	sql_text__fold(SQL_MARIADB, "do 123", true, out, sizeof(out));
	assert_string_equal(out, "do ? ...");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(statements),
		cmocka_unit_test(cut_off),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
