/* SPDX-License-Identifier: GPL-2.0-only */
/* Code on a screen, line by line: instructions, and what begins before them. One line is selected. UI thread. */
#ifndef TUI_VIEWS_CODE_LINES_H
#define TUI_VIEWS_CODE_LINES_H

#include "symbols/symbols.h"
#include "tui/view.h"

enum code_line_kind { CODE_LINE_FUNCTION, CODE_LINE_SOURCE, CODE_LINE_INSN };

struct code_line {
	u32 insn;
	enum code_line_kind kind;
};

/* Zero it first; a reference to the code is its own. */
struct code_lines {
	const struct annotation *code; /* NULL: it was asked for */
	struct code_line *v;
	u32 n, selected, top;
	struct rect body;
	char search[128];
};

/* Whose lines begin before an instruction. */
typedef bool (*code_lines__begins)(const struct annotated_insn *insns, u32 i);

/* Makes the lines of the code; the selected instruction stays so. NULL: no lines of that kind. */
void code_lines__build(struct code_lines *l, code_lines__begins function, code_lines__begins source);
/* Its code is no more. */
void code_lines__drop(struct code_lines *l);
void code_lines__fini(struct code_lines *l);

/* Below the note that the code has; `waiting` is said as long as it is not there. Returns what is left where
 * there are no lines. */
struct rect code_lines__draw(struct code_lines *l, struct canvas *c, struct rect area, const char *waiting,
			     void (*draw)(void *ctx, const struct code_line *line, struct canvas *c, struct rect r),
			     void *ctx);
/* False: it is about something else. */
bool code_lines__action(struct code_lines *l, enum action a);
void code_lines__mouse(struct code_lines *l, const struct input *in);
bool code_lines__search(struct code_lines *l, const char *text, int dir);

/* NULL: there are no lines. */
const struct annotated_insn *code_lines__selected(const struct code_lines *l);
void code_lines__select(struct code_lines *l, u32 insn);
const char *code_line__file(const struct annotated_insn *in); /* without its folder */

#endif
