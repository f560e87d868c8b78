/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A terminal in memory, worked by a script: one command a line, '#' begins a comment.
 *
 *	key NAME...	keys by their keymap names	type TEXT	its characters as keys
 *	click X Y	double X Y	wheel up|down	resize COLS ROWS	tick [N]
 *	wait TEXT	until the screen shows it, 10 s at most
 *	expect TEXT	reject TEXT	save FILE	quit
 *
 * Nothing sleeps: each event is followed by INPUT_SETTLE, and the next command runs when the
 * loop has called idle(), so what it sees is what all the former ones led to. A failed
 * command is told on stderr with the screen, and ends the program with exit code 1.
 */
#include <locale.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/caps.h"
#include "base/log.h"
#include "export/export.h"
#include "tui/term.h"
#include "widgets/text.h"

#define SCRIPT_MAX   (1024 * 1024)
#define WAIT_SECONDS 10
#define TICKS_MAX    100000
#define SCREEN_MAX   2000

struct term {
	char *name, *text;  /* the script */
	char *next;	    /* its first line that has not begun */
	u32 line;	    /* number of the present one */
	char *keys, *typed; /* what is left of a key or type command, NULL when done */
	u32 ticks;
	char *awaited; /* of a wait command under way */
	bool ready;    /* the loop was idle after the last event */
	bool settled;  /* INPUT_SETTLE was given after the last event */
	bool ended;
	int code;
	struct canvas screen; /* what was presented last */
	int w, h;
	bool ascii;
	int fd, wake_fd, timer_fd; /* epoll of the two others */
};

enum step {
	STEP_NEXT,  /* done: on to the next line */
	STEP_EVENT, /* *in is to be delivered */
	STEP_WAIT,  /* nothing until the screen changes */
	STEP_END,
};

/* ---- the descriptor: readable while input() has something ---- */

static void set_ready(struct term *t, bool ready)
{
	u64 v = 1;

	t->ready = ready;
	if (ready ? write(t->wake_fd, &v, sizeof(v)) < 0 : read(t->wake_fd, &v, sizeof(v)) < 0)
		errno = 0; /* set or empty already */
}

static void set_timer(struct term *t, int seconds)
{
	struct itimerspec when = {.it_value.tv_sec = seconds};

	timerfd_settime(t->timer_fd, 0, &when, NULL);
}

static bool timer_expired(struct term *t)
{
	u64 n;

	return read(t->timer_fd, &n, sizeof(n)) == sizeof(n);
}

static int open_fds(struct term *t)
{
	struct epoll_event ev = {.events = EPOLLIN};

	t->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	t->timer_fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	t->fd = epoll_create1(EPOLL_CLOEXEC);
	if (t->wake_fd < 0 || t->timer_fd < 0 || t->fd < 0 ||
	    epoll_ctl(t->fd, EPOLL_CTL_ADD, t->wake_fd, &ev) ||
	    epoll_ctl(t->fd, EPOLL_CTL_ADD, t->timer_fd, &ev))
		return -errno;
	return 0;
}

/* ---- opening ---- */

static char *read_script(const char *path, struct status *st)
{
	int fd = caps__open_for_caller(path);
	FILE *f = fd >= 0 ? fdopen(fd, "r") : NULL;
	char *text;
	size_t n;

	if (!f) {
		status__set(st, EXIT_CODE_USAGE, -errno, "cannot read script %s: %s", path,
			    strerror(errno));
		return NULL;
	}
	text = xcalloc(1, SCRIPT_MAX + 2);
	n = fread(text, 1, SCRIPT_MAX + 1, f);
	if (n <= SCRIPT_MAX && !ferror(f)) {
		fclose(f);
		return text;
	}
	status__set(st, EXIT_CODE_USAGE, -EFBIG, "cannot read script %s: %s", path,
		    ferror(f) ? strerror(errno) : "larger than 1 MiB");
	fclose(f);
	free(text);
	return NULL;
}

static void script__close(struct term *t)
{
	int fds[] = {t->fd, t->wake_fd, t->timer_fd};

	for (u32 i = 0; i < ARRAY_SIZE(fds); i++)
		if (fds[i] >= 0)
			close(fds[i]);
	canvas__fini(&t->screen);
	free(t->name);
	free(t->text);
	free(t);
}

static struct term *script__open(const struct term_options *o, struct status *st)
{
	char *text = o->script ? read_script(o->script, st) : xstrdup("");
	struct term *t;

	if (!text)
		return NULL;
	/* The same screen whatever the environment. */
	if (!setlocale(LC_CTYPE, "C.UTF-8"))
		setlocale(LC_CTYPE, "");
	t = xcalloc(1, sizeof(*t));
	*t = (struct term){
		.name = xstrdup(o->script ? o->script : ""),
		.text = text,
		.next = text,
		.w = o->w > 0 ? MIN(o->w, SCREEN_MAX) : 80,
		.h = o->h > 0 ? MIN(o->h, SCREEN_MAX) : 24,
		.ascii = o->ascii,
		.fd = -1,
	};
	canvas__init(&t->screen, t->w, t->h, t->ascii);
	if (!open_fds(t))
		return t;
	status__set(st, EXIT_CODE_FAILURE, -errno, "cannot run the script: %s", strerror(errno));
	script__close(t);
	return NULL;
}

