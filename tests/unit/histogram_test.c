/* SPDX-License-Identifier: GPL-2.0-only */
/* The histogram widget: how buckets are merged, what stands where, at any size. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "tests/lib/golden.h"
#include "widgets/histogram.h"
#include "widgets/text.h"

#define N 104

/* Powers of two from 256 ns on, as an example of what is drawn. */
static void fill(struct histogram_bucket *b, u32 n)
{
	for (u32 i = 0; i < n; i++)
		b[i] = (struct histogram_bucket){256ULL << (i / 4), 256ULL << (i / 4 + 1), 0};
	for (u32 i = 0; i < n; i++) {
		u64 step = b[i].lo_ns / 4;

		b[i].lo_ns += step * (i % 4);
		b[i].hi_ns = b[i].lo_ns + step;
	}
}

static void merging_keeps_borders_and_counts(void **state)
{
	struct histogram_bucket b[N], out[HISTOGRAM_MAX_ROWS];
	struct histogram h = {.buckets = b, .nbuckets = N};

	fill(b, N);
	assert_int_equal(histogram__fit(&h, 10, out), 0);
	b[5].n = 1;
	b[17].n = 2;
	b[40].n = 4;
	for (u32 rows = 0; rows < 140; rows++) {
		u32 n = histogram__fit(&h, rows, out), sum = 0;

		assert_true(n <= rows && n <= HISTOGRAM_MAX_ROWS);
		for (u32 i = 0; i < n; i++) {
			sum += (u32)out[i].n;
			assert_true(!i || out[i].lo_ns == out[i - 1].hi_ns);
		}
		assert_int_equal(sum, rows ? 7 : 0);
		if (!n)
			continue;
		assert_true(out[0].n > 0 && out[n - 1].n > 0);
		assert_true(out[0].lo_ns <= b[5].lo_ns && out[n - 1].hi_ns >= b[40].hi_ns);
	}
	/* What comes in addition does not move the borders of what was there. */
	assert_int_equal(histogram__fit(&h, 10, out), 10);
	assert_int_equal(out[0].lo_ns, b[4].lo_ns);
	b[3].n = 1;
	assert_int_equal(histogram__fit(&h, 11, out), 11);
	assert_int_equal(out[1].lo_ns, b[4].lo_ns);
}

static void expect(const struct canvas *c, const char *want)
{
	char *text = golden__text(c, false);

	assert_string_equal(text, want);
	free(text);
}

static struct histogram example(struct histogram_bucket *b, struct histogram_mark *m)
{
	fill(b, N);
	b[8].n = 100;
	b[9].n = 400;
	b[16].n = 1;
	b[29].n = 1234;
	m[0] = (struct histogram_mark){"p50", b[29].lo_ns + 1};
	m[1] = (struct histogram_mark){"p95", b[29].hi_ns};
	m[2] = (struct histogram_mark){"max", b[29].hi_ns};
	return (struct histogram){.buckets = b, .nbuckets = N, .marks = m, .nmarks = 3};
}

static void bars_have_ranges_counts_and_marks(void **state)
{
	struct histogram_bucket b[N];
	struct histogram_mark m[3];
	struct histogram h = example(b, m);
	struct canvas c;

	canvas__init(&c, 50, 7, false);
	assert_int_equal(histogram__draw(&h, &c, canvas__rect(&c)), 6);
	expect(&c, "1.02us-2.05us    500 ██████▉\n"
		   "2.05us-4.10us      0\n"
		   "4.10us-8.19us      1 ▏\n"
		   "8.19us-16.4us      0\n"
		   "16.4us-32.8us      0\n"
		   "32.8us-65.5us  1.23k █████████████████ p50 p95 max\n"
		   "\n");
	canvas__fini(&c);
}

static void ascii_shows_what_is_little_too(void **state)
{
	struct histogram_bucket b[N];
	struct histogram_mark m[3];
	struct histogram h = example(b, m);
	struct canvas c;

	canvas__init(&c, 44, 6, true);
	histogram__draw(&h, &c, canvas__rect(&c));
	for (u32 i = 0; i < (u32)(c.w * c.h); i++)
		assert_true(c.cells[i].ch[0] < 0x7f);
	expect(&c, "1.02us-2.05us    500 #####\n"
		   "2.05us-4.10us      0\n"
		   "4.10us-8.19us      1 #\n"
		   "8.19us-16.4us      0\n"
		   "16.4us-32.8us      0\n"
		   "32.8us-65.5us  1.23k ########### p50 p95 max\n");
	canvas__fini(&c);
}

static void one_line_has_both_ends(void **state)
{
	struct histogram_bucket b[N];
	struct histogram_mark m[3];
	struct histogram h = example(b, m);
	struct canvas c;

	canvas__init(&c, 30, 1, false);
	assert_int_equal(histogram__line(&h, &c, 0, 0, 30), 25);
	expect(&c, "1.02us ▄···▁·····█ 49.2us\n");
	canvas__clear(&c);
	assert_int_equal(histogram__line(&h, &c, 0, 0, 14), 0);
	expect(&c, "\n");
	canvas__fini(&c);
}

/* Nothing is drawn outside, whatever the size and the numbers are. */
static void no_size_draws_outside(void **state)
{
	struct histogram_bucket b[N];
	struct histogram_mark m[3];
	struct histogram h = example(b, m);
	u64 seed = 1;

	for (int w = 0; w < 130; w++) {
		for (int r = 0; r < 12; r++) {
			struct rect area = {2, 1, w, r};
			struct canvas c;

			for (u32 i = 0; i < N; i++) {
				seed = mix64(seed + i);
				b[i].n = seed % 3 ? 0 : (double)(seed % (1 + (u64)r * 1000000));
			}
			canvas__init(&c, w + 4, r + 2, w % 2);
			assert_true(histogram__draw(&h, &c, area) <= r);
			if (r)
				assert_true(histogram__line(&h, &c, 2, r, w) <= w);
			for (int i = 0; i < c.w * c.h; i++) {
				int x = i % c.w, y = i / c.w;

				if (x < 2 || x >= w + 2 || y < 1 || y > r)
					assert_true(c.cells[i].ch[0] == ' ');
			}
			canvas__fini(&c);
		}
	}
}

/* A wider one never shows less. */
static void width_only_adds(void **state)
{
	struct histogram_bucket b[N];
	struct histogram_mark m[3];
	struct histogram h = example(b, m);
	bool count = false, mark = false;

	for (int w = 8; w < 100; w++) {
		struct canvas c;
		char *text;

		canvas__init(&c, w, 6, false);
		histogram__draw(&h, &c, canvas__rect(&c));
		text = golden__text(&c, false);
		assert_non_null(strstr(text, "1.02us"));
		assert_true(!count || strstr(text, "1.23k"));
		assert_true(!mark || strstr(text, "p50 p95 max"));
		count = strstr(text, "1.23k");
		mark = strstr(text, "p50 p95 max");
		free(text);
		canvas__fini(&c);
	}
	assert_true(count && mark);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(merging_keeps_borders_and_counts),
		cmocka_unit_test(bars_have_ranges_counts_and_marks),
		cmocka_unit_test(ascii_shows_what_is_little_too),
		cmocka_unit_test(one_line_has_both_ends),
		cmocka_unit_test(no_size_draws_outside),
		cmocka_unit_test(width_only_adds),
	};

	golden__locale();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
