/* SPDX-License-Identifier: GPL-2.0-only */
/* What widgets look like. Sizes: an old terminal, a common one, one that is too small. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "tests/lib/golden.h"
#include "tests/lib/rows.h"
#include "widgets/help.h"
#include "widgets/picker.h"
#include "widgets/prompt.h"
#include "widgets/spark.h"
#include "widgets/strip.h"
#include "widgets/table.h"

static const struct size {
	int w, h;
	const char *name;
} sizes[] = {{80, 24, "80x24"}, {120, 40, "120x40"}, {30, 6, "tiny"}};

typedef void (*drawing)(struct canvas *c);

static void check(const char *what, const struct size *size, bool ascii, bool roles, drawing draw)
{
	struct canvas c;
	char name[64];

	canvas__init(&c, size->w, size->h, ascii);
	draw(&c);
	snprintf(name, sizeof(name), "%s-%s%s%s", what, size->name, ascii ? "-ascii" : "",
		 roles ? "-roles" : "");
	golden__check(&c, name, roles);
	canvas__fini(&c);
}

static void check_sizes(const char *what, drawing draw)
{
	for (u32 i = 0; i < ARRAY_SIZE(sizes); i++)
		check(what, &sizes[i], false, false, draw);
	check(what, &sizes[0], true, false, draw);
	check(what, &sizes[0], false, true, draw);
}

/* ---- table ---- */

#define OPEN_KEY 2

static u32 children(void *ctx, u32 row)
{
	return ((struct rows *)ctx)->keys[row] == OPEN_KEY ? 7 : 0;
}

static bool child(void *ctx, u32 row, u32 n, struct table_child *out)
{
	static const struct table_child all[] = {
		{.key = 101,
		 .depth = 1,
		 .text = "handle_request",
		 .note = "server.cc:120",
		 .pct = 11.5,
		 .has_children = true,
		 .open = true},
		{.key = 102,
		 .depth = 2,
		 .text = "worker_loop",
		 .note = "server.cc:88",
		 .pct = 9,
		 .has_children = true,
		 .open = true},
		{.key = 103,
		 .depth = 3,
		 .last = true,
		 .text = "start_thread",
		 .note = "libc.so.6",
		 .pct = 9},
		{.key = 104,
		 .depth = 2,
		 .last = true,
		 .text = "main",
		 .note = "server.cc:12",
		 .pct = 2.5,
		 .has_children = true,
		 .open = true},
		{.key = 107,
		 .depth = 3,
		 .last = true,
		 .text = "__libc_start_main",
		 .note = "libc.so.6",
		 .pct = 2.5},
		{.key = 105,
		 .depth = 1,
		 .text = "flush_queue",
		 .role = ROLE_INLINED,
		 .pct = 4,
		 .has_children = true},
		{.key = 106,
		 .depth = 1,
		 .last = true,
		 .pct = 2,
		 .text = "a_very_long_function_name_that_goes_on_and_on_beyond_any_screen_width<"
			 "with::templates, and::more::templates>::operator()"},
	};

	*out = all[n];
	return true;
}

static bool is_open(void *ctx, u64 key)
{
	return key == OPEN_KEY;
}

static void draw_table_with(struct canvas *c, bool open, int moved, const char *search)
{
	struct rows rows;
	struct table_source src = {.rows = &rows.table};
	struct table t;

	rows__init(&rows, ROWS_MAX);
	if (open)
		src = (struct table_source){.rows = &rows.table,
					    .children = children,
					    .child = child,
					    .open = is_open,
					    .ctx = &rows};
	table__init(&t);
	snprintf(t.search, sizeof(t.search), "%s", search);
	table__layout(&t, &src, canvas__rect(c));
	if (moved)
		table__move(&t, &src, moved);
	table__draw(&t, &src, c);
	table__fini(&t);
}

static void draw_table(struct canvas *c)
{
	draw_table_with(c, false, 0, "");
}

static void draw_unfolded(struct canvas *c)
{
	draw_table_with(c, true, 4, "");
}

static void draw_scrolled(struct canvas *c)
{
	draw_table_with(c, true, 8, "");
}

static void draw_found(struct canvas *c)
{
	draw_table_with(c, false, 6, "e");
}

static void table(void **state)
{
	check_sizes("table", draw_table);
}

static void table_unfolded(void **state)
{
	check_sizes("unfolded", draw_unfolded);
}

/* The rows above are out of sight, their tree lines are not. */
static void table_scrolled(void **state)
{
	static const struct size small = {60, 4, "60x4"};

	check("scrolled", &small, false, false, draw_scrolled);
}

