// SPDX-License-Identifier: GPL-2.0-only
/* Regular expressions: what matches, what is refused, and that none takes long. */
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "base/regex.h"

static struct regex *compile(const char *pattern)
{
	char why[120];
	struct regex *re = regex__new(pattern, why, sizeof(why));

	if (!re)
		fail_msg("%s: %s", pattern, why);
	return re;
}

static bool matches(const char *pattern, const char *text)
{
	struct regex *re = compile(pattern);
	bool yes = regex__match(re, text);

	regex__free(re);
	return yes;
}

static void test_matches(void **state)
{
	assert_true(matches("^kworker/[0-9]+:", "kworker/12:1H"));
	assert_false(matches("^worker", "kworker/12:1H"));
	assert_true(matches("[[:digit:]]{2}", "a12"));
	assert_true(matches("", ""));
	assert_true(matches("^(std|boost)::", "boost::any"));
	assert_true(matches("(?i)MALLOC", "jemalloc"));
	assert_true(matches("^caf.$", "caf\xc3\xa9")); /* a letter of two bytes */
}

/* A thread may be called anything. */
static void test_not_utf8(void **state)
{
	assert_true(matches("b$", "a\xff\xfe"
				  "b"));
	assert_true(matches("^a", "a\xc3"));
	assert_false(matches("z", "\x80\x80"));
}

static void test_refused(void **state)
{
	static const struct {
		const char *pattern, *says;
	} rows[] = {
		{"ab(", "missing closing parenthesis"},
		{"*a", "quantifier does not follow"},
		{"((a{99}){99}){99}", "too large"},
		{"a\xff", "UTF-8 error"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		char why[120];

		assert_null(regex__new(rows[i].pattern, why, sizeof(why)));
		if (!strstr(why, rows[i].says))
			fail_msg("%s: %s", rows[i].pattern, why);
	}
}

/* These take the C library's matcher or a naive one longer than the runner's limit. The text has
 * what the pattern asks for nowhere, so all ways are tried. */
static void test_bounded(void **state)
{
	static const char *const slow[] = {
		"^(a+)+$",
		"^(a|aa)*$",
		"(((((((((a*)*)*)*)*)*)*)*)*)*b",
		"(a?){30}a{30}$",
	};
	char text[4096];

	memset(text, 'a', sizeof(text) - 2);
	memcpy(text + sizeof(text) - 2, "!", 2);
	for (size_t i = 0; i < ARRAY_SIZE(slow); i++) {
		struct regex *re = compile(slow[i]);

		assert_false(regex__match(re, text));
		regex__free(re);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_matches),
		cmocka_unit_test(test_not_utf8),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
