// SPDX-License-Identifier: GPL-2.0-only
/* Which waits a filter leaves, and what the rows of waits are for programs and on screen. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "scope/filter.h"
#include "tests/lib/fake_symbols.h"
#include "tests/lib/waits_scene.h"

/* --- filters --- */

struct filter_case {
	const char *expr;
	u64 ns;
};

static const struct filter_case filters[] = {
	{"", SCENE_NS},
	{"pid=100", SCENE_NS - 930 * MSEC},
	{"tid=101", 300 * MSEC},
	{"!tid=101", SCENE_NS - 300 * MSEC},
	{"comm~^waiter$", 300 * MSEC},
	{"task=kernel", 900 * MSEC},
	{"task=user", SCENE_NS - 900 * MSEC},
	{"state=D", 120 * MSEC},
	{"!state=S,I", 170 * MSEC},
	{"state=R", 50 * MSEC},
	{"sym~^take_lock$", 300 * MSEC},
	{"sym~^futex_wait$", 700 * MSEC},
	{"!sym~^futex_wait$", SCENE_NS - 700 * MSEC},
	{"!sym~^take_lock$", SCENE_NS}, /* it is not what is waited in */
	{"obj~^libc", 300 * MSEC},
	{"min=150ms", 2500 * MSEC},
	{"max=50ms", 1180 * MSEC},
	{"pid=100 state=D", 120 * MSEC},
	{"cpu=3", SCENE_NS}, /* which CPU was left is not kept */
	{"pid=1", 0},
};

static void filters_apply_as_far_as_can_be_told(void **state)
{
	struct scene s;

	scene__init(&s);
	for (u32 i = 0; i < ARRAY_SIZE(filters); i++) {
		struct waits_query q = query(BIT(WAITS_BY_TID));
		struct filter_error err;
		struct scope *scope = filter__parse(filters[i].expr, &err);
		struct waits_result *a;

		assert_non_null(scope);
		a = waits__query(s.snap, &q, scope);
		if (sum_rows(a) != filters[i].ns)
			fail_msg("%s: %llu ms, not %llu", filters[i].expr,
				 (unsigned long long)sum_rows(a) / MSEC,
				 (unsigned long long)filters[i].ns / MSEC);
		query_result__free(&a->base);
		scope__put(scope);
	}
	scene__fini(&s);
}

/* --- cells --- */

static bool cell(const struct waits_result *a, u32 row, const char *name, struct value *v)
{
	const struct row_table *t = &a->base.table;

	for (u32 c = 0; c < t->ncolumns; c++)
		if (!strcmp(t->columns[c].name, name))
			return t->cell(t, row, c, v);
	fail_msg("no column %s", name);
	return false;
}

static u32 row_of(const struct waits_result *a, const char *name)
{
	return (u32)(row_named(a, name) - a->rows);
}

static void assert_number(const struct waits_result *a, u32 row, const char *name, u64 want)
{
	struct value v;

	assert_true(cell(a, row, name, &v));
	if (v.u != want)
		fail_msg("%s: %llu, not %llu", name, (unsigned long long)v.u,
			 (unsigned long long)want);
}

static void assert_frame(const struct value *v, u32 i, const char *symbol, const char *kind)
{
	struct value_frame f;

	assert_int_equal(v->type, VALUE_STACK);
	assert_true(i < v->n);
	v->frame(v->of, i, &f);
	assert_string_equal(f.symbol, symbol);
	assert_string_equal(f.kind, kind);
}

