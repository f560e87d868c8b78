/* SPDX-License-Identifier: GPL-2.0-only */
/* Help: keys and what they do, in one to three columns below headings, and text below them; scrolls,
 * and is searched. */
#ifndef WIDGETS_HELP_H
#define WIDGETS_HELP_H

#include "widgets/cells.h"
#include "widgets/input.h"

/* One row; a row whose key is NULL is a heading (text), one whose key is "" a note. */
struct help_row {
	const char *key; /* "Enter", "n N" */
	const char *text;
};

/* A line of text; of ROLE_TEXT what stands between backticks is drawn as keys are, without them. */
struct help_line {
	enum role role;
	const char *text;
};

#define HELP_NEEDLE  40
#define HELP_FRAME_W 4 /* cells of a width that text has not */

struct help {
	char title[64];
	int top;   /* first visible line */
	int lines; /* in all, page: visible; both made by help__draw */
	int page;
	char needle[HELP_NEEDLE]; /* what is searched, "" nothing */
	bool typing;		  /* it is being typed */
	int origin; /* line that was the first one when it began */
	int seek;   /* 1, -1: the match after `found`, before it, is wanted */
	int found;  /* line with the needle; -1 none */
};

enum help_result { HELP_OPEN, HELP_CLOSED };

void help__open(struct help *h, const char *title);
/* Arrows, jk, PgUp/PgDn, Space, Home/End and the wheel scroll, / searches, n and N go on with it;
 * everything else closes. */
enum help_result help__input(struct help *h, const struct input *in);
/* What is drawn; borrowed. */
struct help_content {
	const struct help_row *rows;
	u32 nrows;
	const struct help_line *text;
	u32 ntext;
};

/* Fills area; sections (a heading with its rows) flow into as many columns as fit. */
void help__draw(struct help *h, const struct help_content *what, struct canvas *c, struct rect area);

#endif
