/* SPDX-License-Identifier: GPL-2.0-only */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "tests/lib/golden.h"
#include "widgets/cells.h"
#include "widgets/paragraph.h"
#include "widgets/text.h"

static wchar_t first(const char *s)
{
	struct glyph g;

	assert_true(text__glyph(s, &g));
	return g.ch[0];
}

static void nothing_reaches_the_terminal(void **state)
{
	char buf[5];

	assert_int_equal(first("\033[2J"), 0x241b);
	assert_int_equal(first("\n"), 0x240a);
	assert_int_equal(first("\177"), 0x2421);
	assert_int_equal(first("\xc2\x9b"), 0xfffd); /* CSI in one byte */
	for (u32 cp = 1; cp <= 0x2fff; cp++) {
		struct glyph g;

		buf[utf8__encode(cp, buf)] = '\0';
		assert_true(text__glyph(buf, &g));
		assert_true(g.ch[0] >= 0x20 && g.ch[0] != 0x7f);
		assert_false(g.ch[0] >= 0x80 && g.ch[0] < 0xa0);
		assert_true(g.width == 1 || g.width == 2);
	}
}

static void bidi_overrides_are_visible(void **state)
{
	static const u32 hidden[] = {0x202a, 0x202b, 0x202c, 0x202d, 0x202e, 0x2066, 0x2067,
				     0x2068, 0x2069, 0x200b, 0x200e, 0x200f, 0xfeff, 0x2028};
	char buf[5];

	for (u32 i = 0; i < ARRAY_SIZE(hidden); i++) {
		buf[utf8__encode(hidden[i], buf)] = '\0';
		assert_int_equal(first(buf), 0xfffd);
		assert_int_equal(text__width(buf), 1);
	}
}

static void marks_join_their_base(void **state)
{
	struct glyph g;

	assert_true(text__glyph("e\u0301x", &g));
	assert_int_equal(g.ch[0], 'e');
	assert_int_equal(g.ch[1], 0x301);
	assert_int_equal(g.bytes, 3);
	/* Two are kept, the others swallowed. */
	assert_true(text__glyph("e\u0301\u0302\u0303x", &g));
	assert_int_equal(g.ch[2], 0x302);
	assert_int_equal(g.bytes, 7);
	/* One without a base gets one. */
	assert_true(text__glyph("\u0301x", &g));
	assert_int_equal(g.ch[0], 0x25cc);
	assert_int_equal(g.ch[1], 0x301);
}

static void a_pile_of_marks_is_bounded(void **state)
{
	char pile[2001] = "e";
	struct glyph g;
	u32 glyphs = 0;

	for (u32 i = 1; i < 1999; i += 2)
		memcpy(pile + i, "\u0301", 2);
	for (const char *s = pile; text__glyph(s, &g); s += g.bytes)
		glyphs++;
	assert_true(glyphs < 12);
}

static void widths(void **state)
{
	assert_int_equal(text__width(""), 0);
	assert_int_equal(text__width("abc"), 3);
	assert_int_equal(text__width("日本語"), 6);
	assert_int_equal(text__width("e\u0301"), 1);
	assert_int_equal(text__width("a\xff"
				     "b"),
			 3);
	assert_int_equal(text__width("\033[0m"), 4);
}

static void fits_whole_characters(void **state)
{
	int used;

	assert_int_equal(text__fit("日本語", 5, &used), 6);
	assert_int_equal(used, 4);
	assert_int_equal(text__fit("abc", 10, &used), 3);
	assert_int_equal(text__fit("abc", 0, &used), 0);
	assert_int_equal(text__fit("abc", -1, &used), 0);
	assert_int_equal(text__fit_end("日本語", 5, &used), 3);
	assert_int_equal(used, 4);
	assert_int_equal(text__fit_end("abcdef", 2, &used), 4);
	assert_int_equal(text__fit_end("abc", 10, &used), 0);
}

static void lines_end_at_blanks_and_a_number_keeps_its_percent_sign(void **state)
{
	assert_int_equal(paragraph__height("ab cd ef", 5), 2);
	assert_int_equal(paragraph__height("ab 12 % cd", 5), 3); /* ab, 12 %, cd */
	assert_int_equal(paragraph__height("ab 12 % cd", 7), 2);
	assert_int_equal(paragraph__height("abcdefgh", 3), 3);
	assert_int_equal(paragraph__height("ab\n  cd ef\ngh", 80), 3);
	assert_int_equal(paragraph__height("ab\n  cd ef\ngh", 4), 4);
	assert_int_equal(paragraph__height("1 % 2 %", 1), 4);
	assert_int_equal(paragraph__height("", 5), 0);
}

static void ascii_has_look_alikes(void **state)
{
	assert_int_equal(text__ascii(L'a'), 'a');
	assert_int_equal(text__ascii(L'─'), '-');
	assert_int_equal(text__ascii(L'│'), '|');
	assert_int_equal(text__ascii(L'┌'), '+');
	assert_int_equal(text__ascii(L'…'), '~');
	assert_int_equal(text__ascii(L'█'), '#');
	assert_int_equal(text__ascii(L'▼'), 'v');
	assert_int_equal(text__ascii(L'日'), '?');
	for (wchar_t ch = 1; ch < 0x3000; ch++)
		assert_in_range(text__ascii(ch), 0x20, 0x7e);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_reaches_the_terminal),
		cmocka_unit_test(bidi_overrides_are_visible),
		cmocka_unit_test(marks_join_their_base),
		cmocka_unit_test(a_pile_of_marks_is_bounded),
		cmocka_unit_test(widths),
		cmocka_unit_test(fits_whole_characters),
		cmocka_unit_test(ascii_has_look_alikes),
		cmocka_unit_test(lines_end_at_blanks_and_a_number_keeps_its_percent_sign),
	};

	golden__locale();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
