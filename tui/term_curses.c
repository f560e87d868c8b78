/* SPDX-License-Identifier: GPL-2.0-only */
#include <curses.h>
#include <langinfo.h>
#include <locale.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/clock.h"
#include "tui/paint.h"
#include "tui/term.h"
#include "tui/term_restore.h"
#include "tui/term_sequence.h"
#include "tui/term_signal.h"
#include "tui/term_write.h"
#include "tui/theme.h"
#include "widgets/text.h"

#define IN_FD	 STDIN_FILENO
#define OUT_FD	 STDOUT_FILENO
#define ESC_MS	 25
#define CLICK_NS (400 * NSEC_PER_MSEC)
/* After this long, what comes is no longer a sequence's end but a key. */
#define SEQUENCE_NS (500 * NSEC_PER_MSEC)
/* Of columns and of lines; what a terminal says can be anything. */
#define SIZE_MAX_DRAWN 1000
/* Broken bytes skipped by one call of input(). */
#define SKIP_MAX 256

struct term {
	SCREEN *screen;
	int fd;		       /* of term_signal */
	struct painted *shown; /* what was presented last, w x h */
	struct painted *next;
	struct paint paint;
	struct term_writer out;
	int w, h;
	int cursor_x, cursor_y;
	bool ascii, edges, redraw;
	struct look looks[ROLES][2];
	struct {
		u64 t_ns;
		int x, y;
	} click;       /* the last one, for double clicks */
	char bytes[8]; /* of a character that is not complete yet */
	u32 nbytes;
	struct sequence sequence;
	u64 sequence_ns; /* when it began; 0: there is none */
	bool mouse;
};

/* ---- opening ---- */

/* A terminfo string, NULL when the terminal has none. */
static const char *cap(const char *name)
{
	const char *value = tigetstr(name);

	return value == (const char *)-1 ? NULL : value;
}

static int check_terminal(struct status *st)
{
	const char *name = getenv("TERM");
	struct winsize ws;

	if (!isatty(IN_FD) || !isatty(OUT_FD))
		return status__set(st, EXIT_CODE_FAILURE, -ENOTTY, "no terminal: use --batch");
	if (!name || !name[0])
		return status__set(st, EXIT_CODE_FAILURE, -ENOENT,
				   "TERM is not set: try TERM=xterm, or use --batch");
	if (!ioctl(OUT_FD, TIOCGWINSZ, &ws) && MAX(ws.ws_row, ws.ws_col) > SIZE_MAX_DRAWN)
		return status__set(st, EXIT_CODE_FAILURE, -EINVAL,
				   "the terminal says that it has %u columns and %u lines, of which "
				   "%u each can be drawn: try stty cols 80 rows 24",
				   ws.ws_col, ws.ws_row, SIZE_MAX_DRAWN);
	return 0;
}

/* The description of the same terminal with 2^24 colours, where it says that it has them. */
static const char *direct_name(char *buf, size_t size)
{
	const char *says = getenv("COLORTERM"), *name = getenv("TERM");

	if (!says || (strcmp(says, "truecolor") && strcmp(says, "24bit")) || strstr(name, "direct"))
		return NULL;
	snprintf(buf, size, "%.*s-direct", (int)MIN(strcspn(name, "-"), size / 2), name);
	return buf;
}

/* newterm and not initscr: that one ends the program by itself. Descriptions with all colours are
 * in a package of their own (ncurses-term): without it there are 256. */
static SCREEN *new_screen(void)
{
	char buf[64];
	const char *direct = direct_name(buf, sizeof(buf));
	SCREEN *screen = direct ? newterm(direct, stdout, stdin) : NULL;

	return screen ? screen : newterm(NULL, stdout, stdin);
}

