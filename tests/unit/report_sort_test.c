// SPDX-License-Identifier: GPL-2.0-only
/* --sort: what it takes, in which order rows come, which columns it names. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "base/arena.h"
#include "tui/report_sort.h"

static const char *const names[] = {"b", "c", "a"};
static const u64 counts[] = {5, 7, 6};

static bool cell(const struct row_table *t, u32 row, u32 column, struct value *out)
{
	*out = (struct value){.type = t->columns[column].type};
	if (column == 2)
		return false; /* of another grouping */
	if (out->type == VALUE_TEXT)
		out->s = names[row];
	else
		out->u = counts[row];
	return true;
}

static const struct column columns[] = {
	{.name = "comm", .type = VALUE_TEXT, .flags = COLUMN_BOTH},
	{.name = "count", .type = VALUE_COUNT, .flags = COLUMN_BOTH},
	{.name = "other", .type = VALUE_COUNT, .flags = COLUMN_BOTH},
	{.name = "trend", .type = VALUE_TREND, .flags = COLUMN_SCREEN},
	{.name = "age_ns", .type = VALUE_NS, .flags = COLUMN_BOTH | COLUMN_ASCENDING},
};
static const struct row_table rows = {
	.columns = columns, .ncolumns = ARRAY_SIZE(columns), .nrows = 3, .cell = cell};

static void what_it_takes(void **state)
{
	static const struct {
		const char *text;
		bool good;
	} all[] = {{"count", true}, {"count:asc", true}, {"count:desc", true}, {"", false},
		   {":asc", false}, {"count:", false}, {"count:down", false}, {"count:asc:", false}};
	struct sort_order by;

	for (u32 i = 0; i < ARRAY_SIZE(all); i++)
		if (sort_order__parse(all[i].text, &by) != all[i].good)
			fail_msg("%s", all[i].text);
	assert_true(sort_order__parse("p99_ns:desc", &by));
	assert_string_equal(by.column, "p99_ns");
	assert_true(by.given && by.descending);
}

static void the_order_of_rows(void **state)
{
	static const struct {
		const char *text;
		u32 order[3];
	} all[] = {{"count", {1, 2, 0}}, {"count:asc", {0, 2, 1}}, {"comm", {2, 0, 1}},
		   {"comm:desc", {1, 0, 2}}, {"age_ns", {0, 2, 1}}, {"age_ns:desc", {1, 2, 0}}};
	const struct report r = {.view = "test", .rows = &rows};
	struct status st = {0};
	struct sort_order by;
	u32 order[3];

	for (u32 i = 0; i < ARRAY_SIZE(all); i++) {
		assert_true(sort_order__parse(all[i].text, &by));
		assert_int_equal(report_sort__fill(&r, &by, order, &st), 0);
		if (memcmp(order, all[i].order, sizeof(order)))
			fail_msg("%s: %u %u %u", all[i].text, order[0], order[1], order[2]);
	}
}

static void columns_that_are_not_there(void **state)
{
	static const char *const all[] = {"nothing", "other", "trend"};
	const struct report r = {.view = "test", .rows = &rows};
	struct sort_order by;
	u32 order[3];

	for (u32 i = 0; i < ARRAY_SIZE(all); i++) {
		struct status st = {0};

		assert_true(sort_order__parse(all[i], &by));
		assert_int_equal(report_sort__fill(&r, &by, order, &st), -EINVAL);
		assert_int_equal(st.code, EXIT_CODE_USAGE);
		assert_non_null(strstr(st.msg, "it has comm count age_ns"));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_it_takes),
		cmocka_unit_test(the_order_of_rows),
		cmocka_unit_test(columns_that_are_not_there),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
