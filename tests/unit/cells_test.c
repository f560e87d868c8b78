/* SPDX-License-Identifier: GPL-2.0-only */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "tests/lib/golden.h"
#include "widgets/cells.h"
#include "widgets/text.h"

static void expect(const struct canvas *c, bool roles, const char *want)
{
	char *text = golden__text(c, roles);

	assert_string_equal(text, want);
	free(text);
}

/* One row of w cells, given to the caller to draw into. */
static struct canvas row(int w, bool ascii)
{
	struct canvas c;

	canvas__init(&c, w, 1, ascii);
	return c;
}

static void text_is_clipped(void **state)
{
	struct canvas c = row(6, false);

	assert_int_equal(draw__text(&c, 1, 0, 3, ROLE_TEXT, "abcdef"), 3);
	expect(&c, false, " abc\n");
	assert_int_equal(draw__text(&c, 4, 0, 10, ROLE_TEXT, "xyz"), 2);
	expect(&c, false, " abcxy\n");
	assert_int_equal(draw__text(&c, -2, 0, 4, ROLE_TEXT, "1234"), 4);
	expect(&c, false, "34bcxy\n");
	assert_int_equal(draw__text(&c, 0, 1, 4, ROLE_TEXT, "no"), 0);
	assert_int_equal(draw__text(&c, 0, -1, 4, ROLE_TEXT, "no"), 0);
	assert_int_equal(draw__text(&c, 7, 0, 4, ROLE_TEXT, "no"), 0);
	canvas__fini(&c);
}

static void wide_characters_are_not_split(void **state)
{
	struct canvas c = row(5, false);

	draw__text(&c, 0, 0, 3, ROLE_TEXT, "日本");
	expect(&c, false, "日\n");
	canvas__clear(&c);
	draw__text(&c, 0, 0, 5, ROLE_TEXT, "日本語");
	expect(&c, false, "日本\n");
	/* Over the left half, then over the right half of one that is there. */
	draw__text(&c, 0, 0, 1, ROLE_TEXT, "x");
	expect(&c, false, "x 本\n");
	draw__text(&c, 3, 0, 1, ROLE_TEXT, "y");
	expect(&c, false, "x  y\n");
	canvas__clear(&c);
	draw__text(&c, -1, 0, 4, ROLE_TEXT, "日本");
	expect(&c, false, " 本\n");
	canvas__fini(&c);
}

/* Whatever is drawn where: a left half always has its right half, and the other way. */
static void halves_stay_together(void **state)
{
	struct canvas c = row(16, false);
	u64 seed = 1;

	for (u32 i = 0; i < 20000; i++) {
		seed = mix64(seed + i);
		draw__text(&c, (int)(seed % 24) - 4, 0, (int)(seed >> 8 & 15), ROLE_TEXT,
			   seed >> 16 & 1 ? "日本語" : "aé日b");
		for (int x = 0; x < c.w; x++) {
			struct glyph g;
			char buf[5] = "";

			if (!c.cells[x].ch[0])
				continue;
			utf8__encode((u32)c.cells[x].ch[0], buf);
			assert_true(text__glyph(buf, &g));
			assert_int_equal(x + 1 < c.w && !c.cells[x + 1].ch[0], g.width == 2);
		}
		assert_true(c.cells[0].ch[0]);
	}
	canvas__fini(&c);
}

static void right_and_middle(void **state)
{
	struct canvas c = row(12, false);

	assert_int_equal(draw__right(&c, 0, 0, 6, ROLE_TEXT, "12"), 2);
	expect(&c, false, "    12\n");
	canvas__clear(&c);
	assert_int_equal(draw__middle(&c, 0, 0, 7, ROLE_TEXT, "abcdefghij"), 7);
	expect(&c, false, "abc…hij\n");
	canvas__clear(&c);
	assert_int_equal(draw__middle(&c, 0, 0, 10, ROLE_TEXT, "abcdefghij"), 10);
	expect(&c, false, "abcdefghij\n");
	canvas__clear(&c);
	draw__middle(&c, 0, 0, 8, ROLE_TEXT, "日本語日本語");
	expect(&c, false, "日本…語\n");
	canvas__clear(&c);
	draw__middle(&c, 0, 0, 3, ROLE_TEXT, "abcdef");
	expect(&c, false, "abc\n");
	canvas__clear(&c);
	assert_int_equal(draw__middle(&c, 0, 0, 0, ROLE_TEXT, "abcdef"), 0);
	assert_int_equal(draw__right(&c, 0, 0, 0, ROLE_TEXT, "abcdef"), 0);
	canvas__fini(&c);
}

static void ascii_only(void **state)
{
	struct canvas c = row(16, true);

	draw__text(&c, 0, 0, 16, ROLE_TEXT, "a…é日▼█e\u0301\033");
	expect(&c, false, "a~???v#e?\n");
	for (int x = 0; x < c.w; x++)
		assert_in_range(c.cells[x].ch[0], 0x20, 0x7e);
	canvas__fini(&c);
}

static void boxes(void **state)
{
	struct canvas c;

	canvas__init(&c, 12, 3, false);
	draw__box(&c, canvas__rect(&c), ROLE_BORDER, "keys");
	expect(&c, false, "┌─ keys ───┐\n│          │\n└──────────┘\n");
	canvas__clear(&c);
	c.ascii = true;
	draw__box(&c, canvas__rect(&c), ROLE_BORDER, "much too long");
	expect(&c, false, "+- muc~ng -+\n|          |\n`----------+\n");
	draw__box(&c, (struct rect){-5, -5, 100, 100}, ROLE_BORDER, "outside");
	draw__box(&c, (struct rect){0, 0, 1, 1}, ROLE_BORDER, "no room");
	canvas__fini(&c);
}

static void roles_are_dumped(void **state)
{
	struct canvas c = row(10, false);

	draw__text(&c, 0, 0, 10, ROLE_HOT, "hot");
	draw__text(&c, 4, 0, 10, ROLE_TEXT, "txt");
	expect(&c, true, "{hot:hot} txt\n");
	draw__select(&c, 4, 0, 100);
	expect(&c, true, "{hot:hot} {*text:txt   }\n");
	canvas__fini(&c);
}

static void no_size_is_harmful(void **state)
{
	static const int sizes[] = {-5, 0, 1, 2, 3, 100000};

	for (u32 i = 0; i < ARRAY_SIZE(sizes); i++) {
		struct canvas c;

		canvas__init(&c, sizes[i], MIN(sizes[i], 3), false);
		draw__text(&c, 0, 0, 50, ROLE_TEXT, "日本");
		draw__box(&c, canvas__rect(&c), ROLE_TEXT, "title");
		draw__middle(&c, 0, 0, c.w, ROLE_TEXT, "some text");
		assert_true(c.w >= 0 && c.w <= 2000);
		canvas__fini(&c);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_is_clipped),
		cmocka_unit_test(wide_characters_are_not_split),
		cmocka_unit_test(halves_stay_together),
		cmocka_unit_test(right_and_middle),
		cmocka_unit_test(ascii_only),
		cmocka_unit_test(boxes),
		cmocka_unit_test(roles_are_dumped),
		cmocka_unit_test(no_size_is_harmful),
	};

	golden__locale();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
