/* SPDX-License-Identifier: GPL-2.0-only */
/* A meter: parts of a whole side by side, each in its role; without colours each has a character of
 * its own. Stateless. */
#ifndef WIDGETS_METER_H
#define WIDGETS_METER_H

#include "widgets/cells.h"

struct meter_part {
	double fraction; /* 0..1 of the whole */
	enum role role;
	char ascii; /* what it is drawn with in ascii mode */
};

/* Over w cells; what no part takes is dotted. A part that has something gets a cell as long as there
 * is room. */
void meter__draw(struct canvas *c, int x, int y, int w, const struct meter_part *parts, u32 n);

/* One amount: from the left in the colours of a gradient, whose first role is given. */
void meter__fill(struct canvas *c, int x, int y, int w, enum role gradient, double fraction);
/* The same, and the rest dotted. */
void meter__grade(struct canvas *c, int x, int y, int w, enum role gradient, double fraction);

#endif