static SCREEN *open_screen(struct status *st)
{
	SCREEN *screen;

	/* The size is the terminal's, not what COLUMNS and LINES of another one have been. */
	use_env(FALSE);
	use_tioctl(TRUE);
	screen = new_screen();
	if (!screen) {
		status__set(st, EXIT_CODE_FAILURE, -ENOENT,
			    "no description of the terminal TERM=%.80s: try TERM=xterm, or use "
			    "--batch",
			    getenv("TERM"));
		return NULL;
	}
	if (cap("cup") && cap("clear"))
		return screen;
	endwin();
	delscreen(screen);
	status__set(st, EXIT_CODE_FAILURE, -EOPNOTSUPP,
		    "the terminal TERM=%.80s cannot move its cursor: try TERM=xterm, or use --batch",
		    getenv("TERM"));
	return NULL;
}

/* What a mouse sends begins with it. Others than these are no terminal of xterm's manner. */
static bool reports_mouse(void)
{
	const char *begins = cap("kmous");

	return begins && (!strcmp(begins, "\033[M") || !strcmp(begins, "\033[<"));
}

/* What undoes newterm and set_mouse, for term__emergency_restore. */
static void prepare_restore(void)
{
	static const char *const undo[] = {"sgr0", "op", "rmkx", "cnorm"};

	if (reports_mouse())
		term_restore__add(MOUSE_REPORTS_OFF);
	for (u32 i = 0; i < ARRAY_SIZE(undo); i++)
		term_restore__add(cap(undo[i]));
	term_restore__add(cap("rmcup") ? cap("rmcup") : "\r\n");
	term_restore__arm(OUT_FD);
}

static void set_modes(void)
{
	raw();
	noecho();
	nonl();
	intrflush(stdscr, FALSE);
	keypad(stdscr, TRUE);
	nodelay(stdscr, TRUE);
	set_escdelay(ESC_MS);
	curs_set(0);
	/* Of a report that is cut off, curses waits for the rest, whatever keys are pressed. */
	define_key(NULL, KEY_MOUSE);
}

static void set_mouse(const struct term *t, bool on)
{
	if (!t->mouse)
		return;
	fputs(on ? MOUSE_REPORTS_ON : MOUSE_REPORTS_OFF, stdout);
	fflush(stdout);
}

static void curses__set_theme(struct term *t, const struct theme *theme)
{
	struct theme mono;

	if (t->out.colors < 8) {
		theme__base(&mono, "mono");
		theme = &mono;
	}
	t->edges = !theme__has_grounds(theme, t->out.colors);
	for (int role = 0; role < ROLES; role++)
		for (int selected = 0; selected < 2; selected++)
			t->looks[role][selected] =
				theme__look(theme, (enum role)role, selected, t->out.colors);
	t->redraw = true;
}

static void read_caps(struct term *t)
{
	static const char *const names[CAPS] = {"cup", "hpa", "cuf",   "sgr0",	"bold", "smul",
						"rev", "dim", "setaf", "setab", "el"};

	for (u32 i = 0; i < CAPS; i++)
		t->out.caps[i] = cap(names[i]);
	t->out.fd = OUT_FD;
	t->out.no_colored = MAX(tigetnum("ncv"), 0);
	t->out.wraps_at_once = tigetflag("am") > 0 && tigetflag("xenl") <= 0;
}

static void open_colors(struct term *t, const struct theme *theme)
{
	if (has_colors() && start_color() == OK)
		t->out.colors = COLORS;
	if (t->out.colors)
		use_default_colors();
	read_caps(t);
	curses__set_theme(t, theme);
}

static void resize_buffers(struct term *t)
{
	getmaxyx(stdscr, t->h, t->w);
	free(t->shown);
	free(t->next);
	t->shown = xcalloc((size_t)t->w * (size_t)t->h, sizeof(*t->shown));
	t->next = xcalloc((size_t)t->w * (size_t)t->h, sizeof(*t->next));
	t->redraw = true;
}

static void curses__close(struct term *t)
{
	set_mouse(t, false);
	endwin();
	term_restore__disarm();
	term_signal__close();
	delscreen(t->screen);
	free(t->shown);
	free(t->next);
	free(t->paint.v);
	free(t);
}

static struct term *curses__open(const struct term_options *o, struct status *st)
{
	SCREEN *screen;
	struct term *t;
	int err;

