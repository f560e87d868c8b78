/* SPDX-License-Identifier: GPL-2.0-only */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/arena.h"
#include "tui/keymap.h"
#include "widgets/input.h"

static const char *const in_cpu[] = {"cpu", "global", NULL};
static const char *const in_global[] = {"global", NULL};

static int parse(struct keymap *k, const char *text, struct status *st)
{
	*st = (struct status){0};
	return keymap__parse(k, text, strlen(text), "my.keys", st);
}

static void defaults_are_there(void **state)
{
	struct keymap k;

	keymap__init(&k);
	assert_true(k.n > 40);
	assert_int_equal(keymap__lookup(&k, in_global, 'q'), ACTION_QUIT);
	assert_int_equal(keymap__lookup(&k, in_cpu, 'g'), ACTION_GROUP_NEXT);
	assert_int_equal(keymap__lookup(&k, in_global, 'g'), ACTION_NONE);
	assert_int_equal(keymap__lookup(&k, in_cpu, ' '), ACTION_PAUSE);
	keymap__fini(&k);
}

static void later_rows_win(void **state)
{
	struct keymap k;
	struct status st;
	u32 before;

	keymap__init(&k);
	before = k.n;
	assert_int_equal(parse(&k, "[global]\nq help # mine\r\nZ quit\nZ pause\n", &st), 0);
	assert_int_equal(keymap__lookup(&k, in_cpu, 'q'), ACTION_HELP);
	assert_int_equal(keymap__lookup(&k, in_cpu, 'Z'), ACTION_PAUSE);
	assert_int_equal(k.n, before + 1);
	keymap__fini(&k);
}

static void none_hides_the_outer_section(void **state)
{
	struct keymap k;
	struct status st;

	keymap__init(&k);
	assert_int_equal(parse(&k, "[cpu]\nq none\n", &st), 0);
	assert_int_equal(keymap__lookup(&k, in_cpu, 'q'), ACTION_NONE);
	assert_int_equal(keymap__lookup(&k, in_global, 'q'), ACTION_QUIT);
	assert_int_equal(keymap__key_of(&k, in_cpu, ACTION_QUIT), KEYCODE_CTRL('c'));
	assert_int_equal(keymap__key_of(&k, in_global, ACTION_QUIT), 'q');
	keymap__fini(&k);
}

static void a_shadowed_key_is_no_hint(void **state)
{
	struct keymap k = {0};
	struct status st;

	assert_int_equal(parse(&k, "[global]\na quit\nb quit\n[cpu]\na help\n", &st), 0);
	assert_int_equal(keymap__key_of(&k, in_cpu, ACTION_QUIT), 'b');
	assert_int_equal(keymap__key_of(&k, in_global, ACTION_QUIT), 'a');
	assert_int_equal(keymap__key_of(&k, in_cpu, ACTION_PAUSE), 0);
	keymap__fini(&k);
}

static void brackets_can_be_keys(void **state)
{
	struct keymap k = {0};
	struct status st;

	assert_int_equal(parse(&k, "[global]\n[ up\n] down\nHash quit\n", &st), 0);
	assert_int_equal(keymap__lookup(&k, in_global, '['), ACTION_UP);
	assert_int_equal(keymap__lookup(&k, in_global, '#'), ACTION_QUIT);
	keymap__fini(&k);
}

static void errors_say_where_and_what(void **state)
{
	static const struct {
		const char *text, *msg;
	} cases[] = {
		{"[global]\n\nQQ quit\n", "my.keys:3: unknown key \"QQ\""},
		{"[global]\nq quitt\n", "my.keys:2: unknown action \"quitt\""},
		{"[global]\nq\n", "my.keys:2: no action for key \"q\""},
		{"q quit\n", "my.keys:1: no section before key \"q\""},
		{"[global\nq quit\n", "my.keys:1: wrong section \"[global\""},
		{"[Glo bal]\nq quit\n", "my.keys:1: wrong section \"[Glo\""},
		{"[x\033]\n", "my.keys:1: wrong section \"[x?]\""},
		{"[]\n", "my.keys:1: wrong section \"[]\""},
		{"[abcdefghijklmnopqrstuvwxyz]\n", "my.keys:1: wrong section"},
		{"[global]\nq quit now\n", "my.keys:2: text after the action \"now\""},
		{"[global]\n\033[2J quit\n", "my.keys:2: unknown key \"?[2J\""},
	};
	struct keymap k;
	struct status st;

	keymap__init(&k);
	for (u32 i = 0; i < ARRAY_SIZE(cases); i++) {
		u32 before = k.n;

		assert_int_equal(parse(&k, cases[i].text, &st), -EINVAL);
		assert_int_equal(st.code, EXIT_CODE_USAGE);
		assert_memory_equal(st.msg, cases[i].msg, strlen(cases[i].msg));
		assert_int_equal(k.n, before);
	}
	keymap__fini(&k);
}

