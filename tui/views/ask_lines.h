/* SPDX-License-Identifier: GPL-2.0-only */
/* The screen of a list that is asked for: its lines, each of which unfolds to its stack. UI thread
 * only. */
#ifndef TUI_VIEWS_ASK_LINES_H
#define TUI_VIEWS_ASK_LINES_H

#include "models/ask_lines.h"
#include "tui/view.h"

struct screen *ask_lines__open(struct host *h, const struct measure *m, enum time_window window);

#endif
