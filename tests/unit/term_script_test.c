/* SPDX-License-Identifier: GPL-2.0-only */
#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <unistd.h>

#include <cmocka.h>

#include "tui/term.h"

/* What failed commands say goes to a file instead of stderr. */
struct fixture {
	char script[64], err[64], saved[64];
	int stderr_fd;
	struct term *t;
};

static int setup(void **state)
{
	static struct fixture f;
	const char *tmp = getenv("TMPDIR");
	int fd;

	f = (struct fixture){0};
	snprintf(f.script, sizeof(f.script), "%.40s/script-XXXXXX", tmp ? tmp : "/tmp");
	snprintf(f.err, sizeof(f.err), "%.40s/err-XXXXXX", tmp ? tmp : "/tmp");
	snprintf(f.saved, sizeof(f.saved), "%.40s/save-XXXXXX", tmp ? tmp : "/tmp");
	close(mkstemp(f.script));
	close(mkstemp(f.saved));
	fd = mkstemp(f.err);
	fflush(stderr);
	f.stderr_fd = dup(STDERR_FILENO);
	dup2(fd, STDERR_FILENO);
	close(fd);
	*state = &f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	fflush(stderr);
	dup2(f->stderr_fd, STDERR_FILENO);
	close(f->stderr_fd);
	if (f->t)
		term_script.close(f->t);
	unlink(f->script);
	unlink(f->saved);
	unlink(f->err);
	return 0;
}

static void read_text(const char *path, char *buf, size_t size)
{
	FILE *f = fopen(path, "re");
	size_t n;

	assert_non_null(f);
	n = fread(buf, 1, size - 1, f);
	buf[n] = '\0';
	fclose(f);
}

static void begin(struct fixture *f, const char *text)
{
	struct term_options o = {.script = f->script, .w = 30, .h = 4};
	FILE *out = fopen(f->script, "we");
	struct status st = {0};

	assert_non_null(out);
	fputs(text, out);
	fclose(out);
	f->t = term_script.open(&o, &st);
	assert_non_null(f->t);
}

static bool readable(struct fixture *f)
{
	struct pollfd p = {.fd = term_script.fd(f->t), .events = POLLIN};

	return poll(&p, 1, 0) == 1;
}

/* The next event but SETTLE, as a loop sees them that has nothing to do in between. */
static struct input next(struct fixture *f)
{
	struct input in;

	do {
		term_script.idle(f->t);
		assert_true(readable(f));
		in = term_script.input(f->t);
	} while (in.type == INPUT_SETTLE);
	return in;
}

static void show(struct fixture *f, const char *text)
{
	struct canvas c;

	canvas__init(&c, 30, 4, false);
	draw__text(&c, 0, 1, 30, ROLE_TEXT, text);
	term_script.present(f->t, &c);
	canvas__fini(&c);
}

static void expect_end(struct fixture *f, int code)
{
	struct input in = next(f);

	assert_int_equal(in.type, INPUT_END);
	assert_int_equal(in.code, code);
}

static void expect_key(struct fixture *f, int key)
{
	struct input in = next(f);

	assert_int_equal(in.type, INPUT_KEY);
	assert_int_equal(in.key, key);
}

static void events_in_order(void **state)
{
	struct fixture *f = *state;
	struct input in;
	int w, h;

	begin(f, "# a comment\n\n  key Down C-a\r\ntype né\nclick 3 4\ndouble 5 6\nwheel up\n"
		 "resize 100 40\ntick 2\nquit\nkey x\n");
	expect_key(f, KEYCODE_DOWN);
	expect_key(f, 1);
	expect_key(f, 'n');
	expect_key(f, 0xe9);
	in = next(f);
	assert_true(in.type == INPUT_MOUSE && in.mouse == MOUSE_CLICK && in.x == 3 && in.y == 4);
	in = next(f);
	assert_true(in.type == INPUT_MOUSE && in.mouse == MOUSE_DOUBLE && in.x == 5 && in.y == 6);
	in = next(f);
	assert_true(in.type == INPUT_MOUSE && in.mouse == MOUSE_WHEEL_UP);
	term_script.size(f->t, &w, &h);
	assert_int_equal(w, 30);
	assert_int_equal(next(f).type, INPUT_RESIZE);
	term_script.size(f->t, &w, &h);
	assert_true(w == 100 && h == 40);
	assert_int_equal(next(f).type, INPUT_TICK);
	assert_int_equal(next(f).type, INPUT_TICK);
	expect_end(f, 0);
	expect_end(f, 0);
}

