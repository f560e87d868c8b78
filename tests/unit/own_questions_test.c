// SPDX-License-Identifier: GPL-2.0-only
/* Questions of one's own: what their files say, which are refused, how they are kept. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "questions/library.h"
#include "tests/lib/scratch.h"
#include "tui/own_questions.h"

static struct status status;

static void expect_file(const char *text, size_t len, const char *help, const char *question)
{
	struct own_question q;

	status = (struct status){0};
	if (!question) {
		assert_int_equal(own_question__parse("q", text, len, &q, &status), -EINVAL);
		assert_null(q.text);
		assert_non_null(strstr(status.msg, help));
		return;
	}
	assert_int_equal(own_question__parse("q", text, len, &q, &status), 0);
	assert_string_equal(q.help, help);
	assert_string_equal(q.text, question);
	free(q.text);
}

#define EXPECT(text, help, question) expect_file(text, sizeof(text) - 1, help, question)

static void comments_and_lines(void **state)
{
	EXPECT("count a:b", "", "count a:b");
	EXPECT("# who\n# more\ncount a:b\n", "who", "count a:b");
	EXPECT("\n  ## \n #help \r\n count\ta:b \r\n\n\tby comm\n#end", "help", "count\ta:b by comm");
	EXPECT("count mem:0x10#x", "", "count mem:0x10#x");
	EXPECT("", "no question", NULL);
	EXPECT("# only a comment\n\n", "no question", NULL);
	EXPECT("count a:b\0", "no text", NULL);
	EXPECT("count \033[2Ja:b", "no text", NULL);
	EXPECT("count a:b \x7f", "no text", NULL);
	EXPECT("count a:b\rby comm", "no text", NULL);
	EXPECT("count a:b\r", "", "count a:b");
}

static void long_help_is_cut(void **state)
{
	char text[600], help[120];

	memset(text, 'h', sizeof(text));
	memcpy(text, "# ", 2);
	memcpy(text + 400, "\ncount a:b", 10);
	memset(help, 'h', sizeof(help) - 1);
	help[sizeof(help) - 1] = '\0';
	expect_file(text, 410, help, "count a:b");
}

static void names(void **state)
{
	static const char *const wrong[] = {"", ".", "..", ".hidden", "../x", "a/b", "a b", "-x", "a\n",
					    "save", "delete", "count", "burst", "x\033", "a~", "\xc3\xa4",
					    "a23456789012345678901234567890123456789012345678"};

	for (u32 i = 0; i < ARRAY_SIZE(wrong); i++)
		assert_false(own_question__is_name(wrong[i]));
	assert_true(own_question__is_name("a"));
	assert_true(own_question__is_name("My_question-2.x"));
	assert_true(own_question__is_name("a2345678901234567890123456789012345678901234567"));
}

static int save(const char *name, const char *help, char *text, bool replace)
{
	struct own_question q = {.text = text};

	copy_str(q.name, sizeof(q.name), name);
	copy_str(q.help, sizeof(q.help), help);
	status = (struct status){0};
	return own_question__save(&q, replace, &status);
}

static void expect_own(const char *name, const char *help, const char *text)
{
	struct own_question q;

	assert_int_equal(own_question__read(name, &q, &status), 0);
	assert_string_equal(q.name, name);
	assert_string_equal(q.help, help);
	assert_string_equal(q.text, text);
	free(q.text);
}

static void kept_and_deleted(void **state)
{
	char found[OWN_QUESTIONS_MAX][OWN_QUESTION_NAME_MAX];
	struct own_question q;
	char path[200];
	struct stat sb;

	run("rm -rf proftop");
	assert_int_equal(own_questions__list(found), 0);
	assert_int_equal(own_question__read("mine", &q, &status), -ENOENT);
	assert_int_equal(save("mine", "what it says", "count a:b", false), 0);
	assert_int_equal(save("other", "", "count c:d", false), 0);
	expect_own("mine", "what it says", "count a:b");
	expect_own("other", "", "count c:d");
	snprintf(path, sizeof(path), "%s/proftop/questions/mine", scratch_dir);
	assert_int_equal(stat(path, &sb), 0);
	assert_int_equal(sb.st_mode & 0777, 0600);
	assert_int_equal(save("mine", "", "count x:y", false), -EEXIST);
	assert_non_null(strstr(status.msg, "save !mine"));
	expect_own("mine", "what it says", "count a:b");
	assert_int_equal(save("mine", "", "count x:y", true), 0);
	expect_own("mine", "", "count x:y");
	run("touch proftop/questions/.new 'proftop/questions/a b' proftop/questions/a~");
	assert_int_equal(own_questions__list(found), 2);
	assert_string_equal(found[0], "mine");
	assert_string_equal(found[1], "other");
	assert_int_equal(own_question__delete("mine", &status), 0);
	assert_int_equal(own_question__delete("mine", &status), -ENOENT);
	assert_int_equal(own_question__delete("../config", &status), -EINVAL);
	assert_int_equal(own_questions__list(found), 1);
}

/* What is compiled in is asked; the file of that name is not, and is not written. */
static void names_that_are_taken(void **state)
{
	run("rm -rf proftop && mkdir -p proftop/questions");
	assert_int_equal(save("execsnoop", "", "count a:b", true), -EINVAL);
	assert_non_null(strstr(status.msg, "compiled in"));
	assert_false(own_question__is_shadowed("execsnoop"));
	run("echo 'count a:b' >proftop/questions/execsnoop");
	assert_true(own_question__is_shadowed("execsnoop"));
	run("echo 'count a:b' >proftop/questions/mine");
	assert_false(own_question__is_shadowed("mine"));
}