	setlocale(LC_CTYPE, "");
	if (check_terminal(st))
		return NULL;
	term_restore__save(IN_FD);
	screen = open_screen(st);
	if (!screen)
		return NULL;
	t = xcalloc(1, sizeof(*t));
	t->screen = screen;
	t->ascii = o->ascii || strcmp(nl_langinfo(CODESET), "UTF-8") != 0;
	t->cursor_x = t->cursor_y = -1;
	t->mouse = reports_mouse();
	set_modes();
	prepare_restore();
	set_mouse(t, true);
	resize_buffers(t);
	err = term_signal__open(IN_FD);
	t->fd = err;
	if (err >= 0) {
		open_colors(t, o->theme);
		return t;
	}
	status__set(st, EXIT_CODE_FAILURE, err, "cannot watch the terminal: %s", strerror(-err));
	curses__close(t);
	return NULL;
}

/* ---- showing ---- */

/* The character of a parted cell has the left one's ground colour. The terminal's own ground is no colour
 * that a block could have: then the right part has the character's colour, and all is reversed. */
static struct look parted_look(const struct term *t, const struct cell *cell)
{
	s32 left = t->looks[cell->role][0].bg, right = t->looks[cell->right][0].bg;

	return left < 0 ? (struct look){right, LOOK_OWN, LOOK_REVERSE} : (struct look){left, right, 0};
}

static void take_row(struct term *t, const struct cell *row, int w, struct painted *next)
{
	for (int x = 0; x < w; x++) {
		memcpy(next[x].ch, row[x].ch, sizeof(next[x].ch));
		next[x].look = row[x].parted ? parted_look(t, &row[x])
					     : t->looks[row[x].role][row[x].selected];
	}
}

/* The terminal is empty, and so is what it is taken to show. */
static void begin_anew(struct term *t)
{
	const struct painted blank = {{L' '}, {LOOK_OWN, LOOK_OWN, 0}};

	for (int i = 0; i < t->w * t->h; i++)
		t->shown[i] = t->next[i] = blank;
	erase();
	clearok(curscr, TRUE);
	wnoutrefresh(stdscr);
	doupdate();
	t->out.x = t->out.y = -1;
	t->out.look = blank.look;
	t->redraw = false;
}

static void present_cursor(struct term *t, const struct canvas *c)
{
	bool shows = c->cursor_x >= 0 && c->cursor_y >= 0;

	if (shows)
		term_writer__move(&t->out, MIN(c->cursor_x, t->w - 1), MIN(c->cursor_y, t->h - 1));
	if (shows != (t->cursor_x >= 0 && t->cursor_y >= 0))
		curs_set(shows);
	t->cursor_x = c->cursor_x;
	t->cursor_y = c->cursor_y;
}

static void curses__present(struct term *t, const struct canvas *c)
{
	int w = MIN(c->w, t->w);

	if (t->redraw)
		begin_anew(t);
	for (int y = 0; y < MIN(c->h, t->h); y++)
		take_row(t, c->cells + (size_t)y * (size_t)c->w, w, t->next + (size_t)y * (size_t)t->w);
	paint__diff(&t->paint, t->shown, t->next, t->w, t->h);
	for (u32 i = 0; i < t->paint.n; i++)
		term_writer__run(&t->out, &t->paint.v[i], t->shown, t->w, t->h);
	term_writer__plain(&t->out);
	present_cursor(t, c);
	term_writer__flush(&t->out);
}

static void curses__size(struct term *t, int *w, int *h)
{
	*w = t->w;
	*h = t->h;
}

static void curses__redraw(struct term *t)
{
	t->redraw = true;
}

/* ---- signals ---- */

static void follow_size(struct term *t)
{
	struct winsize ws;

	if (!ioctl(OUT_FD, TIOCGWINSZ, &ws) && ws.ws_row && ws.ws_col)
		resize_term(MIN(ws.ws_row, SIZE_MAX_DRAWN), MIN(ws.ws_col, SIZE_MAX_DRAWN));
	resize_buffers(t);
}

