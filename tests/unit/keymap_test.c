/* SPDX-License-Identifier: GPL-2.0-only */
#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/arena.h"
#include "tests/lib/scratch.h"
#include "tui/view.h"
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

/* What a key may do in one section beside what it does in another: the same of what is there. */
static const char *const meanings[][9] = {
	{"group-symbol", "group-stack", "group-device", "group-label-1"}, /* y: the view's own groupings */
	{"group-waker", "group-total", "group-label-2", "tree", "join-flags"},
	{"group-object", "group-reason", "group-container", "group-file", "group-label-3"},
	{"group-state", "group-user", "group-label-4"},
	{"wall", "hot-cold"},
	{"call-order", "leaf-first"},
	{"idle", "all"},
	{"group-next", "heat-part"},
	{"group-comm", "by-comm"},
	{"stage", "ages"},
	{"unfold-all", "source"},
	{"slowest", "slow-io", "explain", "dentries"},
	{"lock-orders", "sample-bytes"}, /* $: how much is seen, at what price */
};

static bool mean_the_same(enum action a, enum action b)
{
	for (u32 i = 0; i < ARRAY_SIZE(meanings); i++) {
		u32 n = 0;

		for (u32 j = 0; j < ARRAY_SIZE(meanings[i]) && meanings[i][j]; j++) {
			assert_int_not_equal(action__by_name(meanings[i][j]), ACTION_NONE);
			n += !strcmp(meanings[i][j], action_table[a].name) || !strcmp(meanings[i][j], action_table[b].name);
		}
		if (n == 2)
			return true;
	}
	return a == b;
}

static void a_key_means_one_thing(void **state)
{
	struct keymap k;

	keymap__init(&k);
	for (u32 i = 0; i < k.n; i++)
		for (u32 j = 0; j < i; j++) {
			const struct binding *a = &k.rows[i], *b = &k.rows[j];

			if (a->key == b->key && a->first == b->first && !mean_the_same(a->action, b->action))
				fail_msg("%s in [%s], %s in [%s]", action_table[a->action].name, a->section,
					 action_table[b->action].name, b->section);
		}
	keymap__fini(&k);
}

static void later_rows_win(void **state)
{
	struct keymap k;
	struct status st;
	u32 before;

	keymap__init(&k);
	before = k.n;
	assert_int_equal(parse(&k, "[global]\nq help # mine\r\nZ quit\n", &st), 0);
	assert_int_equal(keymap__lookup(&k, in_cpu, 'q'), ACTION_HELP);
	assert_int_equal(keymap__lookup(&k, in_cpu, 'Z'), ACTION_QUIT);
	assert_int_equal(parse(&k, "[global]\nZ pause\n", &st), 0);
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

static void two_keys_are_a_row_of_their_own(void **state)
{
	struct keymap k = {0};
	struct status st;
	bool bound;

	assert_int_equal(parse(&k, "[global]\nv view-pick\nv k quit\nk up\nv v help\n[cpu]\nv k none\n",
			       &st), 0);
	assert_int_equal(keymap__lookup(&k, in_global, 'v'), ACTION_VIEW_PICK);
	assert_int_equal(keymap__lookup(&k, in_global, 'k'), ACTION_UP);
	assert_true(keymap__has_after(&k, in_global, 'v'));
	assert_false(keymap__has_after(&k, in_global, 'k'));
	assert_int_equal(keymap__lookup_after(&k, in_global, 'v', 'k', &bound), ACTION_QUIT);
	assert_int_equal(keymap__lookup_after(&k, in_global, 'v', 'q', &bound), ACTION_NONE);
	assert_false(bound);
	assert_int_equal(keymap__lookup_after(&k, in_cpu, 'v', 'k', &bound), ACTION_NONE);
	assert_true(bound);
	/* A hint names one key: that of two is none. */
	assert_int_equal(keymap__key_of(&k, in_global, ACTION_QUIT), 0);
	keymap__fini(&k);
}

static void views_have_keys_of_their_own(void **state)
{
	for (u32 v = 0; v < VIEW_COUNT; v++) {
		u8 key = view_keys[v];

		/* v is the key before letters: twice it is the list. */
		assert_true(key <= 9 || (isalpha(key) && key != 'v'));
		assert_int_equal(view__of_key(key), v);
		assert_int_equal(view__of_action(ACTION_SHOW_FIRST + v), v);
		assert_string_equal(action_table[ACTION_SHOW_FIRST + v].name + strlen("view-"),
				    view_table[v]->name);
	}
	assert_int_equal(view__of_key('v'), VIEW_COUNT);
}

static bool knows(const char *section)
{
	return strcmp(section, "cqu") != 0;
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
		{"[global]\nv k quit now\n", "my.keys:2: text after the action \"now\""},
		{"[global]\nv kk quit\n", "my.keys:2: unknown key \"kk\""},
		{"[global]\nvv k quit\n", "my.keys:2: unknown key \"vv\""},
		{"[global]\nv k up\nv k down\n", "my.keys:3: bound twice, key \"v k\""},
		{"[global]\n\033[2J quit\n", "my.keys:2: unknown key \"?[2J\""},
		{"[global]\nZ quit\n[cpu]\nZ quit\n[global]\n\nZ pause\n",
		 "my.keys:7: bound twice, key \"Z\": [global] has it in line 2 already"},
		{"[global]\nZ inherit\nZ quit\n", "my.keys:3: bound twice, key \"Z\""},
		{"base vim\n", "my.keys:1: unknown base \"vim\": one of default, vi"},
		{"base\n", "my.keys:1: unknown base \"\""},
		{"[cpu]\nbase vi\n", "my.keys:2: too late for base \"vi\""},
		{"base vi\nbase vi\n", "my.keys:2: too late for base"},
		{"base vi emacs\n", "my.keys:1: text after the action \"emacs\""},
		{"[cpu] quit\n", "my.keys:1: text after the section \"quit\""},
		{"# one\n\n[cqu]\n", "my.keys:3: no view or screen \"[cqu]\""},
	};
	struct keymap k;
	struct status st;

	keymap__init(&k);
	k.knows_section = knows;
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
	assert_int_equal(keymap__read(&k, "/nonexistent/keys", false, &st), -ENOENT);
	assert_non_null(strstr(st.msg, "/nonexistent/keys"));
	assert_int_equal(st.code, EXIT_CODE_USAGE);
	assert_true(keymap__read(&k, "/tmp", false, &st) < 0);
	assert_non_null(mkdtemp(fifo));
	assert_int_equal(rmdir(fifo), 0);
	assert_int_equal(mkfifo(fifo, 0600), 0);
	assert_true(keymap__read(&k, fifo, false, &st) < 0);
	unlink(fifo);
	assert_int_equal(keymap__read(&k, "keymaps/default.keys", false, &st), 0);
	keymap__fini(&k);
}

