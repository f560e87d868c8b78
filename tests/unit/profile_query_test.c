// SPDX-License-Identifier: GPL-2.0-only
/* Rows of a profile: truths on graphs made by hand, and the table they are in. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/lib/profile_hand.h"

static void symbols_have_self_and_total(void **state)
{
	struct profile_query q = query(GROUP_SYMBOL);
	struct profile_rows *r;
	struct hand h;

	hand__init(&h);
	r = profile__query(h.snap, &q, NULL);
	assert_int_equal(r->count, 100);
	assert_int_equal(r->entries_seen, 5);
	assert_int_equal(r->nrows, 8);
	assert_shares(r, "main", 0, 95);
	assert_shares(r, "f", 10, 50);
	assert_shares(r, "g", 40, 40);
	assert_shares(r, "rec", 20, 20);
	assert_shares(r, "copy", 25, 25);
	assert_shares(r, "vfs", 0, 25);
	assert_shares(r, "[no stack]", 5, 5);
	assert_string_equal(r->rows[0].name, "g");
	assert_string_equal(r->rows[0].object_name, "libg.so");
	assert_string_equal(row_named(r, "vfs")->kind, "kernel");
	assert_string_equal(row_named(r, "main")->kind, "user");
	assert_string_equal(row_named(r, "[no stack]")->kind, "unknown");
	profile_rows__free(r);
	hand__fini(&h);
}

static void objects_and_tasks_group_all(void **state)
{
	struct profile_query q = query(GROUP_OBJECT);
	struct profile_rows *r;
	struct hand h;

	hand__init(&h);
	r = profile__query(h.snap, &q, NULL);
	assert_shares(r, "prog", 30, 95);
	assert_shares(r, "[kernel]", 25, 25);
	assert_shares(r, "libc.so.6", 0, 25);
	assert_string_equal(row_named(r, "[kernel]")->kind, "kernel");
	profile_rows__free(r);
	for (enum profile_group g = GROUP_COMM; g < GROUPS; g++) {
		q = query(g);
		r = profile__query(h.snap, &q, NULL);
		assert_int_equal(r->nrows, 1);
		assert_near(r->rows[0].self_pct, 100);
		assert_string_equal(r->rows[0].kind, "mixed");
		assert_string_equal(r->rows[0].comm,
				    g >= GROUP_CGROUP ? "" : "task");
		profile_rows__free(r);
	}
	hand__fini(&h);
}

static void modes_choose_by_the_leaf(void **state)
{
	struct profile_query q = query(GROUP_SYMBOL);
	struct profile_rows *r;
	struct hand h;

	hand__init(&h);
	q.kernel = false;
	r = profile__query(h.snap, &q, NULL);
	assert_int_equal(r->count, 75);
	assert_null(row_named(r, "read"));
	assert_shares(r, "main", 0, 7000 / 75.0);
	profile_rows__free(r);
	q.kernel = true;
	q.user = false;
	r = profile__query(h.snap, &q, NULL);
	assert_int_equal(r->count, 30);
	assert_null(row_named(r, "main"));
	assert_shares(r, "vfs", 0, 2500 / 30.0);
	profile_rows__free(r);
	hand__fini(&h);
}

static void scopes_select_tasks_and_names(void **state)
{
	static const struct {
		const char *expr;
		u64 count;
		const char *hidden; /* has no row */
		const char *shown;
	} cases[] = {
		{"pid=7", 100, NULL, "g"},
		{"pid=8", 0, "g", NULL},
		{"!pid=7", 0, "g", NULL},
		{"comm~^ta", 100, NULL, "g"},
		{"!comm~^ta", 0, "g", NULL},
		{"sym~^f$", 50, "copy", "main"},
		{"!sym~^g$", 60, "g", "f"},
		{"!sym~^main$", 100, "main", "f"},
		{"!sym~^copy$ !sym~^rec$", 55, "rec", "f"},
		{"obj~kernel", 25, "g", "main"},
		{"!obj~kernel", 75, "vfs", "main"},
		{"sym~^main$ sym~vfs", 25, "f", "copy"},
		{"!sym~\"no stack\"", 95, "[no stack]", "f"},
	};
	struct profile_query q = query(GROUP_SYMBOL);
	struct hand h;

	hand__init(&h);
	for (u32 i = 0; i < ARRAY_SIZE(cases); i++) {
		struct scope *s = parse(cases[i].expr);
		struct profile_rows *r = profile__query(h.snap, &q, s);

		if (r->count != cases[i].count)
			fail_msg("%s: %u samples", cases[i].expr, (u32)r->count);
		if (cases[i].hidden && row_named(r, cases[i].hidden))
			fail_msg("%s: row %s", cases[i].expr, cases[i].hidden);
		if (cases[i].shown && !row_named(r, cases[i].shown))
			fail_msg("%s: no row %s", cases[i].expr, cases[i].shown);
		profile_rows__free(r);
		scope__put(s);
	}
	hand__fini(&h);
}

