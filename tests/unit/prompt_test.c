/* SPDX-License-Identifier: GPL-2.0-only */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "tests/lib/golden.h"
#include "widgets/prompt.h"
#include "widgets/text.h"

static enum prompt_result press(struct prompt *p, const char *keys)
{
	enum prompt_result result = PROMPT_EDITING;
	char name[32];
	int n;

	for (; sscanf(keys, "%31s%n", name, &n) == 1; keys += n) {
		struct input in = {.type = INPUT_KEY, .key = key__parse(name)};

		assert_int_not_equal(in.key, 0);
		result = prompt__input(p, &in);
	}
	return result;
}

static void edits_characters_not_bytes(void **state)
{
	struct prompt p;

	prompt__open(&p, "filter:", "aé日");
	assert_int_equal(p.cursor, 6);
	press(&p, "Left");
	assert_int_equal(p.cursor, 3);
	press(&p, "Backspace");
	assert_string_equal(p.text, "a日");
	press(&p, "é Delete");
	assert_string_equal(p.text, "aé");
	press(&p, "Home Delete");
	assert_string_equal(p.text, "é");
	press(&p, "Left Left Backspace End Right Right Delete");
	assert_string_equal(p.text, "é");
}

static void line_keys(void **state)
{
	struct prompt p;

	prompt__open(&p, ":", "pid=12 comm~foo");
	press(&p, "C-w");
	assert_string_equal(p.text, "pid=12 comm~");
	press(&p, "C-w");
	assert_string_equal(p.text, "pid=12 ");
	press(&p, "C-a X C-e Y");
	assert_string_equal(p.text, "Xpid=12 Y");
	press(&p, "C-b C-b C-k");
	assert_string_equal(p.text, "Xpid=12");
	press(&p, "C-b C-u");
	assert_string_equal(p.text, "2");
	press(&p, "C-u C-w");
	assert_string_equal(p.text, "2");
	press(&p, "C-e C-u");
	assert_string_equal(p.text, "");
}

static void ends(void **state)
{
	struct prompt p;
	struct input resize = {.type = INPUT_RESIZE};

	prompt__open(&p, ":", "");
	assert_int_equal(press(&p, "a"), PROMPT_EDITING);
	assert_int_equal(prompt__input(&p, &resize), PROMPT_EDITING);
	assert_int_equal(press(&p, "Enter"), PROMPT_ACCEPTED);
	assert_string_equal(p.text, "a");
	assert_int_equal(press(&p, "Esc"), PROMPT_CANCELLED);
	assert_int_equal(press(&p, "C-c"), PROMPT_CANCELLED);
}

static void a_full_line_takes_no_more(void **state)
{
	char text[2 * PROMPT_MAX + 1];
	struct prompt p;

	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	prompt__open(&p, ":", text);
	assert_int_equal(p.len, PROMPT_MAX - 1);
	press(&p, "y");
	assert_int_equal(p.len, PROMPT_MAX - 1);
	press(&p, "Backspace é");
	assert_int_equal(p.len, PROMPT_MAX - 2);
	press(&p, "z");
	assert_int_equal(p.len, PROMPT_MAX - 1);
	/* No character is cut in half at the end. */
	memcpy(text + PROMPT_MAX - 2, "日", 3);
	prompt__open(&p, ":", text);
	assert_int_equal(p.len, PROMPT_MAX - 2);
}

static void history(void **state)
{
	struct prompt_history h = {0};
	struct prompt p;

	for (u32 i = 0; i < 3; i++) {
		prompt__open(&p, ":", i == 0 ? "one" : i == 1 ? "two" : "one");
		p.history = &h;
		press(&p, "Enter");
	}
	assert_int_equal(h.n, 2);
	prompt__open(&p, ":", "draft");
	p.history = &h;
	press(&p, "Up");
	assert_string_equal(p.text, "one");
	press(&p, "Up");
	assert_string_equal(p.text, "two");
	press(&p, "Up");
	assert_string_equal(p.text, "two");
	press(&p, "C-n");
	assert_string_equal(p.text, "one");
	press(&p, "Down");
	assert_string_equal(p.text, "draft");
	press(&p, "Down");
	assert_string_equal(p.text, "draft");
	/* A line from the history that is changed is a new draft. */
	press(&p, "Up X Down");
	assert_string_equal(p.text, "oneX");
	prompt_history__fini(&h);
}