/* ---- the screen ---- */

static char *screen_text(const struct term *t)
{
	char *text = NULL;
	size_t len = 0;
	FILE *f = open_memstream(&text, &len);

	if (!f)
		die("out of memory (a screen's text)");
	canvas__dump(&t->screen, f, false);
	fclose(f);
	return text;
}

static bool shows(const struct term *t, const char *what)
{
	char *text = screen_text(t);
	bool found = strstr(text, what) != NULL;

	free(text);
	return found;
}

static enum step fail(struct term *t, const char *what, const char *arg)
{
	char *text = screen_text(t), *msg;

	msg = xasprintf("%s:%u: %s: %s\nThe screen:\n%s", t->name, t->line, what, arg, text);
	log__complain(msg);
	free(msg);
	free(text);
	t->code = EXIT_CODE_FAILURE;
	return STEP_END;
}

/* ---- commands: each gets the rest of its line ---- */

static enum step do_key(struct term *t, char *arg, struct input *in)
{
	t->keys = arg;
	return STEP_NEXT;
}

static enum step do_type(struct term *t, char *arg, struct input *in)
{
	t->typed = arg;
	return STEP_NEXT;
}

static enum step do_tick(struct term *t, char *arg, struct input *in)
{
	char *end;
	unsigned long n = arg[0] ? strtoul(arg, &end, 10) : 1;

	if ((arg[0] && *end) || n < 1 || n > TICKS_MAX)
		return fail(t, "tick takes a number from 1 to 100000", arg);
	t->ticks = (u32)n;
	return STEP_NEXT;
}

static enum step click(struct term *t, char *arg, struct input *in, enum mouse_action what)
{
	*in = (struct input){.type = INPUT_MOUSE, .mouse = what};
	if (sscanf(arg, "%d %d", &in->x, &in->y) != 2 || in->x < 0 || in->y < 0)
		return fail(t, "a click takes a column and a row, from 0", arg);
	return STEP_EVENT;
}

static enum step do_click(struct term *t, char *arg, struct input *in)
{
	return click(t, arg, in, MOUSE_CLICK);
}

static enum step do_double(struct term *t, char *arg, struct input *in)
{
	return click(t, arg, in, MOUSE_DOUBLE);
}

static enum step do_wheel(struct term *t, char *arg, struct input *in)
{
	bool up = !strcmp(arg, "up");

	if (!up && strcmp(arg, "down"))
		return fail(t, "wheel takes up or down", arg);
	*in = (struct input){
		.type = INPUT_MOUSE,
		.mouse = up ? MOUSE_WHEEL_UP : MOUSE_WHEEL_DOWN,
		.x = t->w / 2,
		.y = t->h / 2,
	};
	return STEP_EVENT;
}

static enum step do_resize(struct term *t, char *arg, struct input *in)
{
	int w, h;

	if (sscanf(arg, "%d %d", &w, &h) != 2 || w < 1 || h < 1 || w > SCREEN_MAX || h > SCREEN_MAX)
		return fail(t, "resize takes columns and rows", arg);
	t->w = w;
	t->h = h;
	in->type = INPUT_RESIZE;
	return STEP_EVENT;
}

static enum step do_wait(struct term *t, char *arg, struct input *in)
{
	if (shows(t, arg))
		return STEP_NEXT;
	t->awaited = arg;
	set_timer(t, WAIT_SECONDS);
	return STEP_WAIT;
}

static enum step do_expect(struct term *t, char *arg, struct input *in)
{
	return shows(t, arg) ? STEP_NEXT : fail(t, "expected on the screen", arg);
}

static enum step do_reject(struct term *t, char *arg, struct input *in)
{
	return shows(t, arg) ? fail(t, "must not be on the screen", arg) : STEP_NEXT;
}

static enum step do_save(struct term *t, char *arg, struct input *in)
{
	struct status st = {0};
	struct export_file f;
	int err;

	if (export_file__open(&f, arg, &st))
		return fail(t, "save", st.msg);
	canvas__dump(&t->screen, f.out, false);
	err = export_file__publish(&f, &st);
	err = export_file__close(&f, &st) || err;
	return err ? fail(t, "cannot save", st.msg) : STEP_NEXT;
}

static enum step do_quit(struct term *t, char *arg, struct input *in)
{
	return STEP_END;
}

static const struct command {
	const char *name;
	enum step (*run)(struct term *t, char *arg, struct input *in);
	bool needs_arg;
} commands[] = {
	{"key", do_key, true},	     {"type", do_type, true},	  {"tick", do_tick, false},
	{"click", do_click, true},   {"double", do_double, true}, {"wheel", do_wheel, true},
	{"resize", do_resize, true}, {"wait", do_wait, true},	  {"expect", do_expect, true},
	{"reject", do_reject, true}, {"save", do_save, true},	  {"quit", do_quit, false},
};

