/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A flame graph as rows, for reports: one a node, in preorder, each with its depth and the row
 * of its parent, so that they are a tree to programs too. UI thread.
 */
#ifndef MODELS_FLAME_ROWS_H
#define MODELS_FLAME_ROWS_H

#include "export/export.h"
#include "models/flame.h"

struct flame_rows {
	struct row_table table;
	const struct flame_result *result; /* borrowed */
	u32 zoom;			   /* row 0 */
	const char **trees; /* by row: indented names */
	struct arena arena;
};

/* What is at a node and below it. The answer has to stay. */
struct flame_rows *flame_rows__new(const struct flame_result *a, u32 zoom);
void flame_rows__free(struct flame_rows *r); /* NULL is fine */

/* The stacks of an answer of a source's view, as struct report has them; folded text is made
 * from them where the view does not do it itself. */
void flame__report(struct report *r, const struct flame_source *source);
/* struct report's baseline_stacks, where it has asked_baseline. */
void flame__report_baseline(const struct report *r,
			    void (*emit)(void *ctx, const struct value_frame *frames, u32 n,
					 u64 weight),
			    void *ctx);
/* struct report's folded, from its stacks. */
void flame__folded(const struct report *r, void (*emit)(void *ctx, const char *stack, u64 weight),
		   void *ctx);

#endif