static void a_wrong_file_changes_nothing(void **state)
{
	struct keymap k;
	struct status st;

	keymap__init(&k);
	assert_int_equal(parse(&k, "[global]\nq help\nwrong line\n", &st), -EINVAL);
	assert_int_equal(keymap__lookup(&k, in_global, 'q'), ACTION_QUIT);
	keymap__fini(&k);
}

static void sizes_are_bounded(void **state)
{
	size_t len = 70 * 1024;
	char *text = xcalloc(1, len);
	struct keymap k = {0};
	struct status st = {0};
	size_t at;

	memset(text, '\n', len - 1);
	assert_int_equal(keymap__parse(&k, text, len - 1, "big", &st), -EFBIG);
	at = (size_t)snprintf(text, len, "[global]\n");
	for (u32 i = 0; i < 1001; i++) {
		char key[8] = "";

		/* One CJK character each. */
		snprintf(key, sizeof(key), "%c%c%c", 0xe4 + (int)(i / 4096),
			 0x80 | (int)(i / 64 % 64), 0x80 | (int)(i % 64));
		at += (size_t)snprintf(text + at, len - at, "%s quit\n", key);
	}
	assert_int_equal(keymap__parse(&k, text, at, "many", &st), -EINVAL);
	assert_non_null(strstr(st.msg, "many:1002: too many rows"));
	keymap__fini(&k);
	free(text);
}

/* Bytes at random: an answer, whatever they are. */
static void noise_is_harmless(void **state)
{
	static const char *const words[] = {"[global]", "q",	"quit", "\n",	" ",  "#",  "[",
					    "]",	"none", "C-a",	"\xff", "\t", "M-", "\r\n"};
	struct keymap k = {0};
	struct status st;
	u64 seed = 7;

	for (u32 i = 0; i < 5000; i++) {
		char text[256] = "";

		for (u32 n = 0; n < 20; n++) {
			seed = mix64(seed + 1);
			strcat(text, words[seed % ARRAY_SIZE(words)]);
		}
		parse(&k, text, &st);
	}
	keymap__fini(&k);
}

static void files_that_cannot_be_read(void **state)
{
	char fifo[] = "/tmp/proftop-keymap-XXXXXX";
	struct keymap k;
	struct status st;

	keymap__init(&k);
	assert_int_equal(keymap__read(&k, "/nonexistent/keys", &st), -ENOENT);
	assert_non_null(strstr(st.msg, "/nonexistent/keys"));
	assert_int_equal(st.code, EXIT_CODE_USAGE);
	assert_true(keymap__read(&k, "/tmp", &st) < 0);
	assert_non_null(mkdtemp(fifo));
	assert_int_equal(rmdir(fifo), 0);
	assert_int_equal(mkfifo(fifo, 0600), 0);
	assert_true(keymap__read(&k, fifo, &st) < 0);
	unlink(fifo);
	assert_int_equal(keymap__read(&k, "keymaps/default.keys", &st), 0);
	keymap__fini(&k);
}

static void action_names(void **state)
{
	for (u32 a = 1; a < ACTIONS; a++) {
		assert_int_equal(action__by_name(action_table[a].name), a);
		assert_true(action_table[a].help[0]);
	}
	assert_int_equal(action__by_name("no such"), ACTION_NONE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(defaults_are_there),
		cmocka_unit_test(later_rows_win),
		cmocka_unit_test(none_hides_the_outer_section),
		cmocka_unit_test(a_shadowed_key_is_no_hint),
		cmocka_unit_test(brackets_can_be_keys),
		cmocka_unit_test(errors_say_where_and_what),
		cmocka_unit_test(a_wrong_file_changes_nothing),
		cmocka_unit_test(sizes_are_bounded),
		cmocka_unit_test(noise_is_harmless),
		cmocka_unit_test(files_that_cannot_be_read),
		cmocka_unit_test(action_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
