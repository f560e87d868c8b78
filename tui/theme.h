/* SPDX-License-Identifier: GPL-2.0-only */
/* Themes: how a role looks. Colour is an addition; attributes alone have to be enough. */
#ifndef TUI_THEME_H
#define TUI_THEME_H

#include "core/status.h"
#include "widgets/cells.h"

enum look_attr { LOOK_BOLD = 1, LOOK_UNDERLINE = 2, LOOK_REVERSE = 4, LOOK_DIM = 8 };

struct look {
	int16_t fg, bg; /* colour number, -1 the terminal's own */
	u8 attrs;	/* enum look_attr */
};

struct theme;

/* name NULL: "default", or "mono" when the environment says NO_COLOR; "mono" too where the
 * terminal has less than 8 colours. NULL and a status for an unknown name. */
const struct theme *theme__pick(const char *name, int colors, struct status *st);
/* Whether boxes can be told apart by their ground colours alone. */
bool theme__has_grounds(const struct theme *t, int colors);
/* colors: of the terminal; below 256 the eight basic ones are used. */
struct look theme__look(const struct theme *t, enum role role, bool selected, int colors);

#endif
