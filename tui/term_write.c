// SPDX-License-Identifier: GPL-2.0-only
#include "tui/term_write.h"

#include <limits.h>
#include <poll.h>
#include <unistd.h>
#include <wchar.h>

#include "base/arena.h"

/* <term.h>, which has them, makes macros of words that everybody uses. */
int tputs(const char *text, int lines, int (*put_byte)(int));
char *tparm(const char *text, ...);

/* Of one screen's update; what tputs calls has no argument for it. */
static struct {
	char *v;
	u32 n, cap;
} out;

static int put_byte(int c)
{
	out.v = xgrow(out.v, out.n, &out.cap, 1);
	out.v[out.n++] = (char)c;
	return c;
}

static void put(const char *text)
{
	if (text)
		tputs(text, 1, put_byte);
}

void term_writer__flush(const struct term_writer *t)
{
	for (u32 at = 0; at < out.n;) {
		ssize_t n = write(t->fd, out.v + at, out.n - at);
		struct pollfd p = {.fd = t->fd, .events = POLLOUT};

		if (n > 0)
			at += (u32)n;
		else if (n < 0 && errno == EAGAIN)
			poll(&p, 1, -1);
		else if (n < 0 && errno != EINTR)
			break;
	}
	out.n = 0;
}

/* To a place in its row, by the shorter of what it has for that. */
static void move_right(struct term_writer *t, int x)
{
	char by[32] = "", to[32] = "";

	if (t->caps[CAP_RIGHT] && x > t->x)
		copy_str(by, sizeof(by), tparm(t->caps[CAP_RIGHT], x - t->x));
	if (t->caps[CAP_COLUMN])
		copy_str(to, sizeof(to), tparm(t->caps[CAP_COLUMN], x));
	put(*by && (!*to || strlen(by) < strlen(to)) ? by : to);
}

void term_writer__move(struct term_writer *t, int x, int y)
{
	bool in_row = t->y == y && t->x >= 0 &&
		      (t->caps[CAP_COLUMN] || (t->caps[CAP_RIGHT] && x > t->x));

	if (t->x == x && t->y == y)
		return;
	if (in_row)
		move_right(t, x);
	else
		put(tparm(t->caps[CAP_CURSOR], y, x));
	t->x = x;
	t->y = y;
}

static void write_plain(struct term_writer *t)
{
	put(t->caps[CAP_PLAIN]);
	t->look = (struct look){LOOK_OWN, LOOK_OWN, 0};
}

static void write_attrs(struct term_writer *t, u8 attrs, bool colored)
{
	static const struct {
		u8 attr;
		enum term_cap cap;
		int number; /* of terminfo's ncv */
	} all[] = {{LOOK_UNDERLINE, CAP_UNDERLINE, 2},
		   {LOOK_REVERSE, CAP_REVERSE, 4},
		   {LOOK_DIM, CAP_DIM, 16},
		   {LOOK_BOLD, CAP_BOLD, 32}};

	for (u32 i = 0; i < ARRAY_SIZE(all); i++)
		if (attrs & all[i].attr && !(colored && t->no_colored & all[i].number))
			put(t->caps[all[i].cap]);
}

static void write_color(struct term_writer *t, enum term_cap which, s32 color)
{
	if (color >= 0 && color < t->colors && t->caps[which])
		put(tparm(t->caps[which], color));
}

/* An attribute, or the terminal's own colour, is had again by a plain look alone. */
static void write_look(struct term_writer *t, const struct look *look)
{
	const struct look *now = &t->look;

	if (now->attrs != look->attrs || (now->fg >= 0 && look->fg < 0) ||
	    (now->bg >= 0 && look->bg < 0)) {
		if (now->attrs || now->fg >= 0 || now->bg >= 0)
			write_plain(t);
		write_attrs(t, look->attrs, look->fg >= 0 || look->bg >= 0);
	}
	if (now->fg != look->fg)
		write_color(t, CAP_FOREGROUND, look->fg);
	if (now->bg != look->bg)
		write_color(t, CAP_BACKGROUND, look->bg);
	t->look = *look;
}

static void write_character(const struct painted *c)
{
	for (u32 i = 0; i < ARRAY_SIZE(c->ch) && c->ch[i]; i++) {
		mbstate_t state = {0};
		char bytes[MB_LEN_MAX];
		size_t n = wcrtomb(bytes, c->ch[i], &state);

		if (n == (size_t)-1)
			put_byte('?');
		for (size_t b = 0; n != (size_t)-1 && b < n; b++)
			put_byte(bytes[b]);
	}
}

/* How many cells of a run have to be written: blanks up to the row's end are cleared at once. */
static int text_of(const struct term_writer *t, const struct paint_run *run, const struct painted *row,
		   int w)
{
	int n = run->n;

	if (run->x + n < w || run->look.bg >= 0 || !t->caps[CAP_CLEAR_LINE])
		return n;
	while (n && painted__is_blank(&row[run->x + n - 1]))
		n--;
	return run->n - n > 3 ? n : run->n;
}

void term_writer__run(struct term_writer *t, const struct paint_run *run, const struct painted *shown,
		      int w, int h)
{
	const struct painted *row = shown + (size_t)run->y * (size_t)w;
	int n = text_of(t, run, row, w);
	bool last = run->y == h - 1 && run->x + n == w;

	term_writer__move(t, run->x, run->y);
	write_look(t, &run->look);
	for (int x = run->x; x < run->x + n - (last && t->wraps_at_once); x++)
		write_character(&row[x]);
	if (n < run->n)
		put(t->caps[CAP_CLEAR_LINE]);
	t->x = run->x + n < w ? run->x + n : -1;
}

void term_writer__plain(struct term_writer *t)
{
	if (t->look.attrs || t->look.fg >= 0 || t->look.bg >= 0)
		write_plain(t);
}