/* After somebody else had the terminal: our modes again, and everything written anew. */
static void come_back(struct term *t)
{
	/* After a stop that nobody announced only. Twice would move the shell's cursor to where it
	 * was at the first stop. */
	if (!isendwin())
		endwin();
	refresh();
	curs_set(t->cursor_x >= 0 ? 1 : 0);
	set_mouse(t, true);
	term_restore__arm(OUT_FD);
	follow_size(t);
}

static void curses__suspend(struct term *t)
{
	curs_set(1);
	set_mouse(t, false);
	endwin();
	term_restore__disarm();
	term_signal__stop();
	come_back(t);
}

static bool on_signals(struct term *t)
{
	u32 signals = term_signal__take();

	if (signals & TERM_SIGNAL_STOP)
		curses__suspend(t);
	else if (signals & TERM_SIGNAL_CONT)
		come_back(t);
	else if (signals & TERM_SIGNAL_SIZE)
		follow_size(t);
	return signals != 0;
}

/* ---- input ---- */

static int named_key(int code)
{
	static const struct {
		int code;
		int key;
	} keys[] = {
		{KEY_UP, KEYCODE_UP},	    {KEY_DOWN, KEYCODE_DOWN},
		{KEY_LEFT, KEYCODE_LEFT},   {KEY_RIGHT, KEYCODE_RIGHT},
		{KEY_PPAGE, KEYCODE_PGUP},  {KEY_NPAGE, KEYCODE_PGDN},
		{KEY_HOME, KEYCODE_HOME},   {KEY_END, KEYCODE_END},
		{KEY_FIND, KEYCODE_HOME},   {KEY_SELECT, KEYCODE_END},
		{KEY_A1, KEYCODE_HOME},	    {KEY_C1, KEYCODE_END},
		{KEY_ENTER, KEYCODE_ENTER}, {KEY_BACKSPACE, KEYCODE_BACKSPACE},
		{KEY_DC, KEYCODE_DELETE},   {KEY_BTAB, KEYCODE_BACKTAB},
		{KEY_A3, KEYCODE_PGUP},	    {KEY_C3, KEYCODE_PGDN},
	};

	for (u32 i = 0; i < ARRAY_SIZE(keys); i++)
		if (keys[i].code == code)
			return keys[i].key;
	if (code >= KEY_F(1) && code <= KEY_F(12))
		return KEYCODE_F1 + code - KEY_F(1);
	return 0;
}

static int control_key(int byte)
{
	switch (byte) {
	case '\r':
	case '\n':
		return KEYCODE_ENTER;
	case '\t':
		return KEYCODE_TAB;
	case 0x08:
	case 0x7f:
		return KEYCODE_BACKSPACE;
	}
	return byte;
}

/* A byte of UTF-8; 0 while a character is not complete, and for one that is broken or a control
 * beyond ASCII, which is no key. get_wch would swallow what follows a broken one. */
static int take_byte(struct term *t, int byte)
{
	u32 cp;

	if ((byte & 0xc0) != 0x80)
		t->nbytes = 0;
	else if (!t->nbytes)
		return 0;
	if (byte < 0x80)
		return control_key(byte);
	t->bytes[t->nbytes++] = (char)byte;
	t->bytes[t->nbytes] = '\0';
	if (utf8__decode(t->bytes, &cp) != t->nbytes || t->nbytes == 1) {
		if (t->nbytes >= 4)
			t->nbytes = 0;
		return 0;
	}
	t->nbytes = 0;
	return cp < 0xa0 ? 0 : (int)cp;
}

static bool was_clicked_before(struct term *t, const struct input *in)
{
	u64 now = clock__monotonic_ns();
	bool again = t->click.t_ns && now - t->click.t_ns < CLICK_NS && t->click.x == in->x &&
		     t->click.y == in->y;

	t->click.t_ns = again ? 0 : now;
	t->click.x = in->x;
	t->click.y = in->y;
	return again;
}

/* A sequence that terminfo does not name: the mouse's, or one that goes to its end unheard (a
 * paste's brackets, a focus report, a modified arrow). */
static struct input sequence_byte(struct term *t, int ch)
{
	enum sequence_state state = SEQUENCE_BROKEN;
	struct input in = {0};