/* Same name, different function: two rows. */
static void rows_are_functions_and_not_names(void **state)
{
	struct profile_query q = query(GROUP_SYMBOL);
	const struct profile_snap *snap;
	struct profile_rows *r;
	struct builder m;
	u32 a, b;

	builder__init(&m, 1);
	a = symbols__named(m.symbols, "a.so", "init", CODE_USER);
	b = symbols__named(m.symbols, "b.so", "init", CODE_USER);
	builder__put(&m, builder__stack(&m, 0, 1, &a), 7, 1);
	builder__put(&m, builder__stack(&m, 0, 1, &b), 7, 1);
	snap = builder__tick(&m, NSEC_PER_SEC);
	r = profile__query(snap, &q, NULL);
	assert_int_equal(r->nrows, 2);
	assert_true(r->rows[0].key != r->rows[1].key);
	profile_rows__free(r);
	snap__put(snap);
	builder__fini(&m);
}

static void unresolved_samples_have_a_row(void **state)
{
	struct profile_query q = query(GROUP_SYMBOL);
	const struct profile_snap *snap;
	struct profile_rows *r;
	struct builder m;
	u32 o, loc, unknown = SYM_UNKNOWN, beyond = UINT32_MAX;

	builder__init(&m, 1);
	o = fake__object(m.symbols, "late.so", CODE_USER);
	loc = fake__loc(m.symbols, o, 0, 16);
	builder__put(&m, builder__stack(&m, 0, 1, &loc), 7, 3);
	builder__put(&m, builder__stack(&m, 0, 1, &unknown), 7, 1);
	builder__put(&m, builder__stack(&m, 0, 1, &beyond), 7, 1);
	snap = builder__tick(&m, NSEC_PER_SEC);
	r = profile__query(snap, &q, NULL);
	assert_shares(r, "[resolving] late.so", 60, 60);
	assert_shares(r, "[unknown]", 40, 40);
	assert_string_equal(row_named(r, "[resolving] late.so")->kind, "unknown");
	assert_near(r->pending_pct, 60);
	profile_rows__free(r);
	fake__resolve(m.symbols, loc, fake__func(m.symbols, o, "late", 0));
	r = profile__query(snap, &q, NULL);
	assert_shares(r, "late", 60, 60);
	assert_near(r->pending_pct, 0);
	assert_int_equal(r->base.symbols_generation, 1);
	profile_rows__free(r);
	snap__put(snap);
	builder__fini(&m);
}

static void inlined_functions_are_split_on_demand(void **state)
{
	struct profile_query q = query(GROUP_SYMBOL);
	const struct profile_snap *snap;
	struct profile_rows *r;
	struct fake_loc *l;
	struct builder m;
	u32 loc;

	builder__init(&m, 1);
	loc = symbols__named(m.symbols, "prog", "outer", CODE_USER);
	l = &m.symbols->locs[loc];
	l->inlined[0] = fake__func(m.symbols, l->object, "inner", 0);
	l->ninlined = -1;
	builder__put(&m, builder__stack(&m, 0, 1, &loc), 7, 1);
	snap = builder__tick(&m, NSEC_PER_SEC);
	q.inlined = true;
	r = profile__query(snap, &q, NULL);
	assert_shares(r, "outer", 100, 100);
	profile_rows__free(r);
	l->ninlined = 1;
	r = profile__query(snap, &q, NULL);
	assert_shares(r, "outer", 0, 100);
	assert_shares(r, "inner", 100, 100);
	assert_string_equal(row_named(r, "inner")->kind, "inlined");
	profile_rows__free(r);
	q.inlined = false;
	r = profile__query(snap, &q, NULL);
	assert_int_equal(r->nrows, 1);
	q.callee_first = true;
	q.unfolded[q.nunfolded++] = r->rows[0].key;
	profile_rows__free(r);
	r = profile__query(snap, &q, NULL);
	assert_int_equal(r->base.nnodes, 1);
	assert_string_equal(r->base.nodes[0].name, "inner");
	assert_true(r->base.nodes[0].inlined);
	profile_rows__free(r);
	snap__put(snap);
	builder__fini(&m);
}

