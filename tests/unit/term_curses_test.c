/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The curses terminal on a pseudo terminal. The terminal runs in a forked child, which says
 * over a pipe when a step is done; the test reads what was written to the screen.
 */
#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>
#include <utmp.h>

#include <cmocka.h>

#include "core/arena.h"
#include "tests/lib/golden.h"
#include "tui/term.h"
#include "tui/term_sequence.h"
#include "tui/theme.h"

#define LIMIT_MS 10000

/* The child's side. */
struct child {
	int steps, replies; /* pipes: a byte for each step; answers */
	struct term *t;
	struct canvas c;
};

struct session {
	pid_t leader, pid; /* of the session, of the terminal's process in it */
	int tty;
	int steps, replies;
	int states; /* wait statuses of pid, from the leader */
	struct termios before;
	char out[1 << 16]; /* written to the screen since the last step */
	size_t len;
};

/* ---- child ---- */

static void on_crash(int signo)
{
	term__emergency_restore();
	signal(signo, SIG_DFL);
	raise(signo);
}

static void open_term(struct child *ch, const char *theme)
{
	struct theme looks;
	struct term_options o = {.theme = &looks};
	struct status st = {0};
	int w, h;

	if (theme__choose(&looks, theme, false, &st))
		_exit(99);

	ch->t = term_curses.open(&o, &st);
	if (!ch->t) {
		dprintf(ch->replies, "%d %s", st.code, st.msg);
		_exit(st.code);
	}
	term_curses.size(ch->t, &w, &h);
	canvas__init(&ch->c, w, h, false);
}

/* The next event, waiting for it as a loop does. */
static struct input next_input(struct child *ch)
{
	struct pollfd p = {.fd = term_curses.fd(ch->t), .events = POLLIN};
	struct input in;

	for (;;) {
		in = term_curses.input(ch->t);
		if (in.type != INPUT_NONE)
			return in;
		if (poll(&p, 1, LIMIT_MS) == 0)
			_exit(99);
	}
}

static void reply_input(struct child *ch)
{
	struct input in = next_input(ch);
	char name[16];
	int w, h;

	term_curses.size(ch->t, &w, &h);
	if (in.type == INPUT_KEY)
		dprintf(ch->replies, "key %s", key__name(in.key, name, sizeof(name)));
	else if (in.type == INPUT_MOUSE)
		dprintf(ch->replies, "mouse %d %d %d", in.mouse, in.x, in.y);
	else if (in.type == INPUT_RESIZE)
		dprintf(ch->replies, "resize %d %d", w, h);
	else
		dprintf(ch->replies, "end %d", in.code);
}

/* One step: what the test asks for with a letter. */
static void step(struct child *ch, char what)
{
	switch (what) {
	case 'p': /* present as it is */
		break;
	case 'h': /* fill with text */
		for (int y = 0; y < ch->c.h; y++)
			draw__textf(&ch->c, 0, y, ch->c.w, ROLE_TEXT, "line %d", y);
		break;
	case 'c': /* one cell */
		draw__text(&ch->c, 5, 3, 1, ROLE_HOT, "Z");
		break;
	case 'w': /* wide and combining */
		draw__text(&ch->c, 0, 4, 20, ROLE_TEXT, "日本 e\u0301 ok");
		break;
	case 'e': /* evil */
		draw__text(&ch->c, 0, 5, 40, ROLE_TEXT,
			   "\033]0;owned\007 \xc2\x9b"
			   "2J \u202e");
		break;
	case 's':
		draw__select(&ch->c, 0, 2, ch->c.w);
		break;
	case 'i':
		reply_input(ch);
		return;
	case 'z':
		term_curses.suspend(ch->t);
		dprintf(ch->replies, "back");
		return;
	case 'r':
		term_curses.redraw(ch->t);
		break;
	case 'q':
		term_curses.close(ch->t);
		canvas__fini(&ch->c);
		exit(0);
	case 'x':
		signal(SIGSEGV, on_crash);
		raise(SIGSEGV);
	}
	term_curses.present(ch->t, &ch->c);
	dprintf(ch->replies, "done");
}

static void __attribute__((noreturn))
run_child(int steps, int replies, const char *term, const char *theme)
{
	struct child ch = {.steps = steps, .replies = replies};
	char what;

	if (term)
		setenv("TERM", term, 1);
	else
		unsetenv("TERM");
	open_term(&ch, theme);
	dprintf(replies, "open");
	while (read(steps, &what, 1) == 1)
		step(&ch, what);
	_exit(98);
}

/* What a shell is to a job: only with a parent in its session can a process be stopped by
 * its terminal. Tells its pid, then each change of its state. */