	if (ch < 0x100)
		state = sequence__add(&t->sequence, (u8)ch, &in);
	if (state == SEQUENCE_OPEN)
		return in;
	t->sequence_ns = 0;
	if (state == SEQUENCE_BROKEN)
		ungetch(ch);
	if (in.type == INPUT_MOUSE && in.mouse == MOUSE_CLICK && was_clicked_before(t, &in))
		in.mouse = MOUSE_DOUBLE;
	return in;
}

static bool in_sequence(struct term *t)
{
	if (t->sequence_ns && clock__monotonic_ns() - t->sequence_ns > SEQUENCE_NS)
		t->sequence_ns = 0;
	return t->sequence_ns != 0;
}

static struct input key_input(int key)
{
	return (struct input){.type = key ? INPUT_KEY : INPUT_NONE, .key = key};
}

/* Behind "ESC [" or "ESC O"; without anything it was Alt with that letter. */
static struct input begin_sequence(struct term *t, int first)
{
	int ch = getch();

	if (ch == ERR)
		return key_input(first | KEYCODE_ALT);
	if (first == 'O')
		return (struct input){0};
	t->sequence.n = 0;
	t->sequence_ns = clock__monotonic_ns();
	return sequence_byte(t, ch);
}

/* curses has waited for what belongs to the escape, so what follows is there by now. */
static struct input after_escape(struct term *t)
{
	int ch = getch(), key;

	if (ch == ERR || ch == 0x1b)
		return key_input(KEYCODE_ESC);
	if (ch == '[' || ch == 'O')
		return begin_sequence(t, ch);
	key = ch < 0x100 ? take_byte(t, ch) : named_key(ch);
	return key_input(key ? key | KEYCODE_ALT : 0);
}

/* True: more bytes wait, which were no key. *gone: nobody will ever type again. */
static bool more_input(bool *gone)
{
	struct pollfd p = {.fd = IN_FD, .events = POLLIN};
	int bytes = 0;

	*gone = false;
	if (poll(&p, 1, 0) <= 0)
		return false;
	if (!ioctl(IN_FD, FIONREAD, &bytes) && bytes > 0)
		return true;
	*gone = (p.revents & (POLLHUP | POLLERR | POLLNVAL)) != 0;
	return false;
}

static struct input translate(struct term *t, int ch)
{
	if (in_sequence(t))
		return sequence_byte(t, ch);
	if (ch >= 0x100)
		return key_input(named_key(ch));
	return ch == 0x1b ? after_escape(t) : key_input(take_byte(t, ch));
}

static struct input curses__input(struct term *t)
{
	struct input in = {.type = INPUT_RESIZE};

	if (on_signals(t))
		return in;
	for (int i = 0; i < SKIP_MAX; i++) {
		bool gone = false;
		int ch = getch();

		if (ch != ERR) {
			in = translate(t, ch);
			if (in.type != INPUT_NONE)
				return in;
		} else if (!more_input(&gone)) {
			return gone ? (struct input){.type = INPUT_END, .code = EXIT_CODE_FAILURE}
				    : (struct input){0};
		}
	}
	return (struct input){0};
}

static int curses__fd(struct term *t)
{
	return t->fd;
}

static bool curses__ascii(struct term *t)
{
	return t->ascii;
}

static bool curses__edges(struct term *t)
{
	return t->edges;
}

static bool curses__colourless(struct term *t)
{
	return look__same(&t->looks[ROLE_USER][0], &t->looks[ROLE_KERNEL][0]);
}

static void curses__bell(struct term *t)
{
	beep();
}

const struct term_ops term_curses = {
	.open = curses__open,
	.close = curses__close,
	.size = curses__size,
	.present = curses__present,
	.fd = curses__fd,
	.input = curses__input,
	.ascii = curses__ascii,
	.edges = curses__edges,
	.colourless = curses__colourless,
	.set_theme = curses__set_theme,
	.bell = curses__bell,
	.suspend = curses__suspend,
	.redraw = curses__redraw,
};
