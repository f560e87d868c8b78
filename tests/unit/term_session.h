/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The curses terminal on a pseudo terminal. The terminal runs in a forked child, which says
 * over a pipe when a step is done; the test reads what was written to the screen. For one
 * test program each: all of it is static.
 */
#ifndef TESTS_UNIT_TERM_SESSION_H
#define TESTS_UNIT_TERM_SESSION_H

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

#include "base/arena.h"
#include "tests/lib/golden.h"
#include "tui/term.h"
#include "tui/term_sequence.h"
#include "tui/theme.h"
#include "widgets/graph.h"
#include "widgets/meter.h"

#define LIMIT_MS 10000

/* The child's side. */
struct child {
	int steps, replies; /* pipes: a byte for each step; answers */
	struct term *t;
	struct canvas c;
	u32 tick;
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

static inline void on_crash(int signo)
{
	term__emergency_restore();
	signal(signo, SIG_DFL);
	raise(signo);
}

static inline void open_term(struct child *ch, const char *theme)
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
static inline struct input next_input(struct child *ch)
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

static inline void reply_input(struct child *ch)
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

/* What a second changes on a busy screen: a graph moves on, meters and figures at the top, and of half
 * the rows of a table the share, its bar and two figures. */
static inline void draw_second(struct child *ch)
{
	u32 tick = ch->tick++;
	float v[120];
	const struct graph g = {.gradient = ROLE_LOAD, .v = v, .n = ARRAY_SIZE(v), .max = 100};

	for (u32 i = 0; i < ARRAY_SIZE(v); i++)
		v[i] = (float)(20 + mix64(tick + i) % 60);
	graph__draw(&g, &ch->c, (struct rect){1, 4, 44, 4});
	for (int y = 0; y < 4; y++) {
		double part = (double)(30 + mix64(tick * 10 + (u32)y) % 30) / 100;

		meter__grade(&ch->c, 50, 4 + y, 20, ROLE_LOAD, part);
		draw__textf(&ch->c, 72, 4 + y, 20, ROLE_TEXT, "%3.0f%%  us %3.0f%%", 100 * part, 70 * part);
	}
	for (u32 y = 0; y < 28; y++) {
		u32 n = mix64(y * 1000 + (tick + y % 2) / 2) % 1000;

		draw__textf(&ch->c, 1, 11 + (int)y, 20, ROLE_DIM, "%7u  ", 1000 + y);
		draw__textf(&ch->c, 22, 11 + (int)y, 8, n > 900 ? ROLE_HOT : ROLE_TEXT, "%6.2f", n / 10.0);
		meter__grade(&ch->c, 32, 11 + (int)y, 10, ROLE_LOAD, n / 1000.0);
		draw__textf(&ch->c, 46, 11 + (int)y, 20, ROLE_TEXT, "%6u %6u", n, n / 3);
		draw__textf(&ch->c, 70, 11 + (int)y, 40, ROLE_TEXT, "command number %u of a user", y);
	}
}

/* One step: what the test asks for with a letter. */
static inline void step(struct child *ch, char what)
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
	case 't':
		draw_second(ch);
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

static inline void __attribute__((noreturn))
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
static inline void __attribute__((noreturn))
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

static inline void drain(struct session *s)
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
static inline void wait_reply(struct session *s, char *reply, size_t size)
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

static inline void begin_as(struct session *s, const char *term, const char *theme, const char *want)
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

static inline void begin(struct session *s, const char *term)
{
	begin_as(s, term, NULL, "open");
}

/* Does a step and leaves in s->out what it wrote. */
static inline void ask(struct session *s, char what, char *reply, size_t size)
{
	s->len = 0;
	assert_int_equal(write(s->steps, &what, 1), 1);
	wait_reply(s, reply, size);
}

static inline void draw(struct session *s, char what)
{
	char reply[600];

	ask(s, what, reply, sizeof(reply));
	assert_string_equal(reply, "done");
}

static inline void press(struct session *s, const char *bytes, const char *want)
{
	char reply[600];

	assert_int_equal(write(s->tty, bytes, strlen(bytes)), strlen(bytes));
	ask(s, 'i', reply, sizeof(reply));
	assert_string_equal(reply, want);
}

static inline int wait_state(struct session *s)
{
	struct pollfd p = {.fd = s->states, .events = POLLIN};
	int status;

	assert_int_equal(poll(&p, 1, LIMIT_MS), 1);
	assert_int_equal(read(s->states, &status, sizeof(status)), sizeof(status));
	return status;
}

static inline void end(struct session *s)
{
	close(s->tty);
	close(s->steps);
	close(s->replies);
	close(s->states);
	assert_int_equal(waitpid(s->leader, NULL, 0), s->leader);
}

/* The screen was given back, and so were the terminal's modes. */
static inline void check_restored(struct session *s)
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

static inline void stop(struct session *s)
{
	s->len = 0;
	assert_int_equal(write(s->steps, "q", 1), 1);
	assert_int_equal(wait_state(s), 0);
}

#endif
