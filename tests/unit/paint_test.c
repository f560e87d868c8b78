// SPDX-License-Identifier: GPL-2.0-only
/* What is to be written between two screens: all that differs to the eye, and in few changes of look. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tui/paint.h"

#define W 24
#define H 6

static const struct look looks[] = {
	{LOOK_OWN, LOOK_OWN, 0}, {1, LOOK_OWN, 0},		{2, LOOK_OWN, LOOK_BOLD},
	{3, 4, 0},		 {LOOK_OWN, LOOK_OWN, LOOK_UNDERLINE}, {5, LOOK_OWN, LOOK_REVERSE},
};

static struct painted shown[W * H], next[W * H], terminal[W * H];

static void fill(struct painted *v, unsigned part)
{
	static const wchar_t chars[] = L"    ab01█";

	for (int i = 0; i < W * H; i++)
		if ((unsigned)rand() % 100 < part)
			v[i] = (struct painted){{chars[(unsigned)rand() % 9]},
						looks[(unsigned)rand() % ARRAY_SIZE(looks)]};
}

static void clear(struct painted *v)
{
	for (int i = 0; i < W * H; i++)
		v[i] = (struct painted){{L' '}, looks[0]};
}

/* What a terminal does with it. */
static void apply(const struct paint *p, struct painted *to)
{
	for (u32 r = 0; r < p->n; r++)
		for (int x = p->v[r].x; x < p->v[r].x + p->v[r].n; x++) {
			struct painted *cell = &to[p->v[r].y * W + x];

			*cell = next[p->v[r].y * W + x];
			cell->look = p->v[r].look;
		}
}

/* Of a blank its ground is seen, of everything else all. */
static void check_seen(const struct painted *a, const struct painted *b)
{
	for (int i = 0; i < W * H; i++) {
		assert_int_equal(a[i].ch[0], b[i].ch[0]);
		assert_int_equal(a[i].look.bg, b[i].look.bg);
		assert_int_equal(painted__is_blank(&a[i]), painted__is_blank(&b[i]));
		assert_true(painted__is_blank(&a[i]) || look__same(&a[i].look, &b[i].look));
	}
}

static void a_terminal_shows_what_is_next(void **state)
{
	struct paint p = {0};

	srand(1);
	clear(shown);
	clear(terminal);
	clear(next);
	for (u32 i = 0; i < 3000; i++) {
		fill(next, (unsigned)rand() % 60);
		paint__diff(&p, shown, next, W, H);
		apply(&p, terminal);
		check_seen(terminal, next);
		assert_memory_equal(shown, next, sizeof(shown));
		paint__diff(&p, shown, next, W, H);
		assert_int_equal(p.n, 0);
	}
	free(p.v);
}

static void looks_follow_each_other_once(void **state)
{
	struct paint p = {0};
	u32 changes = 0;

	clear(shown);
	clear(next);
	for (int i = 0; i < W * H; i++)
		next[i] = (struct painted){{L'a'}, looks[i % 3]};
	paint__diff(&p, shown, next, W, H);
	for (u32 i = 1; i < p.n; i++)
		changes += !look__same(&p.v[i].look, &p.v[i - 1].look);
	assert_int_equal(changes, 2);
	free(p.v);
}

static void what_is_not_seen_is_not_written(void **state)
{
	struct paint p = {0};

	clear(shown);
	clear(next);
	next[5].look = looks[1]; /* a blank in another colour */
	paint__diff(&p, shown, next, W, H);
	assert_int_equal(p.n, 0);
	next[5].look = looks[4]; /* an underlined one */
	paint__diff(&p, shown, next, W, H);
	assert_int_equal(p.n, 1);
	next[5].look = looks[3]; /* on another ground */
	paint__diff(&p, shown, next, W, H);
	assert_int_equal(p.n, 1);
	free(p.v);
}

static void small_gaps_are_written_over(void **state)
{
	struct paint p = {0};

	clear(shown);
	for (int x = 0; x < W; x++)
		shown[x].ch[0] = L'a';
	memcpy(next, shown, sizeof(next));
	next[1].ch[0] = next[4].ch[0] = next[14].ch[0] = L'b';
	paint__diff(&p, shown, next, W, H);
	assert_int_equal(p.n, 2);
	assert_int_equal(p.v[0].n, 4);
	assert_int_equal(p.v[1].x, 14);
	free(p.v);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_terminal_shows_what_is_next),
		cmocka_unit_test(looks_follow_each_other_once),
		cmocka_unit_test(what_is_not_seen_is_not_written),
		cmocka_unit_test(small_gaps_are_written_over),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
