/* SPDX-License-Identifier: GPL-2.0-only */
/* What a command has counted from its begin to its end, in the layout of perf-stat(1). */
#ifndef TUI_STAT_TABLE_H
#define TUI_STAT_TABLE_H

#include <stdio.h>

#include "base/child.h"
#include "samples/snap.h"

/* f: the last frame of the view counters. */
void stat_table__write(FILE *out, const struct frame *f, char *const *command,
		       const struct child_times *times);

#endif
