/* SPDX-License-Identifier: GPL-2.0-only */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/arena.h"
#include "tests/lib/golden.h"
#include "widgets/picker.h"

/* Processes as "PID NAME"; the buffer is the callback's, as views may do it. */
struct list {
	struct {
		u32 pid;
		const char *name;
	} items[8];
	u32 n;
};

static void item(void *ctx, u32 i, struct picker_item *out)
{
	const struct list *l = ctx;
	static char text[64];

	snprintf(text, sizeof(text), "%u %s", l->items[i].pid, l->items[i].name);
	*out = (struct picker_item){.key = l->items[i].pid, .text = text, .detail = "S root"};
}

static struct list processes(void)
{
	return (struct list){
		.n = 5,
		.items = {{1, "systemd"},
			  {210, "sshd"},
			  {300, "nginx: worker"},
			  {301, "nginx: worker"},
			  {4000, "postgres"}},
	};
}

static enum picker_result press(struct picker *p, const struct picker_source *src, const char *keys)
{
	enum picker_result result = PICKER_EDITING;
	char name[32];
	int n;

	for (; sscanf(keys, "%31s%n", name, &n) == 1; keys += n) {
		struct input in = {.type = INPUT_KEY, .key = key__parse(name)};

		assert_int_not_equal(in.key, 0);
		result = picker__input(p, src, &in);
	}
	return result;
}

static u32 selected(const struct picker *p, const struct picker_source *src)
{
	u32 index = UINT32_MAX;

	if (!picker__selected(p, src, &index))
		return UINT32_MAX;
	return index;
}

static void typing_narrows(void **state)
{
	struct list l = processes();
	struct picker_source src = {.n = l.n, .item = item, .ctx = &l};
	struct picker p;

	picker__open(&p, "process", &src);
	assert_int_equal(p.nmatches, 5);
	assert_int_equal(selected(&p, &src), 0);
	press(&p, &src, "n g");
	assert_int_equal(p.nmatches, 2);
	assert_int_equal(selected(&p, &src), 2);
	press(&p, &src, "Space 3 0 1");
	assert_int_equal(p.nmatches, 1);
	assert_int_equal(selected(&p, &src), 3);
	press(&p, &src, "C-w Backspace");
	assert_int_equal(p.nmatches, 2);
	press(&p, &src, "z z");
	assert_int_equal(p.nmatches, 0);
	assert_int_equal(press(&p, &src, "Enter"), PICKER_EDITING);
	press(&p, &src, "C-u");
	assert_int_equal(p.nmatches, 5);
	assert_int_equal(press(&p, &src, "Down Enter"), PICKER_ACCEPTED);
	assert_int_equal(selected(&p, &src), 1);
	assert_int_equal(press(&p, &src, "Esc"), PICKER_CANCELLED);
	picker__fini(&p);
}

static void the_selection_survives_updates(void **state)
{
	struct list l = processes();
	struct picker_source src = {.n = l.n, .item = item, .ctx = &l};
	struct picker p;

	picker__open(&p, "process", &src);
	press(&p, &src, "Down Down Down");
	assert_int_equal(selected(&p, &src), 3);
	/* A process in front of it ends, two come. */
	l.items[0] = l.items[5] = (typeof(l.items[0])){50, "new"};
	l.items[1] = l.items[3];
	l.items[3] = (typeof(l.items[0])){51, "newer"};
	src.n = l.n = 6;
	picker__update(&p, &src);
	assert_int_equal(selected(&p, &src), 1);
	/* It ends itself: the cursor stays near. */
	l.items[1].pid = 999;
	picker__update(&p, &src);
	assert_true(selected(&p, &src) < l.n);
	src.n = l.n = 0;
	picker__update(&p, &src);
	assert_int_equal(selected(&p, &src), UINT32_MAX);
	press(&p, &src, "Down PgUp End");
	picker__fini(&p);
}

static void enter_waits_for_the_items(void **state)
{
	static const char *const keys[] = {"n g Enter", "n g Enter x Backspace", "Enter", "z z Enter"};
	static const bool accepts[] = {true, false, false, false};
	struct list l = processes();
	struct picker_source none = {.item = item, .ctx = &l}, src = {.n = l.n, .item = item, .ctx = &l};
	struct picker p;

	for (u32 i = 0; i < ARRAY_SIZE(keys); i++) {
		picker__open(&p, "process", &none);
		assert_int_equal(press(&p, &none, keys[i]), PICKER_EDITING);
		picker__update(&p, &none);
		assert_false(picker__accepts(&p));
		picker__update(&p, &src);
		assert_int_equal(picker__accepts(&p), accepts[i]);
		if (accepts[i])
			assert_int_equal(selected(&p, &src), 2);
		picker__update(&p, &src);
		assert_int_equal(picker__accepts(&p), false);
		picker__fini(&p);
	}
}