/* Nothing comes before the loop was idle, and settling comes before each command. */
static void waits_for_the_loop(void **state)
{
	struct fixture *f = *state;

	begin(f, "key a b\n");
	assert_false(readable(f));
	assert_int_equal(term_script.input(f->t).type, INPUT_NONE);
	term_script.idle(f->t);
	term_script.idle(f->t);
	assert_true(readable(f));
	assert_int_equal(term_script.input(f->t).type, INPUT_SETTLE);
	assert_false(readable(f));
	assert_int_equal(term_script.input(f->t).type, INPUT_NONE);
	term_script.idle(f->t);
	assert_int_equal(term_script.input(f->t).type, INPUT_KEY);
	assert_int_equal(term_script.input(f->t).type, INPUT_NONE);
	assert_false(readable(f));
	term_script.idle(f->t);
	assert_int_equal(term_script.input(f->t).type, INPUT_SETTLE);
}

static void looks_at_the_screen(void **state)
{
	struct fixture *f = *state;
	char text[512];

	begin(f, "expect compress\nreject secret\nwait compress_block\nexpect nothing like it\n");
	show(f, "  compress_block 41.2");
	expect_end(f, 1);
	fflush(stderr);
	read_text(f->err, text, sizeof(text));
	assert_non_null(strstr(text, ":4: expected on the screen: nothing like it\n"));
	assert_non_null(strstr(text, "  compress_block 41.2\n"));
}

static void complains_harmlessly(void **state)
{
	struct fixture *f = *state;
	char text[512];

	begin(f, "expect \033[2Jcleared\n");
	expect_end(f, 1);
	fflush(stderr);
	read_text(f->err, text, sizeof(text));
	assert_non_null(strstr(text, ":1: expected on the screen: ?[2Jcleared\n"));
	assert_null(strchr(text, '\033'));
}

static void rejects(void **state)
{
	struct fixture *f = *state;

	begin(f, "reject secret\n");
	show(f, "the secret");
	expect_end(f, 1);
}

static void waits_for_the_screen(void **state)
{
	struct fixture *f = *state;

	begin(f, "wait ready\nkey x\n");
	term_script.idle(f->t);
	assert_int_equal(term_script.input(f->t).type, INPUT_SETTLE);
	term_script.idle(f->t);
	assert_int_equal(term_script.input(f->t).type, INPUT_NONE);
	term_script.idle(f->t);
	assert_false(readable(f));
	show(f, "not yet");
	assert_false(readable(f));
	show(f, "it is ready now");
	assert_true(readable(f));
	expect_key(f, 'x');
}

static void saves(void **state)
{
	struct fixture *f = *state;
	char text[512], script[128];

	snprintf(script, sizeof(script), "save %s\nsave /nonexistent/x\n", f->saved);
	begin(f, script);
	show(f, "hello");
	expect_end(f, 1);
	read_text(f->saved, text, sizeof(text));
	assert_string_equal(text, "\nhello\n\n\n");
}

static void wrong_lines(void **state)
{
	static const char *const lines[] = {
		"frobnicate", "key",	"key NoSuch", "wheel sideways", "click 1",
		"resize 0 5", "tick 0", "tick x",     "expect",		"resize 9999999 1"};
	struct fixture *f = *state;

	for (u32 i = 0; i < ARRAY_SIZE(lines); i++) {
		begin(f, lines[i]);
		show(f, "x");
		expect_end(f, 1);
		term_script.close(f->t);
		f->t = NULL;
	}
}

static void no_script(void **state)
{
	struct term_options o = {.script = "/nonexistent/script"};
	struct status st = {0};

	assert_null(term_script.open(&o, &st));
	assert_int_equal(st.code, EXIT_CODE_USAGE);
	assert_non_null(strstr(st.msg, "/nonexistent/script"));
}

#define TEST(t) cmocka_unit_test_setup_teardown(t, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(events_in_order),
		TEST(waits_for_the_loop),
		TEST(looks_at_the_screen),
		TEST(complains_harmlessly),
		TEST(rejects),
		TEST(waits_for_the_screen),
		TEST(saves),
		TEST(wrong_lines),
		TEST(no_script),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
