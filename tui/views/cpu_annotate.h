/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Between the files of the annotated function: the screen (cpu_annotate.c), what it looks
 * like (cpu_annotate_draw.c), its rows in a snapshot (cpu_annotate_report.c).
 */
#ifndef TUI_VIEWS_CPU_ANNOTATE_H
#define TUI_VIEWS_CPU_ANNOTATE_H

#include "tui/views/code_lines.h"
#include "tui/views/cpu.h"

/* The function's samples by offset; of the rows its sums. */
struct code_result {
	struct query_result base; /* without rows of its own */
	struct profile_rows *rows;
	struct offset_weight *offsets;
	u32 noffsets;
};

struct annotate_screen {
	struct screen base;
	struct profile_query query;
	struct query_client query_client;
	struct code_result *result;
	struct code_lines lines;
	bool with_source;
	double *pct;	 /* per instruction, of the function's self weight */
	u32 *order;	 /* instructions by share, heaviest first, those above 0 only */
	u32 norder;
	bool placed; /* the cursor was put on the hottest line once */
	struct row_table table; /* the instructions as rows, for snapshots */
};

/* Its lines of source stand in the place of instructions (annotated_insn.offset is the line). */
static inline bool annotate__is_script(const struct annotate_screen *s)
{
	return code_kind__is_lines(symbols__func(host__symbols(s->base.host), s->query.focus)->kind);
}

void annotate__draw(struct screen *base, struct canvas *c, struct rect area);
bool annotate__report(struct screen *base, struct report *r);

#endif
