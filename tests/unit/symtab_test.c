// SPDX-License-Identifier: GPL-2.0-only
/* Packed tables of functions: each symbol is found as it was added, by every address in it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "symbols/symtab.h"

#define FUNCTIONS 1000
#define BASE	  0x400000ull

static u32 random_below(u32 *seed, u32 n)
{
	*seed = *seed * 1664525 + 1013904223;
	return (*seed >> 8) % n;
}

/* Functions with and without gaps between, names in two files and none, some within a large one. */
static u32 make(struct raw_symbol *raw, u32 seed)
{
	u64 at = BASE;

	for (u32 i = 0; i < FUNCTIONS; i++) {
		u32 size = 1 + random_below(&seed, random_below(&seed, 8) ? 500 : 3000000);

		raw[i] = (struct raw_symbol){
			.start = at,
			.size = size,
			.name = (u32)(i % 7 ? NAME_MAIN : i % 3 ? NAME_DEBUG : NAME_NONE) << NAME_SHIFT |
				random_below(&seed, NAME_OFFSET),
			.rank = RANK_GLOBAL,
		};
		at += i % 50 == 9 ? size / 2 + 1 : size + random_below(&seed, 3) * 8;
	}
	return FUNCTIONS;
}

static void build(struct symtab *t, const struct raw_symbol *raw, u32 n)
{
	struct symtab_builder b;

	symtab_builder__init(&b);
	while (n-- > 0)
		symtab_builder__add(&b, raw[n].start, raw[n].size, (enum name_source)(raw[n].name >> NAME_SHIFT),
				    raw[n].name & NAME_OFFSET, raw[n].rank);
	symtab_builder__finish(&b, 0, t);
	symtab_builder__fini(&b);
}

/* The last one that begins at or before an address and reaches over it; by looking at all. */
static const struct raw_symbol *truth(const struct raw_symbol *raw, u32 n, u64 addr)
{
	while (n-- > 0)
		if (addr >= raw[n].start && addr - raw[n].start < raw[n].size)
			return &raw[n];
	return NULL;
}

static void check_at(const struct symtab *t, const struct raw_symbol *raw, u32 n, u64 addr)
{
	const struct raw_symbol *want = truth(raw, n, addr);
	struct symbol got;

	assert_int_equal(symtab__find(t, addr, &got), want != NULL);
	if (!want)
		return;
	assert_int_equal(t->base + got.start, want->start);
	assert_int_equal(got.size, want->size);
	assert_int_equal(got.name, want->name);
}

static void test_found_as_added(void **state)
{
	static struct raw_symbol raw[FUNCTIONS];

	for (u32 seed = 1; seed < 20; seed++) {
		u32 n = make(raw, seed);
		struct symtab t;

		build(&t, raw, n);
		assert_int_equal(t.n, n);
		for (u32 i = 0; i < n; i++) {
			check_at(&t, raw, n, raw[i].start);
			check_at(&t, raw, n, raw[i].start - 1);
			check_at(&t, raw, n, raw[i].start + raw[i].size - 1);
			check_at(&t, raw, n, raw[i].start + raw[i].size);
		}
		assert_true(symtab__bytes(&t) < 11 * (size_t)n); /* names are at random here */
		symtab__fini(&t);
	}
}

/* No symbols, one, and as many as a block has and one more. */
static void test_few(void **state)
{
	struct raw_symbol raw[65] = {0};
	struct symbol got;
	struct symtab t;

	build(&t, raw, 0);
	assert_false(symtab__find(&t, 0, &got));
	assert_false(symtab__find(&t, BASE, &got));
	symtab__fini(&t);
	for (u32 i = 0; i < 65; i++)
		raw[i] = (struct raw_symbol){BASE + i * 16, 8, NAME_DYN << NAME_SHIFT | i * 10, RANK_GLOBAL};
	for (u32 n = 1; n <= 65; n++) {
		build(&t, raw, n);
		for (u64 a = BASE - 2; a < BASE + n * 16 + 2; a++)
			check_at(&t, raw, n, a);
		assert_false(symtab__find(&t, 0, &got));
		assert_false(symtab__find(&t, UINT64_MAX, &got));
		symtab__fini(&t);
	}
}

/* What lies far from the first one, and is as large as can be. */
static void test_extremes(void **state)
{
	const struct raw_symbol raw[] = {
		{BASE, UINT32_MAX, (u32)NAME_POOL << NAME_SHIFT | NAME_OFFSET, RANK_GLOBAL},
		{BASE + 1, 1, NAME_NONE << NAME_SHIFT, RANK_GLOBAL},
		{BASE + UINT32_MAX - 1, UINT32_MAX, NAME_MAIN << NAME_SHIFT | 1, RANK_GLOBAL},
	};
	struct symtab t;

	build(&t, raw, 3);
	for (u32 i = 0; i < 3; i++)
		check_at(&t, raw, 3, raw[i].start);
	check_at(&t, raw, 3, BASE + 2);
	check_at(&t, raw, 3, BASE + UINT32_MAX - 2);
	symtab__fini(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_found_as_added),
		cmocka_unit_test(test_few),
		cmocka_unit_test(test_extremes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