/* ---- running ---- */

static char *trim(char *s)
{
	size_t n;

	s += strspn(s, " \t");
	for (n = strlen(s); n && strchr(" \t\r", s[n - 1]); n--)
		s[n - 1] = '\0';
	return s;
}

/* The word at *s, which moves behind it. */
static char *word(char **s)
{
	char *start = *s + strspn(*s, " \t"), *end = start + strcspn(start, " \t");

	*s = *end ? end + 1 : end;
	*end = '\0';
	return start;
}

static enum step run_line(struct term *t, struct input *in)
{
	char *line = t->next, *end = strchr(line, '\n'), *name;

	if (!*line)
		return STEP_END;
	t->next = end ? end + 1 : line + strlen(line);
	if (end)
		*end = '\0';
	t->line++;
	line = trim(line);
	if (!line[0] || line[0] == '#')
		return STEP_NEXT;
	name = word(&line);
	line = trim(line);
	for (u32 i = 0; i < ARRAY_SIZE(commands); i++) {
		if (strcmp(commands[i].name, name))
			continue;
		if (commands[i].needs_arg && !line[0])
			return fail(t, "something is missing after", name);
		return commands[i].run(t, line, in);
	}
	return fail(t, "unknown command", name);
}

static enum step next_key(struct term *t, struct input *in)
{
	char *name = word(&t->keys);

	if (!name[0]) {
		t->keys = NULL;
		return STEP_NEXT;
	}
	*in = (struct input){.type = INPUT_KEY, .key = key__parse(name)};
	return in->key ? STEP_EVENT : fail(t, "unknown key", name);
}

static enum step next_typed(struct term *t, struct input *in)
{
	u32 cp, n = utf8__decode(t->typed, &cp);

	if (!n) {
		t->typed = NULL;
		return STEP_NEXT;
	}
	t->typed += n;
	*in = (struct input){.type = INPUT_KEY, .key = (int)cp};
	return STEP_EVENT;
}

static enum step next_await(struct term *t, struct input *in)
{
	bool expired = timer_expired(t);

	if (shows(t, t->awaited)) {
		t->awaited = NULL;
		set_timer(t, 0);
		in->type = INPUT_SETTLE; /* what came with it is still on its way */
		return STEP_EVENT;
	}
	return expired ? fail(t, "not on the screen within 10 s", t->awaited) : STEP_WAIT;
}

/* One step of whatever is under way. */
static enum step advance(struct term *t, struct input *in)
{
	if (t->awaited)
		return next_await(t, in);
	if (t->keys)
		return next_key(t, in);
	if (t->typed)
		return next_typed(t, in);
	if (t->ticks) {
		t->ticks--;
		in->type = INPUT_TICK;
		return STEP_EVENT;
	}
	return run_line(t, in);
}

static struct input script__input(struct term *t)
{
	struct input in = {0};
	enum step step = STEP_NEXT;

	if (t->ended)
		return (struct input){.type = INPUT_END, .code = t->code};
	if (!t->ready && !t->awaited)
		return in;
	if (!t->settled) {
		t->settled = true;
		set_ready(t, false);
		in.type = INPUT_SETTLE;
		return in;
	}
	while (step == STEP_NEXT)
		step = advance(t, &in);
	if (step == STEP_END) {
		t->ended = true;
		return (struct input){.type = INPUT_END, .code = t->code};
	}
	set_ready(t, false);
	if (step == STEP_EVENT)
		t->settled = false;
	return in;
}

static void script__idle(struct term *t)
{
	if (!t->awaited && !t->ready)
		set_ready(t, true);
}

static void script__present(struct term *t, const struct canvas *c)
{
	if (t->screen.w != c->w || t->screen.h != c->h)
		canvas__resize(&t->screen, c->w, c->h);
	memcpy(t->screen.cells, c->cells, sizeof(*c->cells) * (size_t)c->w * (size_t)c->h);
	if (t->awaited && !t->ready && shows(t, t->awaited))
		set_ready(t, true);
}

static void script__size(struct term *t, int *w, int *h)
{
	*w = t->w;
	*h = t->h;
}

static int script__fd(struct term *t)
{
	return t->fd;
}

static bool script__ascii(struct term *t)
{
	return t->ascii;
}

/* Its screens are text. */
static bool script__edges(struct term *t)
{
	return true;
}

/* As users see it, who have some. */
static bool script__colourless(struct term *t)
{
	return false;
}

/* Text has no colours. */
static void script__set_theme(struct term *t, const struct theme *theme)
{
}

/* There is no bell, no shell to go to, and nothing else draws on this screen. */
static void script__nothing(struct term *t)
{
}

const struct term_ops term_script = {
	.open = script__open,
	.close = script__close,
	.size = script__size,
	.present = script__present,
	.fd = script__fd,
	.input = script__input,
	.ascii = script__ascii,
	.edges = script__edges,
	.colourless = script__colourless,
	.set_theme = script__set_theme,
	.bell = script__nothing,
	.suspend = script__nothing,
	.redraw = script__nothing,
	.idle = script__idle,
};
