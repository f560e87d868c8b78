/* SPDX-License-Identifier: GPL-2.0-only */
/* Two answers as one: keys, new and gone rows, windows of other lengths, order, trees. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/arena.h"
#include "models/result_diff.h"

enum { NAME, PID, TIME, SHARE, P99, SECRET, COLUMNS };

static const struct column columns[COLUMNS] = {
	[NAME] = {.name = "symbol",
		  .title = "Symbol",
		  .type = VALUE_TEXT,
		  .width = 20,
		  .flags = COLUMN_BOTH | COLUMN_KEY | COLUMN_ASCENDING},
	[PID] = {.name = "pid", .type = VALUE_COUNT, .flags = COLUMN_EXPORT | COLUMN_ASCENDING},
	[TIME] = {.name = "off_ns",
		  .title = "Blocked",
		  .type = VALUE_NS,
		  .width = 8,
		  .flags = COLUMN_BOTH | COLUMN_SUM},
	[SHARE] = {.name = "share_pct",
		   .title = "Share%",
		   .type = VALUE_PCT,
		   .width = 7,
		   .flags = COLUMN_BOTH | COLUMN_SHARE},
	[P99] = {.name = "p99_ns", .type = VALUE_NS, .flags = COLUMN_EXPORT},
	[SECRET] = {.name = "rate", .type = VALUE_COUNT, .flags = COLUMN_SCREEN},
};

struct line {
	u64 key;
	const char *name;
	u64 time;
	double share;
	u64 p99; /* 0: not known */
};

struct made {
	struct query_result result;
	const struct line *lines;
};

static u32 freed;

static void made__free(struct query_result *a)
{
	freed++;
	free(container_of(a, struct made, result));
}

static bool cell(const struct row_table *t, u32 row, u32 column, struct value *out)
{
	const struct line *l = &container_of(t, struct made, result.table)->lines[row];

	*out = (struct value){.type = columns[column].type};
	if (column == NAME)
		out->s = l->name;
	else if (column == SHARE)
		out->f = l->share;
	else if (column == P99 && !l->p99)
		out->type = VALUE_NONE;
	else
		out->u = column == PID ? l->key : column == TIME ? l->time : l->p99;
	return column != SECRET;
}

static u64 key(const struct row_table *t, u32 row)
{
	return container_of(t, struct made, result.table)->lines[row].key;
}

static struct query_result *make(const struct line *lines, u32 n, u64 window_ns)
{
	struct made *m = xcalloc(1, sizeof(*m));

	m->lines = lines;
	m->result = (struct query_result){.table = {.columns = columns,
						    .ncolumns = COLUMNS,
						    .nrows = n,
						    .sort = TIME,
						    .cell = cell,
						    .key = key},
					  .window_ns = window_ns,
					  .free = made__free};
	return &m->result;
}

static u32 column_of(const struct result_diff *d, const char *name, u32 flags)
{
	const struct row_table *t = &d->base.table;

	for (u32 i = 0; i < t->ncolumns; i++)
		if (!strcmp(t->columns[i].name, name) && t->columns[i].flags & flags)
			return i;
	fail_msg("no column %s", name);
	return 0;
}

static struct value get(const struct result_diff *d, u32 row, const char *name, u32 flags)
{
	struct value v = {0};

	assert_true(d->base.table.cell(&d->base.table, row, column_of(d, name, flags), &v));
	return v;
}

static u32 row_of(const struct result_diff *d, u64 key)
{
	for (u32 i = 0; i < d->base.table.nrows; i++)
		if (d->base.table.key(&d->base.table, i) == key)
			return i;
	fail_msg("no row %llu", (unsigned long long)key);
	return 0;
}

/* Then: two seconds. Now: one second, so then's sums count half. */
static const struct line before[] = {
	{1, "futex_wait", 1000, 50, 7000},
	{2, "do_nanosleep", 800, 40, 9000},
	{3, "pipe_read", 200, 10, 0},
};
static const struct line after[] = {
	{4, "fsync", 900, 90, 100},
	{1, "futex_wait", 400, 8, 5000},
	{3, "pipe_read", 100, 2, 300},
};

static struct result_diff *joined(void)
{
	struct result_diff *d =
		result_diff__join(make(after, 3, NSEC_PER_SEC), make(before, 3, 2 * NSEC_PER_SEC));

