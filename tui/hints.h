/* SPDX-License-Identifier: GPL-2.0-only */
/* The line of hints: keys that matter, those of the row under the cursor first. UI thread only. */
#ifndef TUI_HINTS_H
#define TUI_HINTS_H

#include "tui/keymap.h"

#define HINTS_MAX  24
#define HINT_GAP   2

struct host;

struct hint {
	enum action action;
	int x, w; /* cells of the line */
	char key[16], text[48];
};

/* Those that fit into w cells, from the left; returns how many. */
u32 hints__make(const struct host *h, int w, struct hint out[HINTS_MAX]);

#endif