/* What the default has a key for has one in each of the others. */
/* In vi digits are counts, and views are two keys. */
static bool has_two_keys(const struct keymap *k, enum action a)
{
	for (u32 i = 0; i < k->n; i++)
		if (k->rows[i].first && k->rows[i].action == a)
			return true;
	return false;
}

static void no_base_loses_an_action(void **state)
{
	struct keymap all, k = {0};

	keymap__init(&all);
	for (const char *const *name = keymap_names; *name; name++) {
		assert_true(keymap__base(&k, *name));
		if (k.n < all.n)
			fail_msg("%s: %u of %u", *name, k.n, all.n);
		for (u32 i = 0; i < all.n; i++) {
			const char *const sections[] = {all.rows[i].section, "global", NULL};

			if (!keymap__key_of(&k, sections, all.rows[i].action) &&
			    !has_two_keys(&k, all.rows[i].action))
				fail_msg("%s: [%s] has no key for %s", *name, sections[0],
					 action_table[all.rows[i].action].name);
		}
	}
	assert_false(keymap__base(&k, "vim"));
	assert_int_equal(k.n >= all.n, true);
	keymap__fini(&k);
	keymap__fini(&all);
}

static void a_file_builds_on_a_base(void **state)
{
	struct keymap k;
	struct status st;

	keymap__init(&k);
	assert_int_equal(keymap__lookup(&k, in_cpu, 'G'), ACTION_GROUP_CGROUP);
	assert_int_equal(parse(&k, "# mine\nbase vi\n[cpu]\nQ window\n", &st), 0);
	assert_int_equal(keymap__lookup(&k, in_cpu, 'G'), ACTION_END);
	assert_int_equal(keymap__lookup(&k, in_cpu, 'Q'), ACTION_WINDOW);
	assert_int_equal(parse(&k, "base none\n[global]\nQ quit\n", &st), 0);
	assert_int_equal(k.n, 1);
	k.base_named = true;
	assert_int_equal(parse(&k, "base emacs\n[global]\nq quit\n", &st), 0);
	assert_int_equal(k.n, 2);
	assert_int_equal(parse(&k, "base emac\n", &st), -EINVAL);
	keymap__fini(&k);
}

static void inherit_lets_the_outer_section_through(void **state)
{
	struct keymap k = {0};
	struct status st;

	assert_int_equal(parse(&k, "[global]\na quit\n[cpu]\na help\n", &st), 0);
	assert_int_equal(parse(&k, "[cpu]\na inherit\nb inherit\n", &st), 0);
	assert_int_equal(keymap__lookup(&k, in_cpu, 'a'), ACTION_QUIT);
	assert_int_equal(keymap__lookup(&k, in_cpu, 'b'), ACTION_NONE);
	assert_int_equal(keymap__key_of(&k, in_cpu, ACTION_HELP), 0);
	keymap__fini(&k);
}

