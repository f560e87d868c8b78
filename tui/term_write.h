/* SPDX-License-Identifier: GPL-2.0-only */
/* What is sent to a terminal, by its description: moves of its cursor, looks and characters. One terminal at a
 * time; UI thread only. */
#ifndef TUI_TERM_WRITE_H
#define TUI_TERM_WRITE_H

#include "tui/paint.h"

/* What a terminal is sent. */
enum term_cap {
	CAP_CURSOR, CAP_COLUMN, CAP_RIGHT, CAP_PLAIN, CAP_BOLD, CAP_UNDERLINE, CAP_REVERSE, CAP_DIM,
	CAP_FOREGROUND, CAP_BACKGROUND, CAP_CLEAR_LINE,
	CAPS
};

struct term_writer {
	int fd;
	const char *caps[CAPS]; /* NULL: it has none */
	int no_colored;		/* attributes that it does not show in colours, as terminfo numbers them */
	bool wraps_at_once;	/* a character in the last column moves the cursor to the next line */
	int colors;
	int x, y;	  /* where its cursor is; -1: not known */
	struct look look; /* and what it writes in */
};

void term_writer__move(struct term_writer *t, int x, int y);
/* A run of what is to be shown, w x h. */
void term_writer__run(struct term_writer *t, const struct paint_run *run, const struct painted *shown,
		      int w, int h);
/* Whatever follows has the terminal's own look. */
void term_writer__plain(struct term_writer *t);
/* Until then nothing is sent. */
void term_writer__flush(const struct term_writer *t);

#endif
