// SPDX-License-Identifier: GPL-2.0-only
/* Values compare, rows sort and ties keep their place. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "core/arena.h"
#include "core/table.h"

static struct value count(u64 n)
{
	return (struct value){.type = VALUE_COUNT, .u = n};
}

static struct value pct(double d)
{
	return (struct value){.type = VALUE_PCT, .f = d};
}

static struct value text(const char *s)
{
	return (struct value){.type = VALUE_TEXT, .s = s};
}

static void expect_sign(struct value a, struct value b, int sign)
{
	int ab = value__compare(&a, &b), ba = value__compare(&b, &a);

	assert_int_equal((ab > 0) - (ab < 0), sign);
	assert_int_equal((ba > 0) - (ba < 0), -sign);
}

static void test_compare(void **state)
{
	const float low[] = {9, 1}, high[] = {0, 2};
	struct value none = {.type = VALUE_NONE};

	expect_sign(count(1), count(2), -1);
	expect_sign(count(UINT64_MAX - 1), count(UINT64_MAX), -1); /* not by way of a double */
	expect_sign(count(7), count(7), 0);
	expect_sign(pct(0.1), pct(0.2), -1);
	expect_sign(pct(NAN), pct(-1), -1);
	expect_sign(pct(NAN), pct(NAN), 0);
	expect_sign(pct(-INFINITY), pct(0), -1);
	expect_sign(count(2), pct(1.5), 1);
	expect_sign(text("a"), text("b"), -1);
	expect_sign(text("\xff"), text("z"), 1);
	expect_sign(text("a"), count(5), 1);
	expect_sign(none, none, 0);
	expect_sign(none, count(0), -1);
	expect_sign(none, pct(NAN), -1);
	expect_sign(none, text(""), -1);
	expect_sign((struct value){.type = VALUE_TREND, .n = 2, .trend = low},
		    (struct value){.type = VALUE_TREND, .n = 2, .trend = high}, -1);
}

static const struct {
	const char *name;
	s64 n; /* negative: unknown */
} rows[] = {{"d", 2}, {"a", 1}, {"c", 2}, {"b", -1}, {"a", 3}, {"e", 2}};

static bool cell(const struct row_table *t, u32 row, u32 column, struct value *out)
{
	if (column == 0)
		*out = text(rows[row].name);
	else if (rows[row].n >= 0)
		*out = count((u64)rows[row].n);
	else
		return false;
	return true;
}

static void expect_order(u32 column, bool descending, const u32 *want)
{
	const struct row_table t = {.ncolumns = 2, .nrows = ARRAY_SIZE(rows), .cell = cell};
	u32 order[ARRAY_SIZE(rows)];

	row_table__sort(&t, column, descending, order);
	assert_memory_equal(order, want, sizeof(order));
}

static void test_sort(void **state)
{
	expect_order(0, false, (u32[]){1, 4, 3, 2, 0, 5});
	expect_order(0, true, (u32[]){5, 0, 2, 3, 1, 4});
	expect_order(1, true, (u32[]){4, 0, 2, 5, 1, 3}); /* unknown last */
	expect_order(1, false, (u32[]){3, 1, 0, 2, 5, 4});
	expect_order(9, true, (u32[]){0, 1, 2, 3, 4, 5}); /* no such column */
}

static bool many_cell(const struct row_table *t, u32 row, u32 column, struct value *out)
{
	*out = count(mix64(row) % 100);
	return true;
}

static void test_many(void **state)
{
	const struct row_table t = {.ncolumns = 1, .nrows = 100000, .cell = many_cell};
	u32 *order = xcalloc(t.nrows, sizeof(*order));

	row_table__sort(&t, 0, true, order);
	for (u32 i = 1; i < t.nrows; i++) {
		u64 before = mix64(order[i - 1]) % 100, here = mix64(order[i]) % 100;

		assert_true(before > here || (before == here && order[i - 1] < order[i]));
	}
	free(order);
}

static void test_empty(void **state)
{
	const struct row_table t = {.ncolumns = 1, .nrows = 0, .cell = many_cell};
	u32 order[1] = {77};

	row_table__sort(&t, 0, true, order);
	assert_int_equal(order[0], 77);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_compare),
		cmocka_unit_test(test_sort),
		cmocka_unit_test(test_many),
		cmocka_unit_test(test_empty),
	};

	return cmocka_run_group_tests_name("table", tests, NULL, NULL);
}
