/* SPDX-License-Identifier: GPL-2.0-only */
/* Tools that people know by name, as settings of a view: tui/presets.def. */
#ifndef TUI_PRESETS_H
#define TUI_PRESETS_H

#include <stdio.h>

#include "base/base.h"

struct preset {
	const char *name, *view;
	const char *group, *filter, *sort; /* "": the view's own; none; the view's own */
	const char *help;
};

extern const struct preset preset_table[];
extern const u32 presets_count;

/* NULL: there is none of that name. */
const struct preset *preset__by_name(const char *name);
/* A line each, questions last: --list-presets. */
void presets__print(FILE *out);

#endif