/* The named one, own keys over it, then a file; own keys' base gives way to a name. */
static void own_keys_lie_between(void **state)
{
	struct keymap k = {0};
	struct status st = {0};

	setenv("XDG_CONFIG_HOME", scratch_dir, 1);
	run("mkdir -p proftop && printf 'base vi\n[global]\nQ quit\n' >proftop/keys && "
		     "printf '[global]\nQ pause\n' >proftop/some.keys");
	assert_int_equal(keymap__choose(&k, NULL, true, &st), 0);
	assert_int_equal(keymap__lookup(&k, in_cpu, 'G'), ACTION_END);
	assert_int_equal(keymap__lookup(&k, in_cpu, 'Q'), ACTION_QUIT);
	assert_int_equal(keymap__choose(&k, "emacs", true, &st), 0);
	assert_int_equal(keymap__lookup(&k, in_cpu, KEYCODE_CTRL('n')), ACTION_DOWN);
	assert_int_equal(keymap__lookup(&k, in_cpu, 'G'), ACTION_GROUP_CGROUP);
	assert_int_equal(keymap__lookup(&k, in_cpu, 'Q'), ACTION_QUIT);
	assert_int_equal(keymap__choose(&k, "some", true, &st), 0);
	assert_int_equal(keymap__lookup(&k, in_cpu, 'Q'), ACTION_PAUSE);
	assert_int_equal(keymap__lookup(&k, in_cpu, 'G'), ACTION_END);
	assert_int_equal(keymap__choose(&k, "vi", false, &st), 0);
	assert_int_equal(keymap__lookup(&k, in_cpu, 'Q'), ACTION_NONE);
	assert_int_equal(keymap__choose(&k, "some", false, &st), -ENOENT);
	assert_memory_equal(st.msg, "no keymap \"some\": default, vi", 29);
	assert_int_equal(k.n, 0);
	unsetenv("XDG_CONFIG_HOME");
}

/* Found by ourselves: nobody else may have written it. */
static void strangers_files_are_refused(void **state)
{
	struct keymap k = {0};
	struct status st = {0};

	setenv("XDG_CONFIG_HOME", scratch_dir, 1);
	run("mkdir -p proftop && printf '[global]\nQ quit\n' >proftop/keys && "
		     "chmod 666 proftop/keys");
	assert_int_equal(keymap__choose(&k, NULL, true, &st), -EPERM);
	assert_non_null(strstr(st.msg, "everybody may write to it"));
	assert_int_equal(st.code, EXIT_CODE_USAGE);
	if (!geteuid()) {
		run("chmod 644 proftop/keys && chown 65534 proftop/keys");
		assert_int_equal(keymap__choose(&k, NULL, true, &st), -EPERM);
		assert_non_null(strstr(st.msg, "neither yours nor root's"));
		setenv("SUDO_UID", "65534", 1);
		assert_int_equal(keymap__choose(&k, NULL, true, &st), 0);
		setenv("SUDO_UID", "65534x", 1);
		assert_int_equal(keymap__choose(&k, NULL, true, &st), -EPERM);
		unsetenv("SUDO_UID");
	}
	keymap__fini(&k);
	unsetenv("XDG_CONFIG_HOME");
}

static void action_names(void **state)
{
	for (u32 a = 1; a < ACTIONS; a++) {
		assert_int_equal(action__by_name(action_table[a].name), a);
		assert_true(action_table[a].help[0]);
	}
	assert_int_equal(action__by_name("no such"), ACTION_NONE);
}

static int make_scratch(void **state)
{
	return scratch__make("proftop-keymap");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(defaults_are_there),
		cmocka_unit_test(a_key_means_one_thing),
		cmocka_unit_test(later_rows_win),
		cmocka_unit_test(none_hides_the_outer_section),
		cmocka_unit_test(a_shadowed_key_is_no_hint),
		cmocka_unit_test(brackets_can_be_keys),
		cmocka_unit_test(two_keys_are_a_row_of_their_own),
		cmocka_unit_test(views_have_keys_of_their_own),
		cmocka_unit_test(errors_say_where_and_what),
		cmocka_unit_test(a_wrong_file_changes_nothing),
		cmocka_unit_test(sizes_are_bounded),
		cmocka_unit_test(noise_is_harmless),
		cmocka_unit_test(files_that_cannot_be_read),
		cmocka_unit_test(no_base_loses_an_action),
		cmocka_unit_test(a_file_builds_on_a_base),
		cmocka_unit_test(inherit_lets_the_outer_section_through),
		cmocka_unit_test(own_keys_lie_between),
		cmocka_unit_test(strangers_files_are_refused),
		cmocka_unit_test(action_names),
	};

	return cmocka_run_group_tests(tests, make_scratch, scratch__remove);
}