static void __attribute__((noreturn))
lead_session(int steps, int replies, int states, const char *term, const char *theme)
{
	pid_t pid;
	int status;

	signal(SIGHUP, SIG_IGN);
	signal(SIGTTOU, SIG_IGN);
	pid = fork();
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		setpgid(0, 0);
		tcsetpgrp(STDIN_FILENO, getpid());
		signal(SIGTTOU, SIG_DFL);
		close(states);
		run_child(steps, replies, term, theme);
	}
	close(steps);
	close(replies);
	if (write(states, &pid, sizeof(pid)) != sizeof(pid))
		_exit(97);
	while (waitpid(pid, &status, WUNTRACED) == pid) {
		if (write(states, &status, sizeof(status)) != sizeof(status))
			break;
		if (!WIFSTOPPED(status))
			break;
	}
	kill(pid, SIGKILL);
	_exit(0);
}

/* ---- the test's side ---- */

static void drain(struct session *s)
{
	ssize_t n;
	struct pollfd p = {.fd = s->tty, .events = POLLIN};

	while (s->len < sizeof(s->out) - 1 && poll(&p, 1, 0) == 1) {
		n = read(s->tty, s->out + s->len, sizeof(s->out) - 1 - s->len);
		if (n <= 0)
			break;
		s->len += (size_t)n;
	}
	s->out[s->len] = '\0';
}

/* The child's answer; the screen is read meanwhile so that nobody blocks. */
static void wait_reply(struct session *s, char *reply, size_t size)
{
	struct pollfd p[2] = {{.fd = s->replies, .events = POLLIN},
			      {.fd = s->tty, .events = POLLIN}};
	ssize_t n;

	for (;;) {
		assert_true(poll(p, 2, LIMIT_MS) > 0);
		if (p[1].revents & POLLIN)
			drain(s);
		if (p[0].revents)
			break;
		if (!(p[1].revents & POLLIN) && p[1].revents)
			p[1].fd = -1;
	}
	n = read(s->replies, reply, size - 1);
	assert_true(n >= 0);
	reply[n] = '\0';
	drain(s);
}

static struct winsize first_size = {.ws_row = 10, .ws_col = 40};

static void begin_as(struct session *s, const char *term, const char *theme, const char *want)
{
	int to[2], from[2], states[2], slave;
	char reply[600];

	*s = (struct session){0};
	assert_int_equal(pipe(to), 0);
	assert_int_equal(pipe(from), 0);
	assert_int_equal(pipe(states), 0);
	assert_int_equal(openpty(&s->tty, &slave, NULL, NULL, &first_size), 0);
	assert_int_equal(tcgetattr(slave, &s->before), 0);
	s->leader = fork();
	assert_true(s->leader >= 0);
	if (!s->leader) {
		close(to[1]);
		close(from[0]);
		close(states[0]);
		close(s->tty);
		login_tty(slave);
		lead_session(to[0], from[1], states[1], term, theme);
	}
	close(slave);
	close(to[0]);
	close(from[1]);
	close(states[1]);
	s->states = states[0];
	assert_int_equal(read(s->states, &s->pid, sizeof(s->pid)), sizeof(s->pid));
	s->steps = to[1];
	s->replies = from[0];
	wait_reply(s, reply, sizeof(reply));
	assert_memory_equal(reply, want, strlen(want));
}

static void begin(struct session *s, const char *term)
{
	begin_as(s, term, NULL, "open");
}

/* Does a step and leaves in s->out what it wrote. */
static void ask(struct session *s, char what, char *reply, size_t size)
{
	s->len = 0;
	assert_int_equal(write(s->steps, &what, 1), 1);
	wait_reply(s, reply, size);
}

static void draw(struct session *s, char what)
{
	char reply[600];

	ask(s, what, reply, sizeof(reply));
	assert_string_equal(reply, "done");
}

static void press(struct session *s, const char *bytes, const char *want)
{
	char reply[600];

	assert_int_equal(write(s->tty, bytes, strlen(bytes)), strlen(bytes));
	ask(s, 'i', reply, sizeof(reply));
	assert_string_equal(reply, want);
}

static int wait_state(struct session *s)
{
	struct pollfd p = {.fd = s->states, .events = POLLIN};
	int status;

	assert_int_equal(poll(&p, 1, LIMIT_MS), 1);
	assert_int_equal(read(s->states, &status, sizeof(status)), sizeof(status));
	return status;
}

static void end(struct session *s)
{
	close(s->tty);
	close(s->steps);
	close(s->replies);
	close(s->states);
	assert_int_equal(waitpid(s->leader, NULL, 0), s->leader);
}

/* The screen was given back, and so were the terminal's modes. */
static void check_restored(struct session *s)
{
	struct termios now;

	drain(s);
	assert_non_null(strstr(s->out, "\033[?1049l"));
	assert_non_null(strstr(s->out, "1000l")); /* the mouse */
	/* Visible again: cnorm is one of these. */
	assert_true(strstr(s->out, "\033[?25h") || strstr(s->out, "\033[34h"));
	assert_int_equal(tcgetattr(s->tty, &now), 0);
	assert_int_equal(now.c_lflag, s->before.c_lflag);
	assert_int_equal(now.c_iflag, s->before.c_iflag);
	assert_int_equal(now.c_oflag, s->before.c_oflag);
}

