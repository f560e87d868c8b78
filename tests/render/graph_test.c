/* SPDX-License-Identifier: GPL-2.0-only */
/* Graphs and meters in gradients: each cell follows from the values. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "tests/lib/golden.h"
#include "widgets/graph.h"
#include "widgets/meter.h"
#include "widgets/parts.h"

static wchar_t at(const struct canvas *c, int x, int y)
{
	return c->cells[y * c->w + x].ch[0];
}

static enum role role_at(const struct canvas *c, int x, int y)
{
	return (enum role)c->cells[y * c->w + x].role;
}

static struct canvas drawn(const struct graph *g, int w, int h, enum graph_style style, bool ascii)
{
	struct canvas c;

	canvas__init(&c, w, h, ascii);
	c.graphs = style;
	graph__draw(g, &c, canvas__rect(&c));
	return c;
}

static void braille_has_two_values_a_cell(void **state)
{
	static const float v[] = {1, 2, 3, 4};
	const struct graph g = {.gradient = ROLE_LOAD, .v = v, .n = 4, .max = 4};
	struct canvas c = drawn(&g, 3, 1, GRAPHS_BRAILLE, false);

	assert_int_equal(at(&c, 0, 0), L' ');
	/* Dots 7, then 8 and 6; dots 7 3 2, then 8 6 5 4. */
	assert_int_equal(at(&c, 1, 0), 0x2800 + 0x40 + 0xa0);
	assert_int_equal(at(&c, 2, 0), 0x2800 + 0x46 + 0xb8);
	/* In one line the colour is how much. */
	assert_int_equal(role_at(&c, 1, 0), ROLE_LOAD + 5);
	assert_int_equal(role_at(&c, 2, 0), ROLE_LOAD_LAST);
	canvas__fini(&c);
}

static void blocks_have_eighths(void **state)
{
	static const float v[] = {1, 16};
	const struct graph g = {.gradient = ROLE_IN, .v = v, .n = 2, .max = 16};
	struct canvas c = drawn(&g, 2, 2, GRAPHS_BLOCKS, false);

	assert_int_equal(at(&c, 0, 1), 0x2581);
	assert_int_equal(at(&c, 0, 0), L' ');
	assert_int_equal(at(&c, 1, 1), 0x2588);
	assert_int_equal(at(&c, 1, 0), 0x2588);
	/* In several lines it is how high. */
	assert_int_equal(role_at(&c, 0, 1), role_at(&c, 1, 1));
	assert_int_equal(role_at(&c, 1, 1), ROLE_IN + 2);
	assert_int_equal(role_at(&c, 1, 0), ROLE_IN + 7);
	canvas__fini(&c);
}

static void ascii_has_nothing_else(void **state)
{
	static const float v[] = {0, 1, 2, 3};
	const struct graph g = {.gradient = ROLE_OUT, .v = v, .n = 4};

	for (enum graph_style style = 0; style < GRAPH_STYLES; style++) {
		struct canvas c = drawn(&g, 4, 1, style, true);

		assert_int_equal(at(&c, 0, 0), '.');
		assert_int_equal(at(&c, 1, 0), '.');
		assert_int_equal(at(&c, 2, 0), ':');
		assert_int_equal(at(&c, 3, 0), '|');
		/* Nothing is told from little by its role. */
		assert_int_equal(role_at(&c, 0, 0), ROLE_BORDER);
		assert_int_not_equal(role_at(&c, 1, 0), ROLE_BORDER);
		canvas__fini(&c);
	}
}

static void gaps_stay_blank(void **state)
{
	const float v[] = {1, NAN, -1, 1, 0, 0};
	const struct graph g = {.gradient = ROLE_LOAD, .v = v, .n = 6, .max = 1};
	struct canvas c = drawn(&g, 4, 1, GRAPHS_BRAILLE, false);

	assert_int_equal(at(&c, 0, 0), L' ');
	assert_int_equal(at(&c, 1, 0), 0x2847);
	assert_int_equal(at(&c, 2, 0), 0x28b8);
	assert_int_equal(at(&c, 3, 0), 0x28c0);
	canvas__fini(&c);
}

/* Where all there can be leaves room, each value is wider. */
static void few_values_fill_the_width(void **state)
{
	static const float v[] = {1, 8};
	const struct graph g = {.gradient = ROLE_LOAD, .v = v, .n = 2, .most = 2, .max = 8};
	struct canvas c = drawn(&g, 6, 1, GRAPHS_BLOCKS, false);

	for (int x = 0; x < 6; x++)
		assert_int_equal(at(&c, x, 0), x < 3 ? 0x2581 : 0x2588);
	canvas__fini(&c);
}

