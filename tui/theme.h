/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Themes: how a role looks. Text files; those in themes/ are compiled in and have names, one's own
 * are read by the same parser. Colour is an addition; attributes alone have to be enough. Lines:
 *
 *	base NAME	begin with that compiled-in theme, "none": without any looks; first of all
 *	ROLE LOOK [| LOOK]	the second is for less than 256 colours; without it the nearest of 8
 *	gradient NAME COLOUR COLOUR... [| COLOUR...]
 *		all roles of a gradient (load, in, out, heat) at once, from the first colour to the
 *		last one through those between; behind | in as many steps as there are colours
 *	LOOK = COLOUR [on COLOUR] {bold|underline|reverse|dim}
 *	COLOUR = own | black red green yellow blue magenta cyan white | bright-... | 0..255 |
 *#rrggbb
 *
 * '#' begins a comment where no colour is meant. A role that a file has twice is wrong.
 */
#ifndef TUI_THEME_H
#define TUI_THEME_H

#include "base/status.h"
#include "widgets/cells.h"

enum look_attr { LOOK_BOLD = 1, LOOK_UNDERLINE = 2, LOOK_REVERSE = 4, LOOK_DIM = 8 };

#define LOOK_OWN -1	   /* the terminal's own colour */
#define LOOK_RGB 0x1000000 /* a bit: with 0xrrggbb; else one of 256 colours, as xterm has them */

struct look {
	s32 fg, bg;
	u8 attrs; /* enum look_attr */
};

struct style {
	struct look many; /* 256 colours and more */
	struct look few;  /* LOOK_OWN or 0 to 15 */
};

struct theme {
	struct style styles[ROLES];
};

/* Compiled in, the default first, NULL-terminated. */
extern const char *const theme_names[];

/* A compiled-in theme, "none": all plain; false for another name. */
bool theme__base(struct theme *t, const char *name);
/* Reads rows over the present ones. Errors name file, line and what is wrong; the theme is then
 * unchanged. */
int theme__parse(struct theme *t, const char *text, size_t len, const char *name,
		 struct status *st);
/* A compiled-in theme, an own NAME.theme (unless `own` is false) or a file. NULL: the default, or
 * "mono" when the environment says NO_COLOR. */
int theme__choose(struct theme *t, const char *choice, bool own, struct status *st);

/* --- what a terminal of so many colours shows; with less than 8 the theme has to be "mono" --- */

/* Whether boxes can be distinguished by their ground colours alone. */
bool theme__has_grounds(const struct theme *t, int colors);
/* Colours are numbers of the terminal's: with 2^24 of them, those of terminfo's direct ones. */
struct look theme__look(const struct theme *t, enum role role, bool selected, int colors);

#endif
