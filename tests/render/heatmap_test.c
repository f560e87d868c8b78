// SPDX-License-Identifier: GPL-2.0-only
/* Heat maps at several sizes, with colours, without and in 7 bits; the scale; what a click finds.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/lib/golden.h"
#include "widgets/heatmap.h"

#define COLS 30
#define ROWS 16

static float counts[ROWS * COLS];
static bool gaps[COLS];
static const struct heatmap_tick row_ticks[] = {{2, "10us"}, {8, "100us"}, {14, "1ms"}};
static const struct heatmap_tick col_ticks[] = {{29, "now"}, {20, "-10s"}, {10, "-20s"}};

/* Two bands, one of which moves; one outlier; a gap. */
static struct heatmap example(void)
{
	struct heatmap h = {.ncols = COLS,
			    .nrows = ROWS,
			    .n = counts,
			    .gaps = gaps,
			    .col = HEATMAP_NONE,
			    .row = HEATMAP_NONE,
			    .row_ticks = row_ticks,
			    .nrow_ticks = 3,
			    .col_ticks = col_ticks,
			    .ncol_ticks = 3,
			    .what = "count"};

	memset(counts, 0, sizeof(counts));
	for (u32 c = 0; c < COLS; c++) {
		gaps[c] = c == 5 || c == 6;
		if (gaps[c])
			continue;
		counts[2 * COLS + c] = 1000;
		counts[3 * COLS + c] = (float)(1u << (c % 11));
		counts[(6 + c / 4) * COLS + c] = 40;
	}
	counts[15 * COLS + 22] = 1;
	for (u32 i = 0; i < COLS * ROWS; i++)
		h.max = MAX(h.max, counts[i]);
	return h;
}

static void draw(const struct heatmap *h, const char *name, int w, int lines, bool ascii,
		 bool edges, bool roles)
{
	struct canvas c;

	canvas__init(&c, w, lines, ascii);
	c.edges = edges;
	heatmap__draw(h, &c, canvas__rect(&c));
	golden__check(&c, name, roles);
	canvas__fini(&c);
}

static void maps_look_like_their_goldens(void **state)
{
	struct heatmap h = example();

	draw(&h, "heatmap-50x10-roles", 50, 10, false, false, true);
	draw(&h, "heatmap-50x18-plain", 50, 18, false, true, false);
	draw(&h, "heatmap-50x18-ascii", 50, 18, true, false, false);
	h.col = 22;
	h.row = 15;
	draw(&h, "heatmap-at-50x18-plain", 50, 18, false, true, false);
	draw(&h, "heatmap-at-50x10-roles", 50, 10, false, false, true);
	draw(&h, "heatmap-narrow-20x6", 20, 6, false, true, false);
}

static void no_size_is_too_small(void **state)
{
	struct heatmap h = example();

	h.col = 3;
	h.row = 3;
	for (int w = 0; w < 60; w++)
		for (int lines = 0; lines < 22; lines++)
			for (u32 mode = 0; mode < 3; mode++) {
				struct canvas c;

				canvas__init(&c, w, lines, mode == 1);
				c.edges = mode == 2;
				heatmap__draw(&h, &c, canvas__rect(&c));
				canvas__fini(&c);
			}
}

static void levels_are_even_in_the_logarithm(void **state)
{
	u32 before = 0;

	assert_int_equal(heatmap__level(0, 1000), 0);
	assert_int_equal(heatmap__level(0.2f, 1000), 1);
	assert_int_equal(heatmap__level(1, 1000), 1);
	assert_int_equal(heatmap__level(1000, 1000), HEATMAP_LEVELS);
	assert_int_equal(heatmap__level(1, 1), 1); /* few are not hot */
	for (u32 n = 1; n < 5000; n++) {
		u32 level = heatmap__level((float)n, 5000);

		assert_true(level >= before && level <= HEATMAP_LEVELS);
		if (level != before)
			assert_int_equal(heatmap__least(level, 5000), n);
		before = level;
	}
	/* the scale does not change with each tick */
	assert_int_equal(heatmap__least(5, 600), heatmap__least(5, 1000));
}

/* What is found where a cell is drawn is that cell. */
static void clicks_find_what_is_drawn(void **state)
{
	struct heatmap h = example();
	struct canvas c = {.edges = true};
	const struct rect r = {0, 0, 50, 18};
	u32 col, row;

	assert_true(heatmap__at(&h, &c, r, 49, 15, &col, &row));
	assert_int_equal(col, 29);
	assert_int_equal(row, 0);
	assert_true(heatmap__at(&h, &c, r, 42, 0, &col, &row));
	assert_int_equal(col, 22);
	assert_int_equal(row, 15);
	assert_false(heatmap__at(&h, &c, r, 19, 3, &col, &row));
	assert_false(heatmap__at(&h, &c, r, 30, 16, &col, &row));
	c.edges = false; /* of two in a cell the one that has more: row 2, then 15 */
	assert_true(heatmap__at(&h, &c, (struct rect){0, 0, 50, 10}, 20, 6, &col, &row));
	assert_int_equal(col, 0);
	assert_int_equal(row, 2);
	assert_true(heatmap__at(&h, &c, (struct rect){0, 0, 50, 10}, 42, 0, &col, &row));
	assert_int_equal(row, 15);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(maps_look_like_their_goldens),
		cmocka_unit_test(no_size_is_too_small),
		cmocka_unit_test(levels_are_even_in_the_logarithm),
		cmocka_unit_test(clicks_find_what_is_drawn),
	};

	golden__locale();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