/* Any size, any value: nothing is drawn outside, and a greater value is never lower. */
static void every_size_and_value(void **state)
{
	float v[50];
	const struct graph g = {.gradient = ROLE_LOAD, .v = v, .n = 50, .most = 60, .max = 49};

	for (u32 i = 0; i < 50; i++)
		v[i] = (float)i;
	for (int w = 0; w < 40; w += 3)
		for (int h = 0; h < 6; h++) {
			struct canvas c;

			canvas__init(&c, w + 2, h + 2, false);
			c.graphs = GRAPHS_BLOCKS;
			graph__draw(&g, &c, (struct rect){1, 1, w, h});
			for (int i = 0; i < c.w * c.h; i++) {
				int x = i % c.w, y = i / c.w;
				bool inside = x && y && x <= w && y <= h;

				assert_true(inside || c.cells[i].ch[0] == L' ');
				if (inside && x > 1 && at(&c, x - 1, y) != L' ')
					assert_true(at(&c, x, y) >= at(&c, x - 1, y));
			}
			canvas__fini(&c);
		}
}

static void meters_go_through_the_gradient(void **state)
{
	struct canvas c;

	canvas__init(&c, 20, 2, false);
	meter__grade(&c, 0, 0, 20, ROLE_LOAD, 0.5);
	for (int x = 0; x < 20; x++) {
		assert_int_equal(at(&c, x, 0), x < 10 ? L'■' : L'·');
		assert_int_equal(role_at(&c, x, 0), x < 10 ? ROLE_LOAD + x / 2 : ROLE_BORDER);
	}
	meter__grade(&c, 0, 1, 20, ROLE_LOAD, NAN);
	assert_int_equal(at(&c, 0, 1), L'·');
	meter__grade(&c, 0, 1, 20, ROLE_LOAD, 0.01);
	assert_int_equal(at(&c, 0, 1), L'■');
	assert_int_equal(at(&c, 1, 1), L'·');
	meter__grade(&c, 0, 1, 20, ROLE_LOAD, 7);
	assert_int_equal(role_at(&c, 19, 1), ROLE_LOAD_LAST);
	canvas__fini(&c);
}

static void grades_are_of_their_gradient(void **state)
{
	assert_int_equal(role__grade(ROLE_IN, -1), ROLE_IN);
	assert_int_equal(role__grade(ROLE_IN, 0.999), ROLE_IN_LAST);
	assert_int_equal(role__grade(ROLE_IN, 1), ROLE_IN_LAST);
	assert_int_equal(role__grade(ROLE_IN, 1e30), ROLE_IN_LAST);
	assert_string_equal(role_names[ROLE_IN_LAST], "in10");
	assert_string_equal(role_names[ROLE_OUT], "out1");
	assert_string_equal(role_names[ROLE_LOAD_LAST], "load10");
}

/* What a click finds is what is drawn there. */
static void parts_are_found_where_they_are_drawn(void **state)
{
	static const float shares[] = {0.5f, 0.02f, 0, 0.3f, 0.18f};
	static const char letters[] = "ukqds";
	struct canvas c;

	for (int w = 1; w < 60; w++) {
		canvas__init(&c, w, 1, true);
		parts__draw(&c, canvas__rect(&c), shares, 5, letters);
		for (int x = 0; x < w; x++) {
			u32 part = parts__at(shares, 5, (u32)w, (u32)x);

			assert_in_range(part, 0, 4);
			assert_int_equal(at(&c, x, 0), part == 4 ? '.' : letters[part]);
		}
		assert_int_equal(parts__at(shares, 5, (u32)w, (u32)w), 5);
		canvas__fini(&c);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(braille_has_two_values_a_cell),
		cmocka_unit_test(blocks_have_eighths),
		cmocka_unit_test(ascii_has_nothing_else),
		cmocka_unit_test(gaps_stay_blank),
		cmocka_unit_test(few_values_fill_the_width),
		cmocka_unit_test(every_size_and_value),
		cmocka_unit_test(meters_go_through_the_gradient),
		cmocka_unit_test(grades_are_of_their_gradient),
		cmocka_unit_test(parts_are_found_where_they_are_drawn),
	};

	golden__locale();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
