// SPDX-License-Identifier: GPL-2.0-only
/* Entries within a bound: found by key, folded step by step, merged where they are the same. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "models/entries.h"

#define MOST 64

struct thing {
	u32 who, what;
	ENTRY_COUNTS(1);
};

static u64 hash_of(const void *key)
{
	const struct thing *t = key;

	return mix64_pair(t->who, t->what);
}

static bool is_same(const void *x, const void *y)
{
	const struct thing *a = x, *b = y;

	return a->who == b->who && a->what == b->what;
}

/* First what, then who, too. */
static void fold(void *thing, u32 step)
{
	struct thing *t = thing;

	t->what = 0;
	if (step)
		t->who = 0;
}

static const struct entries_kind kind = {
	.size = sizeof(struct thing),
	.key_size = offsetof(struct thing, now),
	.ncounts = 1,
	.counts_at = offsetof(struct thing, now),
	.steps = 2,
	.hash = hash_of,
	.same = is_same,
	.fold = fold,
};

static void add(struct entries *e, u32 who, u32 what, u64 n)
{
	const struct thing key = {.who = who, .what = what};

	((struct thing *)entries__get(e, &key))->now[0] += n;
}

static u64 sum(const struct entries *e)
{
	u64 all = 0;

	for (u32 i = 0; i < e->n; i++)
		all += ((struct thing *)entries__at(e, i))->now[0];
	return all;
}

static void found_again(void **state)
{
	struct entries e = {.kind = &kind, .max = MOST};
	u64 out[WINDOWS][1];

	add(&e, 1, 1, 5);
	assert_true(e.added);
	add(&e, 1, 2, 7);
	add(&e, 1, 1, 6);
	assert_false(e.added);
	assert_int_equal(e.n, 2);
	entries__advance(&e, 0, 0.5, out);
	assert_int_equal(out[WINDOW_LAST][0], 11);
	assert_int_equal(out[WINDOW_TOTAL][0], 11);
	entries__advance(&e, 0, 0.5, out);
	assert_int_equal(out[WINDOW_LAST][0], 0);
	assert_int_equal(out[WINDOW_DECAY][0], 6); /* 5.5, rounded */
	entries__fini(&e);
}

/* Of one who, `what` is all there is to lose: the first step is enough, and the hot half stays. */
static void coldest_fold_first(void **state)
{
	struct entries e = {.kind = &kind, .max = MOST};

	for (u32 i = 1; i <= MOST; i++)
		add(&e, 1, i, i);
	add(&e, 1, 1000, 1);
	assert_int_equal(e.n, MOST / 2 + 2); /* who alone, and the new one */
	assert_int_equal(sum(&e), MOST * (MOST + 1) / 2 + 1);
	add(&e, 1, MOST, 1);
	assert_false(e.added);
	entries__fini(&e);
}

/* Each has its own who: they only become one in the second step. */
static void bounded_whatever_the_keys_are(void **state)
{
	struct entries e = {.kind = &kind, .max = MOST};

	for (u32 i = 1; i <= 10 * MOST; i++) {
		add(&e, i, i, 1);
		assert_true(e.n <= MOST);
	}
	assert_int_equal(sum(&e), 10 * MOST);
	entries__fini(&e);
}

static void same_after_a_change_are_one(void **state)
{
	struct entries e = {.kind = &kind, .max = MOST};

	add(&e, 1, 1, 5);
	add(&e, 2, 1, 7);
	add(&e, 3, 1, 1);
	((struct thing *)entries__at(&e, 1))->who = 1;
	entries__rekey(&e);
	assert_int_equal(e.n, 2);
	add(&e, 1, 1, 0);
	assert_int_equal(((struct thing *)entries__at(&e, 0))->now[0], 12);
	entries__fini(&e);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(found_again),
		cmocka_unit_test(coldest_fold_first),
		cmocka_unit_test(bounded_whatever_the_keys_are),
		cmocka_unit_test(same_after_a_change_are_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
