/* SPDX-License-Identifier: GPL-2.0-only */
/* Between the butterfly's screen (cpu_callers.c) and its rows in a snapshot
 * (cpu_callers_report.c). */
#ifndef TUI_VIEWS_CPU_CALLERS_H
#define TUI_VIEWS_CPU_CALLERS_H

#include "tui/views/cpu.h"

enum line_kind { LINE_CALLER, LINE_FOCUS, LINE_CALLEE };

/* Selection is by what a line stands for, so it survives new frames. */
struct line_id {
	enum line_kind kind;
	u32 func;
};

struct callers_screen {
	struct screen base;
	struct profile_query query; /* focus set */
	struct query_client query_client;
	struct profile_rows *rows; /* the answer; NULL at first */
	struct line_id selected;
	struct rect body; /* as last drawn, for the mouse */
	u32 top;
	char search[128];
	struct row_table table; /* the lines as rows, for snapshots */
};

/* With an answer only: callers, the function itself, callees. */
u32 callers__lines(const struct callers_screen *s);
/* row: NULL for the function itself. */
struct line_id callers__line(const struct callers_screen *s, u32 line,
			     const struct butterfly_row **row);
const char *callers__line_name(const struct callers_screen *s, const struct butterfly_row *b);

bool callers__report(struct screen *base, struct report *r);

#endif