static void table_found(void **state)
{
	check("found", &sizes[0], false, true, draw_found);
}

/* ---- prompt ---- */

static void complete(void *ctx, const char *text, u32 cursor, struct completions *out)
{
	static const char *const words[][2] = {
		{"group-symbol", "group by symbol"},	 {"group-object", "group by object"},
		{"group-comm", "group by command name"}, {"group-pid", "group by process"},
		{"group-tid", "group by thread"},	 {"group-cgroup", "group by cgroup"},
		{"group-cpu", "group by CPU"},		 {"group-next", "group by the next key"},
		{"group-none", "one row for all"},
	};

	out->start = 0;
	for (u32 i = 0; i < ARRAY_SIZE(words); i++)
		completions__add(out, words[i][0], words[i][1]);
}

static void press(struct prompt *p, int key)
{
	struct input in = {.type = INPUT_KEY, .key = key};

	prompt__input(p, &in);
}

static void draw_completing(struct canvas *c)
{
	struct prompt p;

	prompt__open(&p, ":", "gr");
	p.complete = complete;
	press(&p, KEYCODE_TAB);
	press(&p, KEYCODE_TAB);
	prompt__draw(&p, c, canvas__rect(c));
}

static void draw_wrong(struct canvas *c)
{
	struct prompt p;

	prompt__open(&p, "filter:", "pid=12 comm=ngin cpu=0-3");
	prompt__error(&p, 7, 9, "comm is compared with ~ and a regular expression: comm~ngin");
	prompt__draw(&p, c, canvas__rect(c));
}

static void prompt_completing(void **state)
{
	check_sizes("prompt-completing", draw_completing);
}

static void prompt_wrong(void **state)
{
	check_sizes("prompt-wrong", draw_wrong);
}

/* ---- picker ---- */

static void item(void *ctx, u32 i, struct picker_item *out)
{
	static const char *const names[] = {"1 systemd",
					    "412 sshd: root@pts/0",
					    "980 nginx: master",
					    "981 nginx: worker process",
					    "982 nginx: worker process",
					    "4410 postgres: checkpointer",
					    "5001 日本語プロセス"};
	static const char *const details[] = {"S 0.1% 12M root",     "S 0.0% 8M root",
					      "S 0.0% 2M root",	     "R 81.2% 40M www-data",
					      "S 3.4% 39M www-data", "D 0.9% 210M postgres",
					      "S 0.0% 1M nobody"};

	*out = (struct picker_item){.key = i + 1, .text = names[i], .detail = details[i]};
}

static void draw_picker_with(struct canvas *c, const char *typed)
{
	struct picker_source src = {.n = 7, .item = item};
	struct picker p;

	picker__open(&p, "process", &src);
	for (; *typed; typed++) {
		struct input in = {.type = INPUT_KEY, .key = *typed};

		picker__input(&p, &src, &in);
	}
	picker__draw(&p, &src, c, canvas__rect(c));
	picker__fini(&p);
}

static void draw_picker(struct canvas *c)
{
	draw_picker_with(c, "ngw");
}

static void draw_picker_none(struct canvas *c)
{
	draw_picker_with(c, "zzz");
}

static void picker(void **state)
{
	check_sizes("picker", draw_picker);
	check("picker-none", &sizes[0], false, false, draw_picker_none);
}

/* ---- help ---- */

static void draw_help(struct canvas *c)
{
	static const struct help_row rows[] = {
		{NULL, "Move"},
		{"Up k", "one line up"},
		{"Down j", "one line down"},
		{"PgUp C-b", "one page up"},
		{"PgDn C-f", "one page down"},
		{"Home", "first line"},
		{"End", "last line"},
		{"", ""},
		{NULL, "Look closer"},
		{"Enter", "drill into the selected row"},
		{"Esc", "back to where you came from"},
		{"Right l", "unfold the call chain"},
		{"Left h", "fold, or go to the parent"},
		{"/", "search: moves to the next match"},
		{"n N", "next and previous match"},
		{"", ""},
		{NULL, "What is counted"},
		{"f", "edit the filter expression"},
		{"p", "look at one process, picked from a list"},
		{"c", "look at one cgroup, picked from a list"},
		{"x", "exclude what the selected row stands for"},
		{"X", "look at everything again"},
		{"+ -", "sample twice, half as often"},
		{"w", "window: last interval, decaying, since start"},
		{"", ""},
		{NULL, "The program"},
		{":", "command palette"},
		{"Space", "hold the screen; collecting goes on"},
		{"s", "save the whole view to a text file"},
		{"?", "the keys of this view"},
		{"q", "quit"},
	};
	struct help h;

	const struct help_content what = {.rows = rows, .nrows = ARRAY_SIZE(rows)};

	help__open(&h, "keys of cpu");
	help__draw(&h, &what, c, canvas__rect(c));
}

