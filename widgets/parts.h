/* SPDX-License-Identifier: GPL-2.0-only */
/* A bar cut into parts, such as where the wall time of a process went. Stateless. */
#ifndef WIDGETS_PARTS_H
#define WIDGETS_PARTS_H

#include "widgets/cells.h"

/* w cells: each part has as many as its share of 1, rounded so that they fill the bar. A part with
 * PARTS_LEAST of the whole or more has a cell. Parts are known by letters (u k q d l w s): in ascii
 * mode, and where colours are few, they are drawn as those. */
#define PARTS_LEAST 0.01f
void parts__draw(struct canvas *c, struct rect r, const float *shares, u32 n, const char *letters);
/* The part that is drawn in the x-th of w cells; n: none. */
u32 parts__at(const float *shares, u32 n, u32 w, u32 x);
/* The mark of one part, for legends. */
void parts__mark(struct canvas *c, int x, int y, char letter);
/* Pure: the cells of each part; the tests' too. */
void parts__cells(const float *shares, u32 n, u32 w, u32 *cells);

#endif
