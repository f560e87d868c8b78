/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Cells: what widgets draw into. A canvas is a grid of cells; the terminal backend shows
 * the difference to what is on the terminal, tests compare it as text. No I/O here.
 *
 * Text is UTF-8 and untrusted: control characters and broken bytes become visible
 * replacements, so nothing drawn can reach the terminal as a command.
 */
#ifndef WIDGETS_CELLS_H
#define WIDGETS_CELLS_H

#include <stdio.h>

#include "base/base.h"
#include "widgets/text.h"

/* What a piece of text is, not how it looks; the theme decides that. */
enum role {
	ROLE_TEXT, ROLE_DIM, ROLE_STRONG, ROLE_TITLE, ROLE_HEADER, ROLE_SORTED, ROLE_SELECTED,
	ROLE_TAB, ROLE_TAB_ACTIVE, ROLE_KEY, ROLE_OK, ROLE_WARN, ROLE_BAD, ROLE_BAR, ROLE_HOT,
	ROLE_WARM, ROLE_COOL, ROLE_USER, ROLE_KERNEL, ROLE_INLINED, ROLE_JIT, ROLE_SCRIPT, ROLE_JAVA,
	ROLE_JAVASCRIPT, ROLE_PHP, ROLE_RUBY, ROLE_PERL,
	ROLE_MATCH, ROLE_PROMPT, ROLE_ERROR, ROLE_BORDER,
	/* Boxes of flame graphs: three shades of each hue, one after the other. */
	ROLE_FLAME_ABOVE, ROLE_FLAME_MATCH,
	ROLE_FLAME_PLAIN, ROLE_FLAME_PLAIN_2, ROLE_FLAME_PLAIN_3,
	ROLE_FLAME_USER, ROLE_FLAME_USER_2, ROLE_FLAME_USER_3,
	ROLE_FLAME_LIBRARY, ROLE_FLAME_LIBRARY_2, ROLE_FLAME_LIBRARY_3,
	ROLE_FLAME_KERNEL, ROLE_FLAME_KERNEL_2, ROLE_FLAME_KERNEL_3,
	ROLE_FLAME_INLINED, ROLE_FLAME_INLINED_2, ROLE_FLAME_INLINED_3,
	ROLE_FLAME_JIT, ROLE_FLAME_JIT_2, ROLE_FLAME_JIT_3,
	ROLE_FLAME_SCRIPT, ROLE_FLAME_SCRIPT_2, ROLE_FLAME_SCRIPT_3,
	ROLE_FLAME_JAVA, ROLE_FLAME_JAVA_2, ROLE_FLAME_JAVA_3,
	ROLE_FLAME_JAVASCRIPT, ROLE_FLAME_JAVASCRIPT_2, ROLE_FLAME_JAVASCRIPT_3,
	ROLE_FLAME_PHP, ROLE_FLAME_PHP_2, ROLE_FLAME_PHP_3,
	ROLE_FLAME_RUBY, ROLE_FLAME_RUBY_2, ROLE_FLAME_RUBY_3,
	ROLE_FLAME_PERL, ROLE_FLAME_PERL_2, ROLE_FLAME_PERL_3,
	ROLE_FLAME_GO, ROLE_FLAME_GO_2, ROLE_FLAME_GO_3,
	ROLE_FLAME_COLD, ROLE_FLAME_COLD_2, ROLE_FLAME_COLD_3,
	/* Cells of heat maps, from few to many; the selected one. */
	ROLE_HEAT_1, ROLE_HEAT_2, ROLE_HEAT_3, ROLE_HEAT_4, ROLE_HEAT_5, ROLE_HEAT_6, ROLE_HEAT_7,
	ROLE_HEAT_8, ROLE_HEAT_AT,
	/* What grew or shrank, little, more, much: two shades of each. */
	ROLE_FLAME_GREW, ROLE_FLAME_GREW_LAST = ROLE_FLAME_GREW + 5,
	ROLE_FLAME_SHRANK, ROLE_FLAME_SHRANK_LAST = ROLE_FLAME_SHRANK + 5,
	/* Gradients, GRADES roles each: how full something is, and what comes in and goes out. */
	ROLE_LOAD, ROLE_LOAD_LAST = ROLE_LOAD + 9,
	ROLE_IN, ROLE_IN_LAST = ROLE_IN + 9,
	ROLE_OUT, ROLE_OUT_LAST = ROLE_OUT + 9,
	ROLES
};

