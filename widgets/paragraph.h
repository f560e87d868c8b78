/* SPDX-License-Identifier: GPL-2.0-only */
/* Text that is wrapped at blanks, and ends lines where it says so (\n, none of them empty). Stateless. */
#ifndef WIDGETS_PARAGRAPH_H
#define WIDGETS_PARAGRAPH_H

#include "widgets/cells.h"

/* Into r; what does not fit is left out. Returns lines used. */
int draw__paragraph(struct canvas *c, struct rect r, enum role role, const char *text);
/* As that, from the line after the first `skip` ones. */
int draw__paragraph_from(struct canvas *c, struct rect r, enum role role, const char *text, int skip);
/* Lines that it would need at a width of w. */
int paragraph__height(const char *text, int w);

#endif
