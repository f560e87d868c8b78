/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The line of tabs: views with the keys that open them, then where one is within a view, and what the
 * view cannot do. UI thread only.
 */
#ifndef TUI_TABS_H
#define TUI_TABS_H

#include "tui/keymap.h"

struct host;

void tabs__draw(struct host *h, int y);
/* What a click on the line does, ACTION_NONE nothing. */
enum action tabs__at(const struct host *h, int x);

#endif