static void expect_unread(const char *why)
{
	struct own_question q;
	int err;

	status = (struct status){0};
	err = own_question__read("x", &q, &status);
	assert_true(err < 0 && err != -ENOENT);
	assert_null(q.text);
	if (!strstr(status.msg, why))
		fail_msg("%s", status.msg);
}

static void hostile_files(void **state)
{
	run("rm -rf proftop && mkdir -p proftop/questions/x");
	expect_unread("not a regular file");
	run("rmdir proftop/questions/x && mkfifo proftop/questions/x");
	expect_unread("not a regular file");
	run("rm proftop/questions/x && ln -s /nonexistent proftop/questions/x");
	expect_unread("cannot read");
	run("rm proftop/questions/x && echo 'count a:b' >proftop/questions/x && "
	    "chmod 602 proftop/questions/x");
	expect_unread("everybody may write");
	run("chmod 600 proftop/questions/x && head -c 70000 /dev/zero | tr '\\0' c >proftop/questions/x");
	expect_unread("larger than 64 KiB");
	run("head -c 65536 /dev/urandom >proftop/questions/x");
	expect_unread("no text");
}

static void nothing_is_written_through_links(void **state)
{
	run("rm -rf proftop real && mkdir -p real proftop && ln -s ../real proftop/questions");
	assert_true(save("mine", "", "count a:b", true) < 0);
	run("test -z \"$(ls real)\"");
	run("rm proftop/questions && mkdir proftop/questions && echo precious >target && "
	    "ln -s ../../target proftop/questions/mine");
	assert_int_equal(save("mine", "", "count a:b", false), -EEXIST);
	assert_int_equal(save("mine", "", "count a:b", true), 0);
	run("grep -q precious target && test ! -L proftop/questions/mine");
	run("chmod 777 proftop/questions");
	assert_true(save("again", "", "count a:b", true) < 0);
	assert_non_null(strstr(status.msg, "not yours alone"));
}

static int begin(void **state)
{
	int err = scratch__make("proftop-questions");

	setenv("XDG_CONFIG_HOME", scratch_dir, 1);
	return err;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(comments_and_lines),
		cmocka_unit_test(long_help_is_cut),
		cmocka_unit_test(names),
		cmocka_unit_test(kept_and_deleted),
		cmocka_unit_test(names_that_are_taken),
		cmocka_unit_test(hostile_files),
		cmocka_unit_test(nothing_is_written_through_links),
	};

	return cmocka_run_group_tests(tests, begin, scratch__remove);
}