static void history_is_bounded(void **state)
{
	struct prompt_history h = {0};
	char line[16];

	for (u32 i = 0; i < 3 * PROMPT_HISTORY; i++) {
		snprintf(line, sizeof(line), "line %u", i);
		prompt_history__add(&h, line);
	}
	assert_int_equal(h.n, PROMPT_HISTORY);
	assert_string_equal(h.lines[0], "line 100");
	prompt_history__add(&h, "");
	assert_string_equal(h.lines[h.n - 1], "line 149");
	prompt_history__fini(&h);
}

/* Completes the last word from a list of views. */
static void complete(void *ctx, const char *text, u32 cursor, struct completions *out)
{
	static const char *const words[] = {"view-1", "view-2", "view-next", "quit"};

	while (out->start > 0 && text[out->start - 1] != ' ')
		out->start--;
	for (u32 i = 0; i < ARRAY_SIZE(words); i++)
		if (!strncmp(words[i], text + out->start, cursor - out->start))
			completions__add(out, words[i], "does it");
}

static struct prompt completing(const char *text)
{
	struct prompt p;

	prompt__open(&p, ":", text);
	p.complete = complete;
	return p;
}

static void one_completion_is_taken(void **state)
{
	struct prompt p = completing("go q");

	press(&p, "Tab");
	assert_string_equal(p.text, "go quit");
	assert_int_equal(prompt__height(&p, 80), 1);
	press(&p, "x Tab");
	assert_string_equal(p.text, "go quitx");
}

static void several_are_listed_and_walked(void **state)
{
	struct prompt p = completing("vi");

	press(&p, "Tab");
	assert_string_equal(p.text, "view-");
	assert_int_equal(prompt__height(&p, 80), 4);
	press(&p, "Tab");
	assert_string_equal(p.text, "view-1");
	press(&p, "Down");
	assert_string_equal(p.text, "view-2");
	press(&p, "Tab Tab");
	assert_string_equal(p.text, "view-");
	press(&p, "BackTab");
	assert_string_equal(p.text, "view-next");
	/* Esc closes the list first, with what was typed. */
	assert_int_equal(press(&p, "Esc"), PROMPT_EDITING);
	assert_string_equal(p.text, "view-");
	assert_int_equal(prompt__height(&p, 80), 1);
	assert_int_equal(press(&p, "Esc"), PROMPT_CANCELLED);
}

static void a_chosen_one_is_kept(void **state)
{
	struct prompt p = completing("vi");

	press(&p, "Tab Tab x");
	assert_string_equal(p.text, "view-1x");
	p = completing("vi tail");
	press(&p, "C-a Right Right Tab Tab");
	assert_string_equal(p.text, "view-1 tail");
	assert_int_equal(press(&p, "Enter"), PROMPT_ACCEPTED);
	assert_string_equal(p.text, "view-1 tail");
}

/* Where the list is always there, it follows what is typed, and is in nobody's way. */
static void the_list_is_there_at_once(void **state)
{
	static struct prompt_history h;
	struct prompt p = completing("");

	prompt_history__add(&h, "older");
	p.history = &h;
	prompt__offer(&p);
	assert_int_equal(prompt__height(&p, 80), 5);
	press(&p, "v");
	assert_int_equal(prompt__height(&p, 80), 4);
	press(&p, "Backspace q");
	assert_int_equal(prompt__height(&p, 80), 2);
	press(&p, "Tab");
	assert_string_equal(p.text, "quit");
	assert_int_equal(prompt__height(&p, 80), 1); /* it stands there: nothing to offer */
	press(&p, "C-u Up");
	assert_string_equal(p.text, "older");
	press(&p, "C-u Down");
	assert_string_equal(p.text, "view-1");
	assert_int_equal(press(&p, "Esc"), PROMPT_EDITING);
	assert_string_equal(p.text, "");
	assert_int_equal(press(&p, "Esc"), PROMPT_CANCELLED);
	prompt_history__fini(&h);
}

