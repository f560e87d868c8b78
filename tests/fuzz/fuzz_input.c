/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a terminal sends, through the curses terminal on a pseudo terminal into a prompt: keys and
 * clicks that exist, a line that is UTF-8 with its cursor at a character, whatever comes.
 */
#include <pty.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/utf8.h"
#include "tests/fuzz/fuzz.h"
#include "tui/term.h"
#include "tui/theme.h"
#include "widgets/prompt.h"

#define COLUMNS	    80
#define LINES	    24
#define MOST_BYTES  2048 /* what a pseudo terminal holds for a reader that is slow */
#define MOST_EVENTS (2 * MOST_BYTES)

static struct term *term;
static struct canvas canvas;
static int master;

static void begin(void)
{
	struct winsize size = {.ws_col = COLUMNS, .ws_row = LINES};
	struct term_options o = {0};
	struct theme theme;
	struct status st = {0};
	int slave;

	if (openpty(&master, &slave, NULL, NULL, &size) || dup2(slave, 0) < 0 || dup2(slave, 1) < 0)
		die("no pseudo terminal");
	setenv("TERM", "xterm-256color", 1);
	theme__base(&theme, "default");
	o.theme = &theme;
	term = term_curses.open(&o, &st);
	if (!term)
		die("no terminal: %s", st.msg);
	canvas__init(&canvas, COLUMNS, LINES, false);
}

/* What is drawn: read, or the terminal is full some day. */
static void drain(void)
{
	static char drawn[1 << 16];
	int queued = 0;

	while (!ioctl(master, FIONREAD, &queued) && queued > 0)
		if (read(master, drawn, sizeof(drawn)) <= 0)
			return;
}

static void check_event(const struct input *in)
{
	int key = in->key & ~KEYCODE_ALT;
	char name[16];

	if (in->type == INPUT_MOUSE && (in->x < 0 || in->y < 0))
		abort();
	if (in->type != INPUT_KEY)
		return;
	if (key <= 0 || (key > 0x10ffff && key <= KEY_SPECIAL_BASE) || key > KEYCODE_F12)
		abort();
	if (!utf8__valid(key__name(in->key, name, sizeof(name))))
		abort();
}

static void complete(void *ctx, const char *text, u32 cursor, struct completions *out)
{
	out->start = 0;
	completions__add(out, "pid=", "one process");
	completions__add(out, "日本", text);
}

static void check_line(const struct prompt *p)
{
	if (p->len >= PROMPT_MAX || p->cursor > p->len || p->text[p->len] || !utf8__valid(p->text))
		abort();
	if (((u8)p->text[p->cursor] & 0xc0) == 0x80)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct prompt_history history;
	static struct prompt prompt;
	struct input in;
	bool any = false;

	if (!term)
		begin();
	prompt__open(&prompt, "filter", "comm~é");
	prompt.history = &history;
	prompt.complete = complete;
	if (write(master, data, MIN(size, (size_t)MOST_BYTES)) < 0)
		return 0;
	for (u32 i = 0; i < MOST_EVENTS; i++) {
		in = term_curses.input(term);
		if (in.type == INPUT_NONE)
			break;
		check_event(&in);
		any |= in.type == INPUT_KEY || in.type == INPUT_MOUSE;
		if (prompt__input(&prompt, &in) != PROMPT_EDITING)
			prompt__open(&prompt, "filter", prompt.text);
		check_line(&prompt);
		if (i % 64 == 0)
			prompt__error(&prompt, i, 3, "wrong");
	}
	prompt__draw(&prompt, &canvas, (struct rect){0, 0, COLUMNS, LINES});
	term_curses.present(term, &canvas);
	drain();
	return fuzz__through(any);
}
