/* SPDX-License-Identifier: GPL-2.0-only */
/* What the curses terminal writes, its size, and in which state it leaves the terminal. */
#include "tests/unit/term_session.h"

static void close_restores(void **state)
{
	struct session s;

	begin(&s, "xterm-256color");
	draw(&s, 'h');
	assert_non_null(strstr(s.out, "line 7"));
	stop(&s);
	check_restored(&s);
	end(&s);
}

static void a_crash_restores(void **state)
{
	struct session s;
	char what = 'x';
	int status;

	begin(&s, "xterm-256color");
	draw(&s, 'h');
	s.len = 0;
	assert_int_equal(write(s.steps, &what, 1), 1);
	status = wait_state(&s);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV);
	check_restored(&s);
	end(&s);
}

static void only_changes_are_written(void **state)
{
	struct session s;

	begin(&s, "xterm-256color");
	draw(&s, 'h');
	assert_true(s.len > 60);
	draw(&s, 'h');
	assert_int_equal(s.len, 0);
	draw(&s, 'c');
	assert_non_null(strchr(s.out, 'Z'));
	assert_null(strstr(s.out, "line"));
	assert_in_range(s.len, 1, 60);
	draw(&s, 'p');
	assert_int_equal(s.len, 0);
	draw(&s, 'r');
	assert_non_null(strstr(s.out, "line 9"));
	stop(&s);
	end(&s);
}

static void wide_and_combining_characters(void **state)
{
	struct session s;

	begin(&s, "xterm-256color");
	draw(&s, 'w');
	assert_non_null(strstr(s.out, "日本"));
	assert_non_null(strstr(s.out, "e\u0301"));
	draw(&s, 'h');
	assert_non_null(strstr(s.out, "line 4"));
	stop(&s);
	end(&s);
}

static void hostile_text_is_harmless(void **state)
{
	struct session s;

	begin(&s, "xterm-256color");
	draw(&s, 'h');
	draw(&s, 'e');
	assert_non_null(strstr(s.out, "owned"));
	assert_null(strstr(s.out, "\033]"));
	assert_null(strchr(s.out, '\007'));
	assert_null(strstr(s.out, "\xc2\x9b"));
	assert_null(strstr(s.out, "\u202e"));
	stop(&s);
	end(&s);
}

static void resize(void **state)
{
	struct winsize ws = {.ws_row = 30, .ws_col = 100};
	struct session s;

	begin(&s, "xterm-256color");
	draw(&s, 'h');
	assert_int_equal(ioctl(s.tty, TIOCSWINSZ, &ws), 0);
	press(&s, "", "resize 100 30");
	draw(&s, 'h');
	assert_non_null(strstr(s.out, "line 9"));
	press(&s, "q", "key q");
	stop(&s);
	end(&s);
}

/* Of the terminal, which says what it likes, and not of the environment. */
static void size_is_bounded(void **state)
{
	struct winsize ws = {.ws_row = 65535, .ws_col = 65535};
	struct session s;

	setenv("COLUMNS", "30000", 1);
	setenv("LINES", "30000", 1);
	begin(&s, "xterm-256color");
	unsetenv("COLUMNS");
	unsetenv("LINES");
	draw(&s, 'h');
	assert_non_null(strstr(s.out, "line 9"));
	assert_null(strstr(s.out, "line 10"));
	assert_int_equal(ioctl(s.tty, TIOCSWINSZ, &ws), 0);
	press(&s, "", "resize 1000 1000");
	draw(&s, 'h');
	stop(&s);
	end(&s);
	first_size.ws_col = 1001;
	begin_as(&s, "xterm-256color", NULL, "1 the terminal says that it has 1001 columns");
	assert_int_equal(WEXITSTATUS(wait_state(&s)), 1);
	end(&s);
	first_size.ws_col = 40;
}

static void hangup_ends_input(void **state)
{
	struct session s;
	char reply[64];

	begin(&s, "xterm-256color");
	close(s.tty);
	s.tty = open("/dev/null", O_RDWR);
	ask(&s, 'i', reply, sizeof(reply));
	assert_string_equal(reply, "end 1");
	assert_int_equal(kill(s.pid, SIGKILL), 0);
	assert_true(WIFSIGNALED(wait_state(&s)));
	end(&s);
}

static void wait_stopped(struct session *s)
{
	int status = wait_state(s);

	assert_true(WIFSTOPPED(status));
	assert_int_equal(WSTOPSIG(status), SIGTSTP);
}

/* Ctrl-Z: the loop asks for it. */
static void suspends_and_comes_back(void **state)
{
	struct session s;
	char reply[64], what = 'z';

	begin(&s, "xterm-256color");
	draw(&s, 'h');
	s.len = 0;
	assert_int_equal(write(s.steps, &what, 1), 1);
	wait_stopped(&s);
	check_restored(&s);
	assert_int_equal(kill(s.pid, SIGCONT), 0);
	s.len = 0;
	wait_reply(&s, reply, sizeof(reply));
	assert_string_equal(reply, "back");
	assert_non_null(strstr(s.out, "\033[?1049h"));
	draw(&s, 'p');
	assert_non_null(strstr(s.out, "line 9"));
	press(&s, "a", "key a");
	stop(&s);
	end(&s);
}

