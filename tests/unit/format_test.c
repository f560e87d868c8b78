/* SPDX-License-Identifier: GPL-2.0-only */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "widgets/cells.h"

typedef void (*formatter)(char *buf, size_t size, u64 n);

struct sample {
	u64 n;
	const char *text;
};

static void check(formatter format, const struct sample *samples, u32 n)
{
	char buf[32];

	for (u32 i = 0; i < n; i++) {
		format(buf, sizeof(buf), samples[i].n);
		assert_string_equal(buf, samples[i].text);
	}
}

static void counts(void **state)
{
	static const struct sample samples[] = {
		{0, "0"},
		{999, "999"},
		{1000, "1.00k"},
		{12345, "12.3k"},
		{123456, "123k"},
		{999499, "999k"},
		{999500, "1.00M"},
		{999999, "1.00M"},
		{4560000, "4.56M"},
		{9994999, "9.99M"},
		{9995000, "10.0M"},
		{99950000, "100M"},
		{UINT64_MAX, "18.4E"},
	};

	check(format__count, samples, ARRAY_SIZE(samples));
}

static void bytes(void **state)
{
	static const struct sample samples[] = {
		{0, "0"},
		{1023, "1023"},
		{1024, "1.00K"},
		{12595, "12.3K"},
		{1 << 20, "1.00M"},
		{(1 << 20) - 1, "1.00M"},
		{1000 * 1024, "1000K"},
		{UINT64_MAX, "16.0E"},
	};

	check(format__bytes, samples, ARRAY_SIZE(samples));
}

static void times(void **state)
{
	static const struct sample samples[] = {
		{0, "0ns"},
		{999, "999ns"},
		{1000, "1.00us"},
		{12345, "12.3us"},
		{999499, "999us"},
		{999500, "1.00ms"},
		{4560000, "4.56ms"},
		{1200000000, "1.20s"},
		{59 * NSEC_PER_SEC, "59.0s"},
		{999 * NSEC_PER_SEC, "999s"},
		{1000 * NSEC_PER_SEC, "16.7m"},
		{7200 * NSEC_PER_SEC, "2.00h"},
		{86400 * 3 * NSEC_PER_SEC, "3.00d"},
		{UINT64_MAX, "585y"},
	};

	check(format__ns, samples, ARRAY_SIZE(samples));
}

static void percentages(void **state)
{
	static const struct {
		double pct;
		const char *text;
	} samples[] = {
		{0, "0.00"},	  {0.001, "<.01"},   {0.05, "0.05"}, {12.34, "12.34"},
		{99.99, "99.99"}, {99.996, "100.0"}, {100, "100.0"}, {399.94, "399.9"},
		{1234.5, "1234"}, {NAN, "—"},
	};
	char buf[32];

	for (u32 i = 0; i < ARRAY_SIZE(samples); i++) {
		format__pct(buf, sizeof(buf), samples[i].pct);
		assert_string_equal(buf, samples[i].text);
	}
}

/* The columns' widths rely on it. */
static void never_wider_than_six(void **state)
{
	static const formatter all[] = {format__count, format__bytes, format__ns};
	char buf[32];

	for (u32 f = 0; f < ARRAY_SIZE(all); f++)
		for (u64 n = 1; n < UINT64_MAX / 9 * 8; n += n / 8 + 1) {
			all[f](buf, sizeof(buf), n);
			assert_in_range(strlen(buf), 1, 6);
		}
	format__pct(buf, sizeof(buf), 1e300);
	assert_in_range(strlen(buf), 1, 6);
	format__pct(buf, sizeof(buf), INFINITY);
	assert_in_range(strlen(buf), 1, 6);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts),
		cmocka_unit_test(bytes),
		cmocka_unit_test(times),
		cmocka_unit_test(percentages),
		cmocka_unit_test(never_wider_than_six),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