static void truncation_is_told_by_the_outermost_function(void **state)
{
	struct profile_query q = query(GROUP_SYMBOL);
	const struct profile_snap *snap;
	struct profile_rows *r;
	struct builder m;
	u32 locs[2];

	builder__init(&m, 1);
	locs[0] = symbols__named(m.symbols, "prog", "f", CODE_USER);
	locs[1] = symbols__named(m.symbols, "prog", "_start", CODE_USER);
	m.symbols->funcs[symbols__func_of(m.symbols, locs[1])].flags = FUNC_OUTERMOST;
	builder__put(&m, builder__stack(&m, 0, 2, locs), 7, 3);
	builder__put(&m, builder__stack(&m, 0, 1, locs), 7, 1);
	builder__put(&m, builder__stack(&m, 1, 0, locs), 7, 9);
	snap = builder__tick(&m, NSEC_PER_SEC);
	r = profile__query(snap, &q, NULL);
	assert_near(r->truncated_pct, 25);
	profile_rows__free(r);
	snap__put(snap);
	builder__fini(&m);
}

static u32 column_named(const struct row_table *t, const char *name)
{
	for (u32 i = 0; i < t->ncolumns; i++)
		if (!strcmp(t->columns[i].name, name))
			return i;
	fail_msg("no column %s", name);
	return 0;
}

/* Of a function that several run, whose samples are the most; of one process no row says it. */
static void the_largest_process_stands_beside_a_function(void **state)
{
	struct profile_query q = query(GROUP_SYMBOL);
	const struct profile_row *row;
	struct profile_rows *r;
	struct builder m;
	u32 prog, loc;
	u64 stack;
	struct value v;

	builder__init(&m, 1);
	prog = fake__object(m.symbols, "prog", CODE_USER);
	loc = fake__loc(m.symbols, prog, fake__func(m.symbols, prog, "work", FUNC_OUTERMOST), 4);
	stack = builder__stack(&m, 0, 1, &loc);
	builder__put(&m, stack, 11, 30);
	builder__put(&m, stack, 12, 50);
	builder__put(&m, stack, 13, 20);
	const struct profile_snap *snap = builder__tick(&m, NSEC_PER_SEC);
	r = profile__query(snap, &q, NULL);
	row = row_named(r, "work");
	assert_int_equal(row->most_pid, 12);
	assert_string_equal(row->most_comm, "task");
	assert_string_equal(row->most_text, "task 12");
	assert_near(row->most_pct, 50);
	profile_rows__free(r);
	q = query(GROUP_PID);
	r = profile__query(snap, &q, NULL);
	assert_false(r->base.table.cell(&r->base.table, 0,
					column_named(&r->base.table, "most_pid"), &v));
	profile_rows__free(r);
	snap__put(snap);
	builder__fini(&m);
}