static void stop(struct session *s)
{
	s->len = 0;
	assert_int_equal(write(s->steps, "q", 1), 1);
	assert_int_equal(wait_state(s), 0);
}

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

static void keys(void **state)
{
	struct session s;

	begin(&s, "xterm-256color");
	press(&s, "a", "key a");
	press(&s, "é", "key é");
	press(&s, "\r", "key Enter");
	press(&s, "\n", "key Enter");
	press(&s, "\t", "key Tab");
	press(&s, "\177", "key Backspace");
	press(&s, "\b", "key Backspace");
	press(&s, "\003", "key C-c");
	press(&s, "\032", "key C-z");
	press(&s, "\033OA", "key Up");
	press(&s, "\033[5~", "key PgUp");
	press(&s, "\033OH", "key Home");
	press(&s, "\033OP", "key F1");
	press(&s, "\033[Z", "key BackTab");
	press(&s, "\033", "key Esc");
	press(&s, "\033x", "key M-x");
	stop(&s);
	end(&s);
}

static void unknown_sequences_are_no_keys(void **state)
{
	struct session s;

	begin(&s, "xterm-256color");
	press(&s, "\033[200~b\033[201~", "key b");
	press(&s, "\033[?997;1nc", "key c");
	press(&s, "\033[I\033[Od", "key d");
	press(&s,
	      "\xff\xfe"
	      "e",
	      "key e");
	stop(&s);
	end(&s);
}

static void mouse(void **state)
{
	struct session s;

	begin(&s, "xterm-256color");
	draw(&s, 'p');
	press(&s, "\033[<0;5;3M", "mouse 0 4 2");
	press(&s, "\033[<0;5;3m\033[<0;5;3M", "mouse 1 4 2");
	press(&s, "\033[<0;5;3m\033[<0;9;3M", "mouse 0 8 2");
	press(&s, "\033[<64;5;3M", "mouse 2 4 2");
	press(&s, "\033[<65;5;3M", "mouse 3 4 2");
	stop(&s);
	end(&s);
}

static void mouse_of_older_terminals(void **state)
{
	struct session s;

	begin(&s, "screen");
	draw(&s, 'p');
	press(&s, "\033[M %#", "mouse 0 4 2");
	press(&s, "\033[M#%#\033[M`\xc8#", "mouse 2 167 2");
	press(&s, "\033[M \x1b[5~", "key PgUp");
	stop(&s);
	end(&s);
}

/* Keys that are pressed until the terminal says what it was; 0: it does not. */
static u32 presses_until_heard(struct session *s, char key, char *reply, size_t size)
{
	struct pollfd p = {.fd = s->replies, .events = POLLIN};

	assert_int_equal(write(s->steps, "i", 1), 1);
	for (u32 n = 1; n <= SEQUENCE_MAX; n++) {
		assert_int_equal(write(s->tty, &key, 1), 1);
		if (poll(&p, 1, 100) == 1) {
			wait_reply(s, reply, size);
			return n;
		}
	}
	return 0;
}

/* What is left of a report when a connection broke or a paste was cut. */
static void cut_report_blocks_no_key(void **state)
{
	struct session s;
	char reply[64];

	begin(&s, "xterm-256color");
	draw(&s, 'p');
	press(&s, "\033[<0;5;\033[<0;5;3M", "mouse 0 4 2");
	press(&s, "\033[<0;5;\033OB", "key Down");
	press(&s, "\033[<0;5;\rj", "key Enter");
	press(&s, "", "key j");
	press(&s, "\033[<xj", "key j");
	press(&s, "\033[<0;;3Mj", "key j");
	press(&s, "\033[<0;99999999999;3Mj", "key j");
	press(&s, "\033[<0;1;1;1Mj", "key j");
	/* A digit could be its next byte, but not for ever. */
	assert_int_equal(write(s.tty, "\033[<0;1", 6), 6);
	assert_in_range(presses_until_heard(&s, '5', reply, sizeof(reply)), 2, SEQUENCE_MAX - 8);
	assert_string_equal(reply, "key 5");
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(close_restores),
		cmocka_unit_test(a_crash_restores),
		cmocka_unit_test(only_changes_are_written),
		cmocka_unit_test(wide_and_combining_characters),
		cmocka_unit_test(hostile_text_is_harmless),
		cmocka_unit_test(keys),
		cmocka_unit_test(unknown_sequences_are_no_keys),
		cmocka_unit_test(mouse),
		cmocka_unit_test(mouse_of_older_terminals),
		cmocka_unit_test(cut_report_blocks_no_key),
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