static void the_mouse_picks(void **state)
{
	struct list l = processes();
	struct picker_source src = {.n = l.n, .item = item, .ctx = &l};
	struct input in = {.type = INPUT_MOUSE, .mouse = MOUSE_CLICK};
	struct picker p;
	struct canvas c;

	canvas__init(&c, 80, 24, false);
	picker__open(&p, "process", &src);
	picker__draw(&p, &src, &c, canvas__rect(&c));
	in.x = p.list.x + 1;
	in.y = p.list.y + 2;
	assert_int_equal(picker__input(&p, &src, &in), PICKER_EDITING);
	assert_int_equal(selected(&p, &src), 2);
	in.mouse = MOUSE_WHEEL_UP;
	assert_int_equal(picker__input(&p, &src, &in), PICKER_EDITING);
	assert_int_equal(selected(&p, &src), 0);
	in.mouse = MOUSE_DOUBLE;
	assert_int_equal(picker__input(&p, &src, &in), PICKER_ACCEPTED);
	assert_int_equal(selected(&p, &src), 2);
	in.y = p.list.y + 10;
	assert_int_equal(picker__input(&p, &src, &in), PICKER_EDITING);
	picker__fini(&p);
	canvas__fini(&c);
}

static void many_items_scroll(void **state)
{
	static struct list l;
	struct picker_source src = {.n = 8, .item = item, .ctx = &l};
	struct picker p;
	struct canvas c;

	for (u32 i = 0; i < 8; i++)
		l.items[i] = (typeof(l.items[0])){i + 1, "same"};
	canvas__init(&c, 40, 7, false);
	picker__open(&p, "process", &src);
	picker__draw(&p, &src, &c, canvas__rect(&c));
	assert_int_equal(p.page, 4);
	press(&p, &src, "End");
	assert_int_equal(p.top, 4);
	press(&p, &src, "PgUp");
	assert_int_equal(p.cursor, 3);
	assert_int_equal(p.top, 3);
	press(&p, &src, "Home");
	assert_int_equal(p.top, 0);
	picker__fini(&p);
	canvas__fini(&c);
}

static void draws_at_every_size(void **state)
{
	struct list l = processes();
	struct picker_source src = {.n = l.n, .item = item, .ctx = &l};
	struct picker p;
	struct canvas c;

	picker__open(&p, "a title that is too long for small screens", &src);
	press(&p, &src, "s");
	for (int w = 0; w < 130; w += 1 + w / 30)
		for (int h = 0; h < 30; h += 2) {
			canvas__init(&c, w, h, w % 2);
			picker__draw(&p, &src, &c, canvas__rect(&c));
			assert_true(c.cursor_x < w && c.cursor_y < h);
			canvas__fini(&c);
		}
	picker__fini(&p);
}

/* ---- scores ---- */

static void better(const char *pattern, const char *best, const char *worse)
{
	assert_true(fuzzy__score(pattern, worse, NULL) > 0);
	assert_true(fuzzy__score(pattern, best, NULL) > fuzzy__score(pattern, worse, NULL));
}

static void what_matches(void **state)
{
	assert_true(fuzzy__score("", "anything", NULL) > 0);
	assert_true(fuzzy__score("  ", "anything", NULL) > 0);
	assert_true(fuzzy__score("ngx", "nginx", NULL) > 0);
	assert_true(fuzzy__score("NG", "nginx", NULL) == 0);
	assert_true(fuzzy__score("ng", "NGINX", NULL) > 0);
	assert_true(fuzzy__score("xn", "nginx", NULL) == 0);
	assert_true(fuzzy__score("worker ngi", "nginx: worker", NULL) > 0);
	assert_true(fuzzy__score("worker foo", "nginx: worker", NULL) == 0);
	assert_true(fuzzy__score("a", "", NULL) == 0);
	assert_true(fuzzy__score("日", "x 日本", NULL) > 0);
}

static void what_scores_higher(void **state)
{
	better("ssh", "sshd", "systemd-shutdown-h");
	better("ssh", "sshd", "my sshd");
	better("log", "rsys-log", "catalogue");
	better("gr", "group-row", "aggregator");
	better("gn", "groupNext", "gain");
	better("sshd", "sshd", "sshd-session-of-somebody");
	better("abc", "abc", "a-xx-b-xx-c-xx");
}

static void the_mask_says_where(void **state)
{
	char text[200];
	u64 mask = 0;

	fuzzy__score("in", "nginx", &mask);
	assert_int_equal(mask, 1 << 2 | 1 << 3);
	fuzzy__score("wo 12", "12 worker", &mask);
	assert_int_equal(mask, 0x1b);
	memset(text, 'a', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	text[150] = 'b';
	assert_true(fuzzy__score("b", text, &mask) > 0);
	assert_int_equal(mask, 0);
}

/* A hostile name must not take long: the length that counts is bounded. */
static void long_texts_are_bounded(void **state)
{
	char *text = xcalloc(1, 1 << 20);
	char pattern[128];

	memset(text, 'a', (1 << 20) - 1);
	memset(pattern, 'a', sizeof(pattern) - 2);
	pattern[sizeof(pattern) - 2] = 'b';
	pattern[sizeof(pattern) - 1] = '\0';
	for (u32 i = 0; i < 1000; i++)
		assert_int_equal(fuzzy__score(pattern, text, NULL), 0);
	pattern[sizeof(pattern) - 2] = 'a';
	assert_true(fuzzy__score(pattern, text, NULL) > 0);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(typing_narrows),
		cmocka_unit_test(the_selection_survives_updates),
		cmocka_unit_test(enter_waits_for_the_items),
		cmocka_unit_test(the_mouse_picks),
		cmocka_unit_test(many_items_scroll),
		cmocka_unit_test(draws_at_every_size),
		cmocka_unit_test(what_matches),
		cmocka_unit_test(what_scores_higher),
		cmocka_unit_test(the_mask_says_where),
		cmocka_unit_test(long_texts_are_bounded),
	};

	golden__locale();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
