/* SPDX-License-Identifier: GPL-2.0-only */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "tests/lib/scratch.h"
#include "tui/theme.h"

#define DIRECT (1 << 24)

static int parse(struct theme *t, const char *text, struct status *st)
{
	*st = (struct status){0};
	return theme__parse(t, text, strlen(text), "my.theme", st);
}

static struct theme parsed(const char *text)
{
	struct theme t;
	struct status st;

	assert_true(theme__base(&t, "none"));
	if (parse(&t, text, &st))
		fail_msg("%s", st.msg);
	return t;
}

static void assert_look(const struct theme *t, enum role role, bool selected, int colors, s32 fg,
			s32 bg, u8 attrs)
{
	struct look look = theme__look(t, role, selected, colors);

	assert_int_equal(look.fg, fg);
	assert_int_equal(look.bg, bg);
	assert_int_equal(look.attrs, attrs);
}

static void assert_same(const struct theme *a, const struct theme *b)
{
	for (u32 role = 0; role < ROLES; role++)
		for (int colors = 8; colors <= 256; colors += 248) {
			struct look look = theme__look(b, role, false, colors);

			assert_look(a, role, false, colors, look.fg, look.bg, look.attrs);
		}
}

static void looks_by_number_of_colours(void **state)
{
	struct theme t = parsed("bad 196 on #102030 bold underline | bright-red on blue\n"
				"text own # nothing\ndim 244 dim\nok #00ff00\nwarn 8\n");

	assert_look(&t, ROLE_BAD, false, 256, 196, 234, LOOK_BOLD | LOOK_UNDERLINE);
	assert_look(&t, ROLE_BAD, false, DIRECT, 0xff0000, 0x102030, LOOK_BOLD | LOOK_UNDERLINE);
	assert_look(&t, ROLE_BAD, false, 16, 9, 4, 0);
	assert_look(&t, ROLE_BAD, false, 8, 1, 4, LOOK_BOLD);
	assert_look(&t, ROLE_TEXT, false, DIRECT, -1, -1, 0);
	/* What nobody gave for few colours. */
	assert_look(&t, ROLE_OK, false, 8, 2, -1, 0);
	assert_look(&t, ROLE_OK, false, 256, 46, -1, 0);
	assert_look(&t, ROLE_DIM, false, DIRECT, 0x808080, -1, LOOK_DIM);
	assert_look(&t, ROLE_WARN, false, 256, 8, -1, 0);
	assert_look(&t, ROLE_WARN, false, 8, -1, -1, 0);
}

static void the_selected_line_keeps_what_stands_out(void **state)
{
	struct theme t = parsed("selected 231 on 25\nbad 196 bold reverse\n");

	assert_look(&t, ROLE_BAD, true, 256, 231, 25, LOOK_BOLD);
	assert_look(&t, ROLE_TEXT, true, 256, 231, 25, 0);
}

/* Derived looks never write in the ground's colour. */
static void few_colours_stay_legible(void **state)
{
	for (u32 c = 0; c < 256; c++) {
		char text[64];
		struct theme t;
		struct look look;

		snprintf(text, sizeof(text), "ok %u on 240\nbad %u\n", c, c);
		t = parsed(text);
		look = theme__look(&t, ROLE_OK, false, 8);
		assert_int_not_equal(look.fg, look.bg);
		look = theme__look(&t, ROLE_BAD, false, 8);
		assert_true(look.fg != 0 && look.fg != 7);
	}
}

static double part(u32 rgb, u32 shift)
{
	double x = (rgb >> shift & 0xff) / 255.0;

	return x <= 0.03928 ? x / 12.92 : __builtin_pow((x + 0.055) / 1.055, 2.4);
}

/* WCAG 2.1: relative luminance, and the contrast of two. */
static double luminance(s32 rgb)
{
	return 0.2126 * part((u32)rgb, 16) + 0.7152 * part((u32)rgb, 8) +
	       0.0722 * part((u32)rgb, 0);
}

static double contrast(s32 a, s32 b)
{
	double x = luminance(a), y = luminance(b);

	return (MAX(x, y) + 0.05) / (MIN(x, y) + 0.05);
}

