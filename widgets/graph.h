/* SPDX-License-Identifier: GPL-2.0-only */
/* Graphs of what changes with time, several lines high, in the colours of a gradient: braille (two
 * values a cell, four dots high), blocks (an eighth of a cell) or characters of ASCII (a third). The
 * canvas says which. Stateless. */
#ifndef WIDGETS_GRAPH_H
#define WIDGETS_GRAPH_H

#include "widgets/cells.h"

struct graph {
	enum role gradient; /* its first role */
	const float *v;	    /* oldest first; negative or not a number: a gap */
	u32 n;
	u32 most;  /* values there can be; where they leave room, each is that much wider. 0: no matter */
	float max; /* what fills the height; 0 or less: the greatest value that is shown */
};

/* The newest value at the right edge; what is missing at the left stays blank. What is above 0 shows,
 * and 0 is a line at the bottom. In one line a colour says how much; in several, how high. */
void graph__draw(const struct graph *g, struct canvas *c, struct rect r);

#endif