static void columns_apply_by_group(void **state)
{
	static const char *const names[] = {"symbol", "object", "comm", "pid",
					    "tid",    "cgroup", "cpu",	"host"};
	static const char *const applying[GROUPS] = {
		[GROUP_SYMBOL] = "11000000", [GROUP_OBJECT] = "01000000", [GROUP_COMM] = "00100000",
		[GROUP_PID] = "00110000",    [GROUP_TID] = "00111000",	  [GROUP_CGROUP] = "00000100",
		[GROUP_CPU] = "00000010",    [GROUP_HOST] = "00000001",
	};
	struct hand h;

	hand__init(&h);
	for (enum profile_group g = 0; g < GROUPS; g++) {
		struct profile_query q = query(g);
		struct profile_rows *r = profile__query(h.snap, &q, NULL);
		u32 keys = 0;
		struct value v;

		for (u32 i = 0; i < ARRAY_SIZE(names); i++)
			assert_int_equal(r->base.table.cell(&r->base.table, 0,
							    column_named(&r->base.table, names[i]),
							    &v),
					 applying[g][i] == '1');
		for (u32 i = 0; i < r->base.table.ncolumns; i++) {
			const struct column *c = &r->base.table.columns[i];

			if (r->base.table.cell(&r->base.table, 0, i, &v) && c->flags & COLUMN_KEY)
				keys++;
		}
		assert_int_equal(keys, 1);
		assert_int_equal(r->base.table.sort, column_named(&r->base.table, "self_pct"));
		profile_rows__free(r);
	}
	hand__fini(&h);
}

static void cells_hold_the_rows(void **state)
{
	struct profile_query q = query(GROUP_TID);
	struct profile_rows *r;
	struct value v;
	struct hand h;

	hand__init(&h);
	r = profile__query(h.snap, &q, NULL);
	assert_true(r->base.table.cell(&r->base.table, 0, column_named(&r->base.table, "pid"), &v));
	assert_int_equal(v.type, VALUE_COUNT);
	assert_int_equal(v.u, 7);
	assert_true(
		r->base.table.cell(&r->base.table, 0, column_named(&r->base.table, "process"), &v));
	assert_string_equal(v.s, "      7");
	assert_true(r->base.table.cell(&r->base.table, 0,
				       column_named(&r->base.table, "self_count"), &v));
	assert_int_equal(v.u, 100);
	assert_true(
		r->base.table.cell(&r->base.table, 0, column_named(&r->base.table, "trend"), &v));
	assert_int_equal(v.n, TREND_LEN);
	assert_true(v.trend[TREND_LEN - 1] == 100000);
	assert_false(r->base.table.cell(&r->base.table, 0, r->base.table.ncolumns, &v));
	assert_true(r->base.table.key(&r->base.table, 0) == r->rows[0].key);
	profile_rows__free(r);
	hand__fini(&h);
}

/* Of what the last interval has nothing of, rows keep the trend as long as it reaches back. */
static void what_is_over_is_in_trends_alone(void **state)
{
	struct profile_query q = query(GROUP_SYMBOL);
	struct hand h;

	hand__init(&h);
	q.window = WINDOW_LAST;
	for (u32 back = 1; back <= TREND_LEN; back++) {
		struct profile_rows *r;
		const float *trend;

		snap__put(h.snap);
		builder__put(&h.m, builder__stack(&h.m, 0, 1, &h.g), 8, 3);
		h.snap = builder__tick(&h.m, NSEC_PER_SEC);
		r = profile__query(h.snap, &q, NULL);
		assert_int_equal(r->nrows, 1);
		assert_int_equal(r->count, 3);
		assert_int_equal(r->entries_seen, 1);
		trend = row_named(r, "g")->trend;
		assert_true(trend[TREND_LEN - 1] > 0);
		if (back < TREND_LEN)
			assert_true(trend[TREND_LEN - 1 - back] > 10 * trend[TREND_LEN - 1]);
		profile_rows__free(r);
	}
	hand__fini(&h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(symbols_have_self_and_total),
		cmocka_unit_test(objects_and_tasks_group_all),
		cmocka_unit_test(modes_choose_by_the_leaf),
		cmocka_unit_test(scopes_select_tasks_and_names),
		cmocka_unit_test(rows_are_functions_and_not_names),
		cmocka_unit_test(unresolved_samples_have_a_row),
		cmocka_unit_test(inlined_functions_are_split_on_demand),
		cmocka_unit_test(truncation_is_told_by_the_outermost_function),
		cmocka_unit_test(the_largest_process_stands_beside_a_function),
		cmocka_unit_test(columns_apply_by_group),
		cmocka_unit_test(cells_hold_the_rows),
		cmocka_unit_test(what_is_over_is_in_trends_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