/* Lines between things need less; numbers below 8 are the terminal's own. */
static void assert_legible(const char *name, const struct theme *t, s32 own_fg, s32 own_bg)
{
	for (u32 role = 0; role < ROLES; role++)
		for (int selected = 0; selected < 2; selected++) {
			struct look look = theme__look(t, role, selected, DIRECT);
			s32 fg = look.fg < 0 ? own_fg : look.fg,
			    bg = look.bg < 0 ? own_bg : look.bg;

			if (contrast(fg, bg) < (role == ROLE_BORDER ? 1.8 : 3.0))
				fail_msg("%s: role %s%s: %06x on %06x", name, role_names[role],
					 selected ? " selected" : "", fg, bg);
		}
}

static void compiled_in_themes_are_legible(void **state)
{
	static const struct {
		const char *name;
		bool dark, light;
	} themes[] = {{"default", true, true},
		      {"dark", true, false},
		      {"light", false, true},
		      {"safe", true, true}};
	struct theme t;

	for (u32 i = 0; i < ARRAY_SIZE(themes); i++) {
		assert_true(theme__base(&t, themes[i].name));
		if (themes[i].dark)
			assert_legible(themes[i].name, &t, 0xe5e5e5, 0x000000);
		if (themes[i].light)
			assert_legible(themes[i].name, &t, 0x101010, 0xffffff);
		assert_true(theme__has_grounds(&t, 256));
		assert_false(theme__has_grounds(&t, 8));
	}
	assert_true(theme__base(&t, "mono"));
	assert_false(theme__has_grounds(&t, 256));
	for (u32 role = 0; role < ROLES; role++)
		assert_true(theme__look(&t, role, true, 256).fg == -1 &&
			    theme__look(&t, role, true, 256).bg == -1);
}

static void gradients_go_from_the_first_to_the_last_colour(void **state)
{
	struct theme t = parsed("gradient load #000040 #900040 | green red\n"
				"gradient heat #000000 #ffffff\ngradient in 9\n");
	u32 greens = 0;

	for (u32 i = 0; i < GRADES; i++) {
		/* 0x90 is 144: 16 for each step. */
		assert_look(&t, ROLE_LOAD + i, false, DIRECT, (s32)(i * 16) << 16 | 0x40, -1, 0);
		assert_look(&t, ROLE_LOAD + i, false, 8, i < GRADES / 2 ? 2 : 1, -1, 0);
		assert_look(&t, ROLE_IN + i, false, DIRECT, 0xff0000, -1, 0);
		greens += theme__look(&t, ROLE_LOAD + i, false, 16).fg == 2;
	}
	assert_int_equal(greens, GRADES / 2);
	/* On a ground, black or white that is read on it. */
	assert_look(&t, ROLE_HEAT_1 + 7, false, DIRECT, 8, 0xffffff, 0);
	assert_int_equal(theme__look(&t, ROLE_HEAT_1 + 1, false, DIRECT).bg, 0x242424);
	assert_int_equal(theme__look(&t, ROLE_HEAT_1 + 1, false, DIRECT).fg, 0xffffff);
	/* The nearest of 256. */
	assert_look(&t, ROLE_HEAT_1 + 7, false, 256, 16, 231, 0);
}

/* The first theme says how each role looks, so that the others need not. */
static void every_role_is_in_the_file(void **state)
{
	char *text = xcalloc(1, 65536), word[40];
	FILE *f = fopen("themes/default.theme", "r");

	assert_non_null(f);
	assert_true(fread(text, 1, 65535, f) > 0);
	fclose(f);
	for (u32 role = 0; role < ROLES; role++) {
		size_t letters = strcspn(role_names[role], "0123456789");
		bool there;

		snprintf(word, sizeof(word), "\n%s ", role_names[role]);
		there = strstr(text, word) != NULL;
		snprintf(word, sizeof(word), "\ngradient %.*s ", (int)letters, role_names[role]);
		if (!there && !strstr(text, word))
			fail_msg("no role %s", role_names[role]);
	}
	free(text);
}