	assert_non_null(d);
	return d;
}

static void rows_are_joined_by_key(void **state)
{
	struct result_diff *d = joined();

	assert_int_equal(d->base.table.nrows, 4);
	assert_int_equal(d->nnew, 1);
	assert_int_equal(d->ngone, 1);
	assert_string_equal(get(d, row_of(d, 1), "presence", COLUMN_EXPORT).s, "both");
	assert_string_equal(get(d, row_of(d, 2), "presence", COLUMN_EXPORT).s, "gone");
	assert_string_equal(get(d, row_of(d, 4), "presence", COLUMN_EXPORT).s, "new");
	assert_string_equal(get(d, row_of(d, 2), "symbol", COLUMN_EXPORT).s, "do_nanosleep");
	assert_int_equal(get(d, row_of(d, 2), "pid", COLUMN_EXPORT).u, 2);
	query_result__free(&d->base);
	assert_int_equal(freed, 2);
}

/* 1000 in 2 s are 500 in 1 s. */
static void sums_are_made_of_one_length(void **state)
{
	struct result_diff *d = joined();
	u32 row = row_of(d, 1);

	assert_int_equal(get(d, row, "off_ns", COLUMN_EXPORT).u, 400);
	assert_int_equal(get(d, row, "then_off_ns", COLUMN_EXPORT).u, 500);
	assert_int_equal(get(d, row, "diff_off_ns", COLUMN_EXPORT).i, -100);
	assert_int_equal(get(d, row, "diff_off_ns", COLUMN_EXPORT).n, VALUE_NS);
	assert_true(get(d, row, "then_share_pct", COLUMN_EXPORT).f == 50);
	assert_true(get(d, row, "diff_share_pct", COLUMN_EXPORT).f == -42);
	assert_int_equal(get(d, row, "diff_p99_ns", COLUMN_EXPORT).i, -2000);
	query_result__free(&d->base);
}

/* Of sums and shares there was none; how long the slowest took nobody knows. */
static void missing_rows_have_none_of_what_adds_up(void **state)
{
	struct result_diff *d = joined();
	u32 new = row_of(d, 4), gone = row_of(d, 2);

	assert_int_equal(get(d, new, "then_off_ns", COLUMN_EXPORT).type, VALUE_NS);
	assert_int_equal(get(d, new, "diff_off_ns", COLUMN_EXPORT).i, 900);
	assert_int_equal(get(d, new, "then_p99_ns", COLUMN_EXPORT).type, VALUE_NONE);
	assert_int_equal(get(d, new, "diff_p99_ns", COLUMN_EXPORT).type, VALUE_NONE);
	assert_int_equal(get(d, gone, "off_ns", COLUMN_EXPORT).type, VALUE_NS);
	assert_int_equal(get(d, gone, "off_ns", COLUMN_EXPORT).u, 0);
	assert_int_equal(get(d, gone, "diff_off_ns", COLUMN_EXPORT).i, -400);
	assert_int_equal(get(d, gone, "p99_ns", COLUMN_EXPORT).type, VALUE_NONE);
	assert_int_equal(get(d, row_of(d, 3), "diff_p99_ns", COLUMN_EXPORT).type, VALUE_NONE);
	query_result__free(&d->base);
}

/* Difference, now, then come first; marks stand where there is no number. */
static void the_screen_begins_with_the_difference(void **state)
{
	struct result_diff *d = joined();
	const struct row_table *t = &d->base.table;
	u32 of;

	assert_string_equal(t->columns[0].title, "Diff");
	assert_string_equal(t->columns[1].title, "Blocked");
	assert_string_equal(t->columns[2].title, "Then");
	assert_false(result_diff__column(d, 0, &of));
	assert_true(result_diff__column(d, 1, &of));
	assert_int_equal(of, TIME);
	assert_string_equal(get(d, row_of(d, 2), "off_ns", COLUMN_SCREEN).s, "gone");
	assert_string_equal(get(d, row_of(d, 4), "then", COLUMN_SCREEN).s, "new");
	for (u32 i = 3; i < t->ncolumns; i++)
		assert_true(!(t->columns[i].flags & COLUMN_SCREEN) ||
			    strcmp(t->columns[i].name, "off_ns") != 0);
	query_result__free(&d->base);
}

