/* SPDX-License-Identifier: GPL-2.0-only */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "tests/lib/golden.h"
#include "widgets/help.h"

#define ROWS 60

/* A heading before every seventh row; each text is its number. */
static void make_rows(struct help_row *rows, char (*texts)[16])
{
	for (u32 i = 0; i < ROWS; i++) {
		snprintf(texts[i], sizeof(texts[i]), "text-%02u.", i);
		rows[i] = (struct help_row){.key = i % 7 ? "k" : NULL, .text = texts[i]};
	}
}

static enum help_result press(struct help *h, const char *name)
{
	struct input in = {.type = INPUT_KEY, .key = key__parse(name)};

	assert_int_not_equal(in.key, 0);
	return help__input(h, &in);
}

static void note_shown(const struct canvas *c, char (*texts)[16], bool *seen)
{
	char *text = golden__text(c, false);

	for (u32 i = 0; i < ROWS; i++)
		seen[i] |= strstr(text, texts[i]) != NULL;
	free(text);
}

static void draw(struct help *h, const struct help_row *rows, u32 n, struct canvas *c)
{
	const struct help_content what = {.rows = rows, .nrows = n};

	help__draw(h, &what, c, canvas__rect(c));
}

/* Whatever the size: paging through shows each row, and more than one column where two fit. */
static void paging_shows_every_row(void **state)
{
	char texts[ROWS][16];
	struct help_row rows[ROWS];

	make_rows(rows, texts);
	for (int w = 20; w < 160; w += 7)
		for (int h = 5; h < 40; h += 5) {
			bool seen[ROWS] = {false};
			struct canvas c;
			struct help help;

			canvas__init(&c, w, h, false);
			help__open(&help, "keys");
			for (int top = -1; top != help.top;) {
				top = help.top;
				draw(&help, rows, ROWS, &c);
				note_shown(&c, texts, seen);
				assert_int_equal(press(&help, "Space"), HELP_OPEN);
			}
			for (u32 i = 0; i < ROWS; i++)
				assert_true(seen[i]);
			canvas__fini(&c);
		}
}

/* Words of a text that is wider than the window stand below each other; what is scrolled out above is not drawn. */
static void a_long_text_is_wrapped(void **state)
{
	const struct help_row rows[] = {
		{NULL, "heading"}, {"k", "alpha bravo charlie delta"}, {"l", "echo foxtrot golf hotel"},
	};
	static const char *const words[] = {"alpha", "charlie", "delta", "echo", "golf", "hotel"};
	struct canvas c;
	struct help h;

	canvas__init(&c, 22, 6, false);
	help__open(&h, "keys");
	for (u32 top = 0, n = ARRAY_SIZE(words); n; top++) {
		char *text;

		canvas__clear(&c);
		help__draw(&h, &(struct help_content){.rows = rows, .nrows = 3}, &c, (struct rect){0, 2, 22, 4});
		text = golden__text(&c, false);
		assert_int_equal(h.top, MIN((int)top, h.lines - 2));
		for (u32 i = 0; i < n; i++)
			if (strstr(text, words[ARRAY_SIZE(words) - n]))
				n--;
		for (int x = 0; x < 2 * c.w; x++)
			assert_true(!c.cells[x].ch[0] || c.cells[x].ch[0] == ' ');
		free(text);
		press(&h, "Down");
		assert_true(top < 10);
	}
	assert_int_equal(h.lines, 5);
	canvas__fini(&c);
}

static void a_heading_is_not_left_alone(void **state)
{
	char texts[ROWS][16];
	struct help_row rows[ROWS];
	struct canvas c;
	struct help help;

	make_rows(rows, texts);
	for (int h = 8; h < 30; h++) {
		canvas__init(&c, 60, h, false);
		help__open(&help, "keys");
		draw(&help, rows, ROWS, &c);
		assert_true(help.lines >= ROWS / 3);
		/* No heading stands alone on the last line. */
		press(&help, "End");
		canvas__clear(&c);
		draw(&help, rows, ROWS, &c);
		for (int x = 0; x + 6 < c.w; x++) {
			const struct cell *cell = &c.cells[(h - 2) * c.w + x];

			assert_false(cell->role == ROLE_TITLE && cell->ch[0] == 't');
		}
		canvas__fini(&c);
	}
}

static void keys_scroll_or_close(void **state)
{
	char texts[ROWS][16];
	struct help_row rows[ROWS];
	struct input in = {.type = INPUT_RESIZE};
	struct canvas c;
	struct help h;

	make_rows(rows, texts);
	canvas__init(&c, 30, 12, false);
	help__open(&h, "keys");
	draw(&h, rows, ROWS, &c);
	assert_int_equal(press(&h, "Up"), HELP_OPEN);
	assert_int_equal(h.top, 0);
	press(&h, "j");
	assert_int_equal(h.top, 1);
	press(&h, "PgDn");
	assert_int_equal(h.top, 11);
	press(&h, "End");
	assert_int_equal(h.top, h.lines - h.page);
	press(&h, "Home");
	assert_int_equal(h.top, 0);
	assert_int_equal(help__input(&h, &in), HELP_OPEN);
	in = (struct input){.type = INPUT_MOUSE, .mouse = MOUSE_WHEEL_DOWN};
	assert_int_equal(help__input(&h, &in), HELP_OPEN);
	assert_int_equal(h.top, 3);
	assert_int_equal(press(&h, "q"), HELP_CLOSED);
	assert_int_equal(press(&h, "Esc"), HELP_CLOSED);
	in.mouse = MOUSE_CLICK;
	assert_int_equal(help__input(&h, &in), HELP_CLOSED);
	canvas__fini(&c);
}

static void no_rows_and_no_room(void **state)
{
	struct help h;
	struct canvas c;

	help__open(&h, "keys");
	for (int w = 0; w < 8; w++) {
		canvas__init(&c, w, w, false);
		draw(&h, NULL, 0, &c);
		canvas__fini(&c);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(paging_shows_every_row),
		cmocka_unit_test(a_long_text_is_wrapped),
		cmocka_unit_test(a_heading_is_not_left_alone),
		cmocka_unit_test(keys_scroll_or_close),
		cmocka_unit_test(no_rows_and_no_room),
	};

	golden__locale();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
