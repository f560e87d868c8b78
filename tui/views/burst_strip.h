/* SPDX-License-Identifier: GPL-2.0-only */
/* A burst's slots side by side, a line a CPU. UI thread only. */
#ifndef TUI_VIEWS_BURST_STRIP_H
#define TUI_VIEWS_BURST_STRIP_H

#include "models/ask_lines.h"
#include "tui/views/listing.h"

/* Above the listing's table, whose rows are the slots of one question with this form: a column each, around the row
 * that the cursor was moved to, else the last. line: of a row; NULL: it has none. Returns lines of `area` used. */
int burst_strip__draw(const struct listing *l, const struct ask_form *form,
		      const struct ask_line_row *(*line)(const struct listing *l, u32 row), struct canvas *c,
		      struct rect area);

#endif