/* 900, -400, -100, 0: whatever the sign. */
static void rows_come_by_the_size_of_the_difference(void **state)
{
	static const u64 order[] = {4, 2, 1, 3};
	struct result_diff *d = joined();

	for (u32 i = 0; i < 4; i++)
		assert_int_equal(d->base.table.key(&d->base.table, i), order[i]);
	query_result__free(&d->base);
}

static void rows_that_stay_last_stay_last(void **state)
{
	struct query_result *now = make(after, 3, 1), *baseline = make(before, 3, 1);
	struct result_diff *d;

	now->table.nlast = 1;	   /* 3 */
	baseline->table.nlast = 2; /* 2, 3 */
	d = result_diff__join(now, baseline);
	assert_int_equal(d->base.table.nlast, 2);
	assert_int_equal(d->base.table.key(&d->base.table, 2), 2);
	assert_int_equal(d->base.table.key(&d->base.table, 3), 3);
	query_result__free(&d->base);
}

static void names_alone_cannot_be_compared(void **state)
{
	struct query_result *now = make(after, 3, 1), *baseline = make(before, 3, 1);

	now->table.ncolumns = baseline->table.ncolumns = TIME;
	assert_null(result_diff__join(now, baseline));
	query_result__free(now);
	query_result__free(baseline);
}

/* The same key twice in one answer takes no row twice. */
static void equal_keys_are_taken_once(void **state)
{
	static const struct line twice[] = {{1, "a", 10, 1, 1}, {1, "b", 20, 2, 1}};
	struct result_diff *d = result_diff__join(make(twice, 2, 1), make(before, 1, 1));

	assert_int_equal(d->base.table.nrows, 2);
	assert_int_equal(d->nnew, 1);
	assert_int_equal(d->ngone, 0);
	query_result__free(&d->base);
}

static void nodes_know_their_share_of_then(void **state)
{
	static const struct tree_node now_nodes[] = {
		{.depth = 1, .parent = UINT32_MAX, .key = 11, .pct = 8, .name = "a"},
		{.depth = 2, .parent = 0, .key = 12, .pct = 8, .name = "b"},
	};
	static const struct tree_node then_nodes[] = {
		{.depth = 1, .parent = UINT32_MAX, .key = 11, .pct = 50, .name = "a"},
		{.depth = 1, .parent = UINT32_MAX, .key = 21, .pct = 40, .name = "c"},
		{.depth = 2, .parent = 1, .key = 22, .pct = 30, .name = "d"},
	};
	static const struct row_tree now_trees[] = {{0}, {0, 2}, {0}},
				     then_trees[] = {{0, 1}, {1, 2}, {0}};
	struct query_result *now = make(after, 3, 1), *baseline = make(before, 3, 1);
	struct result_diff *d;
	u32 first;

	now->trees = now_trees, now->nodes = now_nodes, now->nnodes = 2;
	baseline->trees = then_trees, baseline->nodes = then_nodes, baseline->nnodes = 3;
	d = result_diff__join(now, baseline);
	first = d->base.trees[row_of(d, 1)].first;
	assert_true(d->baseline_pct[first] == 50);
	assert_true(d->baseline_pct[first + 1] < 0);
	first = d->base.trees[row_of(d, 2)].first;
	assert_int_equal(d->base.trees[row_of(d, 2)].n, 2);
	assert_string_equal(d->base.nodes[first + 1].name, "d");
	assert_int_equal(d->base.nodes[first + 1].parent, first);
	assert_int_equal(result_diff__node(d, first + 1), 2);
	assert_true(d->baseline_pct[first + 1] == 30 && d->base.nodes[first + 1].pct == 0);
	query_result__free(&d->base);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_are_joined_by_key),
		cmocka_unit_test(sums_are_made_of_one_length),
		cmocka_unit_test(missing_rows_have_none_of_what_adds_up),
		cmocka_unit_test(the_screen_begins_with_the_difference),
		cmocka_unit_test(rows_come_by_the_size_of_the_difference),
		cmocka_unit_test(rows_that_stay_last_stay_last),
		cmocka_unit_test(names_alone_cannot_be_compared),
		cmocka_unit_test(equal_keys_are_taken_once),
		cmocka_unit_test(nodes_know_their_share_of_then),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
