/* SPDX-License-Identifier: GPL-2.0-only */
/* Batch mode: the same models and views without a screen; reports to streams. */
#ifndef TUI_BATCH_H
#define TUI_BATCH_H

#include "base/child.h"
#include "pipeline/collector.h"
#include "tui/options.h"
#include "tui/view.h"

/* Whether the view has what all formats asked for are made from; -EOPNOTSUPP with st. */
int batch__check_formats(const struct options *o, struct status *st);
/* Whether the view has the column that rows are to be sorted by; -EINVAL with st. */
int batch__check_sort(const struct options *o, struct symbols *symbols, const struct scope *scope,
		      struct status *st);
/* Runs until the iterations, the command or the user end it; returns the exit code. */
int batch__run(const struct options *o, struct collector *c, struct symbols *symbols,
	       struct child *child, const struct baseline *baseline);

#endif