/* All fields that programs are promised. */
static void exports_have_all_fields(void **state)
{
	static const char *const fields[] = {"comm",   "pid",	"tid",	  "state",  "reason",
					     "off_ns", "count", "avg_ns", "max_ns", "unfinished_ns",
					     "idle",   "stack", "waker"};
	struct waits_query q = query(BIT(WAITS_BY_TID) | BIT(WAITS_BY_STACK));
	struct value v, stack;
	struct waits_result *a;
	struct value_part part;
	struct scene s;
	u32 r;

	scene__init(&s);
	a = waits__query(s.snap, &q, NULL);
	for (u32 i = 0; i < ARRAY_SIZE(fields); i++)
		assert_true(cell(a, 0, fields[i], &v));
	r = row_of(a, "futex_wait");
	assert_number(a, r, "pid", 100);
	assert_number(a, r, "tid", 101);
	assert_number(a, r, "off_ns", 300 * MSEC);
	assert_number(a, r, "count", 3);
	assert_number(a, r, "avg_ns", 100 * MSEC);
	assert_number(a, r, "unfinished_ns", 0);
	assert_number(a, r, "idle", 0);
	cell(a, r, "stack", &stack);
	assert_int_equal(stack.n, 7);
	assert_frame(&stack, 0, "__schedule", "kernel");
	assert_frame(&stack, 2, "futex_wait", "kernel");
	assert_frame(&stack, 4, "lock", "user");
	assert_frame(&stack, 6, "main", "user");
	assert_true(cell(a, r, "waker", &v));
	assert_int_equal(v.type, VALUE_OBJECT);
	memset(&part, 0, sizeof(part));
	v.part(v.of, 0, &part);
	assert_string_equal(part.name, "comm");
	assert_string_equal(part.value.s, "holder");
	v.part(v.of, 1, &part);
	assert_string_equal(part.name, "pid");
	assert_int_equal(part.value.u, 100);
	v.part(v.of, 3, &part);
	assert_string_equal(part.name, "stack");
	assert_int_equal(part.value.n, 4);
	assert_frame(&part.value, 0, "wake_up_q", "kernel");
	assert_frame(&part.value, 2, "give_lock", "user");
	r = row_of(a, "pipe_read");
	assert_number(a, r, "unfinished_ns", NSEC_PER_SEC);
	assert_true(cell(a, r, "waker", &v));
	assert_int_equal(v.type, VALUE_NONE);
	query_result__free(&a->base);
	scene__fini(&s);
}

static void columns_come_with_their_groups(void **state)
{
	struct waits_query q = query(BIT(WAITS_BY_STATE));
	struct waits_result *a;
	struct scene s;
	struct value v;

	scene__init(&s);
	a = waits__query(s.snap, &q, NULL);
	assert_false(cell(a, 0, "comm", &v));
	assert_false(cell(a, 0, "pid", &v));
	assert_false(cell(a, 0, "stack", &v));
	assert_false(cell(a, 0, "waker", &v));
	assert_true(cell(a, 0, "threads", &v));
	query_result__free(&a->base);
	for (u32 groups = 1; groups < BIT(WAITS_GROUPS); groups++) {
		u32 keys = 0, least = 0;

		q = query(groups);
		a = waits__query(s.snap, &q, NULL);
		for (u32 c = 0; c < a->base.table.ncolumns; c++) {
			const struct column *col = &a->base.table.columns[c];

			if (!a->base.table.cell(&a->base.table, 0, c, &v))
				continue;
			keys += (col->flags & COLUMN_KEY) != 0;
			/* What is never dropped fits 80 columns, but for groupings by many keys. */
			if ((col->flags & COLUMN_SCREEN) && !col->priority)
				least += col->width + 1;
		}
		assert_int_equal(keys, 1);
		if (__builtin_popcount(groups) <= 2)
			assert_true(least <= 80);
		query_result__free(&a->base);
	}
	scene__fini(&s);
}

/* Of the time with user stacks: 10 of 40 ms do not reach a function that threads begin in. */
static void stacks_that_end_too_early_are_told(void **state)
{
	struct waits_query q = query(BIT(WAITS_BY_STACK));
	const struct waits_snap *snap;
	struct waits_result *a;
	u32 object, locs[2];
	struct builder m;

	builder__init(&m, 1);
	object = fake__object(m.symbols, "prog", CODE_USER);
	locs[0] = fake__loc(m.symbols, object, fake__func(m.symbols, object, "f", 0), 0);
	locs[1] = fake__loc(m.symbols, object,
			    fake__func(m.symbols, object, "_start", FUNC_OUTERMOST), 0);
	builder__wait(&m,
		      ended(thread_of(7, 7, "t"), 0, builder__stack(&m, 0, 2, locs), 1, 30 * MSEC));
	builder__wait(&m,
		      ended(thread_of(7, 7, "t"), 0, builder__stack(&m, 0, 1, locs), 1, 10 * MSEC));
	builder__wait(&m, ended(thread_of(7, 7, "t"), KERNEL(&m, "f"), 0, 1, 60 * MSEC));
	snap = builder__tick(&m, NSEC_PER_SEC);
	a = waits__query(snap, &q, NULL);
	assert_true(a->truncated_pct > 24.999 && a->truncated_pct < 25.001);
	query_result__free(&a->base);
	snap__put(snap);
	builder__fini(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(filters_apply_as_far_as_can_be_told),
		cmocka_unit_test(exports_have_all_fields),
		cmocka_unit_test(columns_come_with_their_groups),
		cmocka_unit_test(stacks_that_end_too_early_are_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
