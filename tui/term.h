/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Terminal backends. Only tui/term_curses.c includes curses.h and writes to the terminal;
 * tui/term_script.c is a terminal that exists in memory only (--script, tests). UI thread.
 * open sets LC_CTYPE, on which the widths of characters depend.
 */
#ifndef TUI_TERM_H
#define TUI_TERM_H

#include "base/status.h"
#include "widgets/cells.h"
#include "widgets/input.h"

struct theme;

struct term_options {
	const struct theme *theme;
	bool ascii;	   /* --ascii, or the locale is not UTF-8 */
	int w, h;	   /* --size, for the script terminal; 0: ask */
	const char *script; /* --script; NULL: a script terminal without a script */
};

struct term;

struct term_ops {
	struct term *(*open)(const struct term_options *o, struct status *st);
	void (*close)(struct term *t); /* restores the terminal */
	void (*size)(struct term *t, int *w, int *h);
	/* Shows the canvas: only cells that changed are written. */
	void (*present)(struct term *t, const struct canvas *c);
	int (*fd)(struct term *t); /* readable when input() has something: key, resize, signal */
	/* The next event that is there already, INPUT_NONE when none; never waits. */
	struct input (*input)(struct term *t);
	bool (*ascii)(struct term *t);
	/* As in struct canvas; the theme may change them. */
	bool (*edges)(struct term *t);
	bool (*colourless)(struct term *t);
	/* The next present shows all in this theme. */
	void (*set_theme)(struct term *t, const struct theme *theme);
	void (*bell)(struct term *t);
	/* Leaves the screen for a shell (Ctrl-Z) and returns after SIGCONT. */
	void (*suspend)(struct term *t);
	/* What the terminal shows is unknown (C-l): the next present writes every cell. */
	void (*redraw)(struct term *t);
	/* The loop calls it when all events are handled, nothing is pending in the background
	 * and the screen shows it: the script goes on. NULL for a real terminal. */
	void (*idle)(struct term *t);
};

extern const struct term_ops term_curses;
extern const struct term_ops term_script;

/* Restores the terminal from a signal handler: async-signal-safe. */
void term__emergency_restore(void);

#endif
