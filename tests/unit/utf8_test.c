/* SPDX-License-Identifier: GPL-2.0-only */
/* UTF-8 that is right, broken and hostile. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/utf8.h"

static void decodes_as_rfc3629(void **state)
{
	static const struct {
		const char *bytes;
		u32 len, cp;
	} cases[] = {
		{"a", 1, 'a'},
		{"é", 2, 0xe9},
		{"€", 3, 0x20ac},
		{"😀", 4, 0x1f600},
		{"\xf4\x8f\xbf\xbf", 4, 0x10ffff},
		{"\xf4\x90\x80\x80", 1, 0xfffd}, /* above the last one */
		{"\xc0\xaf", 1, 0xfffd},	 /* overlong / */
		{"\xe0\x80\xaf", 1, 0xfffd},
		{"\xf0\x80\x80\xaf", 1, 0xfffd},
		{"\xed\xa0\x80", 1, 0xfffd}, /* surrogate */
		{"\xe2\x82", 1, 0xfffd},     /* cut short */
		{"\x80", 1, 0xfffd},	     /* stray continuation */
		{"\xff", 1, 0xfffd},
	};
	u32 cp;

	for (u32 i = 0; i < ARRAY_SIZE(cases); i++) {
		assert_int_equal(utf8__decode(cases[i].bytes, &cp), cases[i].len);
		assert_int_equal(cp, cases[i].cp);
	}
	assert_int_equal(utf8__decode("", &cp), 0);
}

static void encodes_what_it_decodes(void **state)
{
	char buf[5];
	u32 cp, n;

	for (u32 want = 1; want <= 0x10ffff; want += want < 0x3000 ? 1 : 61) {
		n = utf8__encode(want, buf);
		if (want >= 0xd800 && want <= 0xdfff) {
			assert_int_equal(n, 0);
			continue;
		}
		buf[n] = '\0';
		assert_int_equal(utf8__decode(buf, &cp), n);
		assert_int_equal(cp, want);
	}
	assert_int_equal(utf8__encode(0x110000, buf), 0);
}

static void expect_clean(const char *s, const char *want)
{
	char out[64];
	u32 n = 0, more;

	while ((more = utf8__clean(&s, out + n)))
		n += more;
	out[n] = '\0';
	assert_string_equal(out, want);
	assert_true(utf8__valid(out));
}

/* What is left of any name may go to a file and to a terminal. */
static void cleans(void **state)
{
	expect_clean("", "");
	expect_clean("caf\xc3\xa9 \xe6\xbc\xa2\xf0\x9f\x98\x80",
		     "caf\xc3\xa9 \xe6\xbc\xa2\xf0\x9f\x98\x80");
	expect_clean("a\tb\nc\x1b[2J\x7f", "a?b?c?[2J?");
	expect_clean("\xc2\x9b"
		     "2J",
		     "?2J"); /* CSI as one character */
	expect_clean("bad\xff\xc3"
		     "end\xe2\x82",
		     "bad??end??");
	expect_clean("\xef\xbf\xbd", "\xef\xbf\xbd"); /* a real replacement character */
	expect_clean("a\u202egnp.exe\u2066\u200b\ufeffz", "a?gnp.exe???z");
	expect_clean("co\u00adop \U000e0041", "co?op ?"); /* a soft hyphen, a tag */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(decodes_as_rfc3629),
		cmocka_unit_test(encodes_what_it_decodes),
		cmocka_unit_test(cleans),
	};

	return cmocka_run_group_tests_name("utf8", tests, NULL, NULL);
}
