// SPDX-License-Identifier: GPL-2.0-only
/* Unwind tables in pages: every row is found as the programs search, and memory is bounded. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#include "symbols/unwind_pages.h"
#include "tests/lib/unwind_sink.h"

#define PAGE sizeof(struct unwind_page)
#define FULL UNWIND_PAGE_ENTRIES

static struct unwind_pages *pages;
static u32 evicted[64], nevicted, last_settled;

static void on_evict(void *ctx, u32 slot)
{
	assert_ptr_equal(ctx, &pages);
	assert_int_equal(kept.objects[slot].how, UNWIND_BY_NOTHING);
	assert_true(nevicted < ARRAY_SIZE(evicted));
	evicted[nevicted++] = slot;
	last_settled = kept.barriers;
}

static void begin(u32 budget)
{
	kept__clear(SINK_PAGES);
	nevicted = 0;
	pages = unwind_pages__new(&kept_sink, budget * PAGE);
	unwind_pages__on_evict(pages, on_evict, &pages);
}

static void end(void)
{
	unwind_pages__free(pages);
	kept__clear(0);
}

/* Rows that are 7 bytes apart, the first at `from`. */
static int put(u32 slot, u32 n, u32 from)
{
	struct unwind_object *o = &kept.objects[slot];
	struct unwind_row *rows = xcalloc(n, sizeof(*rows));
	int err;

	for (u32 i = 0; i < n; i++)
		rows[i] = (struct unwind_row){
			.pc = from + 7 * i, .cfa = (__s16)i, .rule = UNWIND_CFA_SP};
	err = unwind_pages__put(pages, slot, rows, n, &o->root, &o->depth);
	if (!err)
		o->how = UNWIND_BY_TABLE;
	free(rows);
	return err;
}

static void expect_rows(u32 slot, u32 n, u32 from)
{
	const struct unwind_object *o = &kept.objects[slot];

	for (u32 i = 0; i < n; i++)
		for (u32 at = 0; at < 7; at += 3) {
			struct unwind_row row = kept__row(o->root, o->depth, from + 7 * i + at);

			assert_int_equal(row.pc, from + 7 * i);
			assert_int_equal(row.cfa, (__s16)i);
		}
}

static void test_each_row_is_found(void **state)
{
	static const struct {
		u32 rows, depth, pages;
	} sizes[] = {{1, 1, 1},
		     {2, 1, 1},
		     {FULL - 1, 1, 1},
		     {FULL, 1, 1},
		     {FULL + 1, 2, 3},
		     {3 * FULL, 2, 4},
		     {FULL * FULL + 1, 3, FULL + 1 + 2 + 1}};

	begin(2000);
	for (u32 i = 0; i < ARRAY_SIZE(sizes); i++) {
		size_t before = unwind_pages__bytes(pages);

		assert_int_equal(put(i + 1, sizes[i].rows, 1000 * i), 0);
		assert_int_equal(kept.objects[i + 1].depth, sizes[i].depth);
		assert_int_equal(unwind_pages__bytes(pages) - before, sizes[i].pages * PAGE);
	}
	for (u32 i = 0; i < ARRAY_SIZE(sizes); i++)
		expect_rows(i + 1, sizes[i].rows, 1000 * i);
	assert_int_equal(nevicted, 0);
	end();
}

/* What was used last stays; nobody looks at pages any more that are given to another. */
static void test_least_used_makes_room(void **state)
{
	begin(6);
	for (u32 i = 1; i <= 3; i++) {
		assert_int_equal(put(i, FULL, i), 0);
		kept.objects[i].used_ns = i == 1 ? 100 : i;
	}
	assert_int_equal(put(4, 3 * FULL, 4), 0);
	kept.objects[4].used_ns = 101;
	assert_int_equal(nevicted, 1);
	assert_int_equal(evicted[0], 2);
	assert_true(kept.barriers > last_settled);
	expect_rows(1, FULL, 1);
	expect_rows(3, FULL, 3);
	expect_rows(4, 3 * FULL, 4);
	assert_int_equal(unwind_pages__bytes(pages), 6 * PAGE);
	/* And the one that went comes again. */
	assert_int_equal(put(2, FULL, 2), 0);
	assert_int_equal(evicted[1], 3);
	expect_rows(2, FULL, 2);
	end();
}

static void test_too_large_a_table_moves_nobody(void **state)
{
	begin(4);
	assert_int_equal(put(1, FULL, 1), 0);
	assert_int_equal(put(2, 5 * FULL, 2), -ENOMEM);
	assert_int_equal(put(3, 0, 3), -ENOMEM);
	assert_int_equal(nevicted, 0);
	expect_rows(1, FULL, 1);
	end();
}

static void test_no_memory_for_pages(void **state)
{
	begin(100);
	kept.max_pages = 3;
	assert_int_equal(put(1, FULL, 1), 0);
	assert_int_equal(put(2, 4 * FULL, 2), -ENOMEM);
	assert_int_equal(unwind_pages__bytes(pages), PAGE);
	assert_int_equal(put(3, FULL, 3), 0); /* in a page that was given back */
	expect_rows(1, FULL, 1);
	expect_rows(3, FULL, 3);
	end();
}

/* Tables come and go: what is in use stays within the budget and every table right. */
static void test_churn(void **state)
{
	u32 sizes[41] = {0};

	begin(64);
	for (u32 i = 0; i < 2000; i++) {
		u32 slot = 1 + (u32)(mix64(i) % 40), n = 1 + (u32)(mix64(i + 7777) % (8 * FULL));

		nevicted = 0;
		if (kept.objects[slot].how == UNWIND_BY_TABLE)
			continue;
		assert_int_equal(put(slot, n, slot), 0);
		sizes[slot] = n;
		kept.objects[slot].used_ns = i;
		assert_true(unwind_pages__bytes(pages) <= 64 * PAGE);
	}
	for (u32 slot = 1; slot <= 40; slot++)
		if (kept.objects[slot].how == UNWIND_BY_TABLE)
			expect_rows(slot, sizes[slot], slot);
	end();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_row_is_found),
		cmocka_unit_test(test_least_used_makes_room),
		cmocka_unit_test(test_too_large_a_table_moves_nobody),
		cmocka_unit_test(test_no_memory_for_pages),
		cmocka_unit_test(test_churn),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