/* kill -TSTP from outside: input() gives the terminal back first. */
static void a_stop_from_outside_is_orderly(void **state)
{
	struct session s;
	char reply[64], what = 'i';

	begin(&s, "xterm-256color");
	draw(&s, 'h');
	s.len = 0;
	assert_int_equal(kill(s.pid, SIGTSTP), 0);
	assert_int_equal(write(s.steps, &what, 1), 1);
	wait_stopped(&s);
	check_restored(&s);
	assert_int_equal(kill(s.pid, SIGCONT), 0);
	wait_reply(&s, reply, sizeof(reply));
	assert_string_equal(reply, "resize 40 10");
	draw(&s, 'p');
	assert_non_null(strstr(s.out, "line 9"));
	stop(&s);
	end(&s);
}

static void terminals_that_will_not_do(void **state)
{
	struct session s;

	begin_as(&s, "no-such-terminal", NULL,
		 "1 no description of the terminal "
		 "TERM=no-such-terminal: try TERM=xterm");
	assert_int_equal(WEXITSTATUS(wait_state(&s)), 1);
	end(&s);
	begin_as(&s, "dumb", NULL, "1 the terminal TERM=dumb cannot move its cursor");
	assert_int_equal(WEXITSTATUS(wait_state(&s)), 1);
	end(&s);
	begin_as(&s, NULL, NULL, "1 TERM is not set");
	assert_int_equal(WEXITSTATUS(wait_state(&s)), 1);
	end(&s);
}

static void other_terminals(void **state)
{
	static const char *const terms[] = {"xterm", "linux", "screen", "tmux-256color", "vt100"};
	struct session s;

	for (u32 i = 0; i < ARRAY_SIZE(terms); i++) {
		begin(&s, terms[i]);
		draw(&s, 'h');
		assert_non_null(strstr(s.out, "line 9"));
		draw(&s, 's');
		assert_true(s.len > 0);
		draw(&s, 's');
		assert_int_equal(s.len, 0);
		stop(&s);
		end(&s);
	}
}

/* No colour is set, neither fore- nor background. */
static void no_color(void **state)
{
	struct session s;

	setenv("NO_COLOR", "1", 1);
	begin(&s, "xterm-256color");
	unsetenv("NO_COLOR");
	draw(&s, 'h');
	draw(&s, 'c');
	assert_null(strstr(s.out, "38;5"));
	assert_null(strstr(s.out, "[31"));
	draw(&s, 's');
	assert_true(strstr(s.out, "[7m") || strstr(s.out, ";7m"));
	stop(&s);
	end(&s);
}

#define SECOND_BYTES 2048

/* Over a slow line each of them is a flicker. */
static void check_seconds(const char *colorterm, bool direct)
{
	struct winsize before = first_size;
	size_t most = 0;
	struct session s;

	first_size.ws_col = 120;
	first_size.ws_row = 40;
	if (colorterm)
		setenv("COLORTERM", colorterm, 1);
	else
		unsetenv("COLORTERM");
	begin(&s, "xterm-256color");
	unsetenv("COLORTERM");
	first_size = before;
	draw(&s, 't');
	assert_int_equal(strstr(s.out, "8:2:") != NULL, direct);
	assert_true(direct || strstr(s.out, "38;5;"));
	for (u32 i = 0; i < 20; i++) {
		draw(&s, 't');
		assert_true(s.len > 200);
		most = MAX(most, s.len);
		assert_null(strstr(s.out, "\033[2J"));
		draw(&s, 'p');
		assert_int_equal(s.len, 0);
	}
	print_message("bytes of a second at 120x40%s: %zu at most\n", direct ? ", all colours" : "", most);
	assert_in_range(most, 200, direct ? SECOND_BYTES * 3 / 2 : SECOND_BYTES);
	stop(&s);
	end(&s);
}

static void a_second_is_few_bytes(void **state)
{
	check_seconds(NULL, false);
	check_seconds("yes", false);
}

/* Where the terminal says so and its description is installed. */
static void all_colours_are_used(void **state)
{
	if (access("/usr/share/terminfo/x/xterm-direct", R_OK)) {
		print_message("no description xterm-direct: the package ncurses-term has it\n");
		skip();
	}
	check_seconds("truecolor", true);
	check_seconds("24bit", true);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_second_is_few_bytes),
		cmocka_unit_test(all_colours_are_used),
		cmocka_unit_test(close_restores),
		cmocka_unit_test(a_crash_restores),
		cmocka_unit_test(only_changes_are_written),
		cmocka_unit_test(wide_and_combining_characters),
		cmocka_unit_test(hostile_text_is_harmless),
		cmocka_unit_test(resize),
		cmocka_unit_test(size_is_bounded),
		cmocka_unit_test(hangup_ends_input),
		cmocka_unit_test(suspends_and_comes_back),
		cmocka_unit_test(a_stop_from_outside_is_orderly),
		cmocka_unit_test(terminals_that_will_not_do),
		cmocka_unit_test(other_terminals),
		cmocka_unit_test(no_color),
	};

	setenv("LC_ALL", "C.UTF-8", 1);
	signal(SIGPIPE, SIG_IGN);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