static void many_completions_are_bounded(void **state)
{
	struct completions l = {0};
	char big[200];
	u32 n = 0;

	memset(big, 'x', sizeof(big) - 1);
	big[sizeof(big) - 1] = '\0';
	assert_true(completions__add(&l, big, NULL));
	assert_int_equal(l.n, 0);
	while (completions__add(&l, "a", NULL))
		n++;
	assert_int_equal(n, PROMPT_COMPLETIONS);
}

static void the_error_stays_until_the_text_changes(void **state)
{
	struct prompt p;

	prompt__open(&p, ":", "pid=1 ülk=2");
	prompt__error(&p, 7, 5, "unknown term");
	assert_int_equal(p.cursor, 6); /* column 7 is within the ü */
	assert_int_equal(prompt__height(&p, 80), 3);
	press(&p, "Right");
	assert_int_equal(prompt__height(&p, 80), 3);
	press(&p, "x");
	assert_int_equal(prompt__height(&p, 80), 1);
	prompt__error(&p, 10000, 0, "at the end");
	assert_int_equal(p.cursor, p.len);
}

/* Random keys: the cursor is at a character's start, the length is right. */
static void random_keys(void **state)
{
	static const char *const keys[] = {
		"a",   "é",   "日",   "Left", "Right", "Backspace", "Delete", "C-w",
		"C-u", "C-k", "Home", "End",  "Tab",   "BackTab",   "Up",     "Down",
		"Esc", "v",   "i",    "C-y",  "M-x",   "F1",	    "/",
	};
	struct prompt_history h = {0};
	struct prompt p = completing("");
	struct canvas c;
	u64 seed = 3;

	canvas__init(&c, 20, 5, false);
	p.history = &h;
	prompt_history__add(&h, "an old line");
	for (u32 i = 0; i < 20000; i++) {
		struct glyph g;
		u32 at = 0;

		seed = mix64(seed + i);
		press(&p, keys[seed % ARRAY_SIZE(keys)]);
		if (seed >> 32 & 1)
			prompt__error(&p, (u32)(seed >> 40) % 600, 3, "wrong");
		assert_int_equal(strlen(p.text), p.len);
		while (at < p.cursor && utf8__decode(p.text + at, &(u32){0}))
			at += utf8__decode(p.text + at, &(u32){0});
		assert_int_equal(at, p.cursor);
		assert_true(!p.text[at] || text__glyph(p.text + at, &g));
		prompt__draw(&p, &c, canvas__rect(&c));
		assert_in_range(c.cursor_x, 0, c.w - 1);
		assert_in_range(c.cursor_y, 0, c.h - 1);
	}
	canvas__fini(&c);
	prompt_history__fini(&h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(edits_characters_not_bytes),
		cmocka_unit_test(line_keys),
		cmocka_unit_test(ends),
		cmocka_unit_test(a_full_line_takes_no_more),
		cmocka_unit_test(history),
		cmocka_unit_test(history_is_bounded),
		cmocka_unit_test(one_completion_is_taken),
		cmocka_unit_test(several_are_listed_and_walked),
		cmocka_unit_test(a_chosen_one_is_kept),
		cmocka_unit_test(the_list_is_there_at_once),
		cmocka_unit_test(many_completions_are_bounded),
		cmocka_unit_test(the_error_stays_until_the_text_changes),
		cmocka_unit_test(random_keys),
	};

	golden__locale();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