static void errors_say_where_and_what(void **state)
{
	static const struct {
		const char *text, *msg;
	} cases[] = {
		{"\npink red\n", "my.theme:2: unknown role \"pink\""},
		{"text\n", "my.theme:1: unknown colour \"\": own, a name"},
		{"text 256\n", "my.theme:1: unknown colour \"256\""},
		{"text #12345\n", "my.theme:1: unknown colour \"\""},
		{"text #1234567\n", "my.theme:1: unknown colour \"\""},
		{"text bright-pink\n", "my.theme:1: unknown colour \"bright-pink\""},
		{"text red on\n", "my.theme:1: unknown colour \"\""},
		{"text red blinking\n", "my.theme:1: unknown attribute \"blinking\""},
		{"text red on blue on red\n", "my.theme:1: unknown attribute \"on\""},
		{"text red | 16\n", "my.theme:1: too many colours \"16\""},
		{"text red | #102030\n", "my.theme:1: too many colours \"#102030\""},
		{"text red | red | red\n", "my.theme:1: one too many \"|\""},
		{"text red |\n", "my.theme:1: unknown colour \"\""},
		{"text red\n\ntext blue\n", "my.theme:3: there twice, role \"text\""},
		{"base neon\n", "my.theme:1: unknown base \"neon\": one of default, dark"},
		{"base dark light\n", "my.theme:1: text after the base \"light\""},
		{"text red\nbase dark\n", "my.theme:2: too late for base \"dark\""},
		{"gradient tea red\n", "my.theme:1: unknown gradient \"tea\": load, in, out, heat"},
		{"gradient load\n", "my.theme:1: no colour \"\": gradient NAME"},
		{"gradient load own red\n", "my.theme:1: unknown colour \"own\""},
		{"gradient in red | #102030\n", "my.theme:1: too many colours \"#102030\""},
		{"gradient in 1 2 3 4 5 6 7\n", "my.theme:1: one too many \"7\""},
		{"heat3 red\ngradient heat red blue\n", "my.theme:2: there twice, gradient"},
		{"gradient out red\nout10 blue\n", "my.theme:2: there twice, role \"out10\""},
		{"\033[2J red\n", "my.theme:1: unknown role \"?[2J\""},
	};
	struct theme t, before;
	struct status st;

	theme__base(&t, "default");
	before = t;
	for (u32 i = 0; i < ARRAY_SIZE(cases); i++) {
		assert_int_equal(parse(&t, cases[i].text, &st), -EINVAL);
		assert_int_equal(st.code, EXIT_CODE_USAGE);
		if (strncmp(st.msg, cases[i].msg, strlen(cases[i].msg)))
			fail_msg("%s", st.msg);
		assert_same(&t, &before);
	}
}

static void names_own_files_and_files(void **state)
{
	struct theme t, dark;
	struct status st = {0};

	setenv("XDG_CONFIG_HOME", scratch_dir, 1);
	run("mkdir -p proftop && printf 'base dark\ntext 33\n' >proftop/mine.theme && "
	    "printf 'text 34\n' >file && printf 'text 35\n' >proftop/dark.theme");
	theme__base(&dark, "dark");
	assert_int_equal(theme__choose(&t, "dark", true, &st), 0);
	assert_same(&t, &dark);
	assert_int_equal(theme__choose(&t, "mine", true, &st), 0);
	assert_look(&t, ROLE_TEXT, false, 256, 33, -1, 0);
	assert_int_equal(theme__look(&t, ROLE_DIM, false, 256).fg,
			 theme__look(&dark, ROLE_DIM, false, 256).fg);
	assert_int_equal(theme__choose(&t, "mine", false, &st), -ENOENT);
	assert_memory_equal(st.msg, "no theme \"mine\": default, dark", 30);
	setenv("NO_COLOR", "1", 1);
	assert_int_equal(theme__choose(&t, NULL, true, &st), 0);
	assert_look(&t, ROLE_BAD, false, 256, -1, -1, LOOK_BOLD | LOOK_UNDERLINE);
	assert_int_equal(theme__choose(&t, "dark", true, &st), 0);
	assert_same(&t, &dark);
	unsetenv("NO_COLOR");
	unsetenv("XDG_CONFIG_HOME");
}

static int make_scratch(void **state)
{
	return scratch__make("proftop-theme");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(looks_by_number_of_colours),
		cmocka_unit_test(the_selected_line_keeps_what_stands_out),
		cmocka_unit_test(few_colours_stay_legible),
		cmocka_unit_test(compiled_in_themes_are_legible),
		cmocka_unit_test(every_role_is_in_the_file),
		cmocka_unit_test(gradients_go_from_the_first_to_the_last_colour),
		cmocka_unit_test(errors_say_where_and_what),
		cmocka_unit_test(names_own_files_and_files),
	};

	return cmocka_run_group_tests(tests, make_scratch, scratch__remove);
}
