/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef WIDGETS_PARAGRAPH_H
#define WIDGETS_PARAGRAPH_H

#include "widgets/cells.h"

/* Text wrapped at blanks into r; what does not fit is left out. Returns lines used. */
int draw__paragraph(struct canvas *c, struct rect r, enum role role, const char *text);
/* Lines that it would need at a width of w. */
int paragraph__height(const char *text, int w);

#endif
