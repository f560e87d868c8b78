/* SPDX-License-Identifier: GPL-2.0-only */
/* The timeline widget: what dominates a cell, at any width. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "tests/lib/golden.h"
#include "widgets/timeline.h"

static const struct timeline_kind kinds[] = {{"█", ROLE_OK}, {"r", ROLE_WARN}, {"S", ROLE_DIM}};

static struct timeline_span at(const void *of, u32 i)
{
	return ((const struct timeline_span *)of)[i];
}

static struct timeline line(const struct timeline_span *spans, u32 n, u64 t0, u64 t1)
{
	return (struct timeline){.t0_ns = t0,
				 .t1_ns = t1,
				 .kinds = kinds,
				 .nkinds = 3,
				 .span = at,
				 .of = spans,
				 .nspans = n};
}

static void expect(const struct canvas *c, bool roles, const char *want)
{
	char *text = golden__text(c, roles);

	assert_string_equal(text, want);
	free(text);
}

static void a_cell_shows_what_took_most_of_it(void **state)
{
	const struct timeline_span spans[] = {
		{100, 130, 0}, /* 3 of the first 5 */
		{130, 150, 2}, {150, 175, 2}, {175, 176, 0},
		{176, 178, 1}, {178, 200, 2}, {220, 300, 1}, /* nothing is known of 200 to 220 */
	};
	struct timeline t = line(spans, 7, 50, 300);
	struct canvas c;

	canvas__init(&c, 5, 1, false);
	timeline__draw(&t, &c, canvas__rect(&c));
	expect(&c, false, " █Srr\n");
	canvas__clear(&c);
	t.t0_ns = 100;
	t.t1_ns = 200;
	timeline__draw(&t, &c, canvas__rect(&c));
	expect(&c, false, "██SSS\n");
	canvas__fini(&c);
}

static void an_axis_tells_the_time(void **state)
{
	const struct timeline_span span = {0, 10000000000ULL, 0};
	struct timeline t = line(&span, 1, 0, 10000000000ULL);
	struct canvas c;

	canvas__init(&c, 40, 2, true);
	timeline__draw(&t, &c, canvas__rect(&c));
	expect(&c, false,
	       "########################################\n"
	       "|-10.0s      |-6.67s      |-3.33s   now|\n");
	canvas__fini(&c);
}

/* Sums by hand, for any spans and widths. */
static void cells_agree_with_sums(void **state)
{
	struct timeline_span spans[200];
	u32 cells[300];
	u64 seed = 7, t = 1000;

	for (u32 i = 0; i < 200; i++) {
		seed = mix64(seed + i);
		t += seed % 5 ? 0 : seed >> 8 & 63;
		spans[i] = (struct timeline_span){t, t + (seed >> 16 & 127), (u32)(seed >> 32) % 3};
		t = spans[i].t1_ns;
	}
	for (int w = 1; w < 300; w += 7) {
		struct timeline l = line(spans, 200, 1000, t);

		timeline__cells(&l, w, cells);
		for (int x = 0; x < w; x++) {
			u64 from = 1000 + (u64)((double)(t - 1000) * x / w);
			u64 to = 1000 + (u64)((double)(t - 1000) * (x + 1) / w);
			u64 sum[4] = {0}, best = 0;

			for (u32 i = 0; i < 200; i++) {
				u64 a = MAX(spans[i].t0_ns, from), b = MIN(spans[i].t1_ns, to);

				sum[spans[i].kind] += b > a ? b - a : 0;
			}
			best = MAX(MAX(sum[0], sum[1]), sum[2]);
			assert_true(best ? sum[cells[x]] == best : cells[x] == 3);
		}
	}
}

static void no_size_draws_outside(void **state)
{
	const struct timeline_span spans[] = {{0, 400, 0}, {400, 600, 7}, {600, 5000, 2}};
	struct timeline t = line(spans, 3, 100, 900);

	for (int w = 0; w < 140; w++) {
		for (int h = 0; h < 4; h++) {
			struct canvas c;

			canvas__init(&c, w + 4, h + 2, w % 2);
			timeline__draw(&t, &c, (struct rect){2, 1, w, h});
			for (int i = 0; i < c.w * c.h; i++) {
				int x = i % c.w, y = i / c.w;

				if (x < 2 || x >= w + 2 || y < 1 || y > h)
					assert_true(c.cells[i].ch[0] == ' ');
			}
			canvas__fini(&c);
		}
	}
	/* A strip that covers no time. */
	t.t0_ns = t.t1_ns;
	timeline__draw(&t, &(struct canvas){0}, (struct rect){0, 0, 10, 2});
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_cell_shows_what_took_most_of_it),
		cmocka_unit_test(an_axis_tells_the_time),
		cmocka_unit_test(cells_agree_with_sums),
		cmocka_unit_test(no_size_draws_outside),
	};

	golden__locale();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