static void help(void **state)
{
	static const struct size wide = {200, 14, "200x14"};

	check("help", &wide, false, false, draw_help);
	check_sizes("help", draw_help);
}

static void press_help(struct help *h, int key)
{
	assert_int_equal(help__input(h, &(struct input){.type = INPUT_KEY, .key = key}), HELP_OPEN);
}

/* Typing goes to the first match from what is in sight on, n and N to others, round the end. */
static void help_search(void **state)
{
	static const struct help_row rows[] = {{NULL, "Keys"}, {"q", "quit"}, {"w", "the Window"}};
	static const struct help_line text[] = {
		{ROLE_TITLE, "One"}, {ROLE_TEXT, "`w` (window) is wide"}, {ROLE_TEXT, "no"},
		{ROLE_DIM, "a screen"}, {ROLE_TEXT, "another WINDOW"}, {ROLE_TEXT, "é end"}};
	const struct help_content what = {rows, ARRAY_SIZE(rows), text, ARRAY_SIZE(text)};
	static const struct { int key, found; } next[] = {
		{KEYCODE_ENTER, 2}, {'n', 4}, {'n', 7}, {'n', 2}, {'N', 7}, {'N', 4}};
	struct canvas c;
	struct help h;

	canvas__init(&c, 40, 5, false);
	help__open(&h, "help");
	help__draw(&h, &what, &c, canvas__rect(&c));
	assert_int_equal(h.lines, 9);
	for (const char *key = "/win"; *key; key++)
		press_help(&h, *key);
	for (u32 i = 0; i < ARRAY_SIZE(next); i++) {
		press_help(&h, next[i].key);
		help__draw(&h, &what, &c, canvas__rect(&c));
		assert_int_equal(h.found, next[i].found);
		assert_in_range(h.found - h.top, 0, 2);
	}
	for (const char *key = "/zz"; *key; key++)
		press_help(&h, *key);
	help__draw(&h, &what, &c, canvas__rect(&c));
	assert_int_equal(h.found, -1);
	press_help(&h, KEYCODE_BACKSPACE);
	press_help(&h, KEYCODE_BACKSPACE);
	press_help(&h, 0xe9);
	help__draw(&h, &what, &c, canvas__rect(&c));
	assert_int_equal(h.found, 8);
	press_help(&h, KEYCODE_ESC);
	assert_int_equal(help__input(&h, &(struct input){.type = INPUT_KEY, .key = 'n'}), HELP_CLOSED);
	canvas__fini(&c);
}

/* ---- small ones ---- */

static void draw_small(struct canvas *c)
{
	float ramp[24];
	struct strip strip = {0};

	for (u32 i = 0; i < 24; i++)
		ramp[i] = i == 12 ? NAN : (float)i;
	for (u32 i = 0; i < 60; i++)
		strip__push(&strip, i % 20 == 7 ? NAN : (float)(50 + 50 * sin((double)i / 6)));
	spark__draw(c, 0, 0, 30, ROLE_COOL, ramp, 24, 0);
	spark__draw(c, 40, 0, 8, ROLE_COOL, ramp, 24, 46);
	for (int i = 0; i <= 8; i++)
		bar__draw(c, 0, 2 + i, 10, ROLE_BAR, i / 8.0 - (i == 8 ? 0 : 0.02));
	bar__draw(c, 12, 2, 10, ROLE_BAR, 7);
	bar__draw(c, 12, 3, 10, ROLE_BAR, NAN);
	bar__draw(c, 12, 4, 10, ROLE_BAR, -1);
	strip__draw(&strip, c, (struct rect){0, 12, 40, 1}, 100, 70, 90);
	strip__draw(&strip, c, (struct rect){0, 14, 70, 4}, 100, 70, 90);
}

static void sparks_bars_and_strips(void **state)
{
	check("small", &sizes[0], false, false, draw_small);
	check("small", &sizes[0], true, false, draw_small);
	check("small", &sizes[0], false, true, draw_small);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(table),
		cmocka_unit_test(table_unfolded),
		cmocka_unit_test(table_scrolled),
		cmocka_unit_test(table_found),
		cmocka_unit_test(prompt_completing),
		cmocka_unit_test(prompt_wrong),
		cmocka_unit_test(picker),
		cmocka_unit_test(help),
		cmocka_unit_test(help_search),
		cmocka_unit_test(sparks_bars_and_strips),
	};

	golden__locale();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
