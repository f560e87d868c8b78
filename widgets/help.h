/* SPDX-License-Identifier: GPL-2.0-only */
/* Help: keys and what they do, in one to three columns below headings; scrolls. */
#ifndef WIDGETS_HELP_H
#define WIDGETS_HELP_H

#include "widgets/cells.h"
#include "widgets/input.h"

/* One row; a row whose key is NULL is a heading (text), one whose key is "" a note. */
struct help_row {
	const char *key; /* "Enter", "n N" */
	const char *text;
};

struct help {
	char title[64];
	int top;   /* first visible line */
	int lines; /* in all, page: visible; both made by help__draw */
	int page;
};

enum help_result { HELP_OPEN, HELP_CLOSED };

void help__open(struct help *h, const char *title);
/* Arrows, jk, PgUp/PgDn, Space, Home/End and the wheel scroll; everything else closes. */
enum help_result help__input(struct help *h, const struct input *in);
/* Fills area; sections (a heading with its rows) flow into as many columns as fit. */
void help__draw(struct help *h, const struct help_row *rows, u32 n, struct canvas *c,
		struct rect area);

#endif