#define GRADES 10

/* The role of a part of the whole (0..1) in a gradient, which its first role names. */
enum role role__grade(enum role gradient, double part);

/* What graphs are drawn with; characters of ASCII where a canvas has no others. */
enum graph_style { GRAPHS_BRAILLE, GRAPHS_BLOCKS, GRAPHS_ASCII, GRAPH_STYLES };
extern const char *const graph_style_names[GRAPH_STYLES + 1]; /* NULL behind them */

/* As goldens and themes have them. */
extern const char *const role_names[ROLES];

#define CELL_MAX_COMBINING 2

struct cell {
	wchar_t ch[1 + CELL_MAX_COMBINING]; /* ch[0] == 0: right half of a wide character */
	u8 role;  /* enum role */
	bool selected; /* on the cursor row: shown reversed or as the theme says */
	/* The cell is parted: its character, a block at the left, above or below, has the ground
	 * colour of `role`, and the rest that of `right`. */
	bool parted;
	u8 right;
};

struct rect {
	int x, y, w, h;
};

struct canvas {
	int w, h;
	struct cell *cells; /* row by row */
	bool ascii;	    /* only 7-bit characters may be drawn */
	bool colourless;    /* parts of a bar have to differ by their characters */
	bool edges;	    /* ground colours are too few, or none, to tell boxes apart by them */
	enum graph_style graphs;
	int cursor_x, cursor_y; /* where a prompt wants the cursor; -1: hidden */
};

void canvas__init(struct canvas *c, int w, int h, bool ascii);
void canvas__fini(struct canvas *c);
void canvas__resize(struct canvas *c, int w, int h); /* clears */
void canvas__clear(struct canvas *c);
struct rect canvas__rect(const struct canvas *c);

/* All drawing is clipped to the canvas and to `w` cells from x. Returns cells used. */
int draw__text(struct canvas *c, int x, int y, int w, enum role role, const char *text);
int draw__textf(struct canvas *c, int x, int y, int w, enum role role, const char *fmt, ...)
	PRINTF_LIKE(6, 7);
/* Right-aligned in w. */
int draw__right(struct canvas *c, int x, int y, int w, enum role role, const char *text);
/* Cut at its end with an ellipsis when it does not fit in w. */
int draw__cut(struct canvas *c, int x, int y, int w, enum role role, const char *text);
/* The same, at the end of a word. */
int draw__words(struct canvas *c, int x, int y, int w, enum role role, const char *text);
/* Cut in the middle with an ellipsis when it does not fit, so that both ends show. */
int draw__middle(struct canvas *c, int x, int y, int w, enum role role, const char *text);
void draw__fill(struct canvas *c, struct rect r, enum role role, wchar_t ch);
/* Marks the cells of a row as selected, keeping their text and roles. */
void draw__select(struct canvas *c, int x, int y, int w);
void draw__box(struct canvas *c, struct rect r, enum role role, const char *title);

/* The canvas as text, a line a row, trailing blanks cut; for goldens and snapshots. With
 * roles: every run of a role is marked {role:...}. */
void canvas__dump(const struct canvas *c, FILE *out, bool roles);

/* --- numbers: fixed width, aligned, with units --- */
void format__count(char *buf, size_t size, u64 n);     /* 999, 12.3k, 4.56M */
void format__bytes(char *buf, size_t size, u64 n);     /* 12.3K, 4.56M (1024) */
void format__ns(char *buf, size_t size, u64 ns);       /* 12.3us, 4.56ms, 1.20s */
void format__number(char *buf, size_t size, double n); /* 0.84, 123.4, 12.3k; "—": not a number */
void format__pct(char *buf, size_t size, double pct);  /* 100.0, 12.34, 0.05, "<.01" */

#endif
