/* SPDX-License-Identifier: GPL-2.0-only */
/* Picks the functions whose calls are timed (samples/functions.h): PATH:GLOB becomes names and
 * places. UI thread, and at the start. */
#ifndef TUI_FUNCTIONS_H
#define TUI_FUNCTIONS_H

#include "base/status.h"
#include "samples/functions.h"

/* One more PATH:GLOB, with ! before it whatever it takes; PATH: a file, a program or library by its
 * name, or pid:N. NULL with st: there is none of that, or there are too many. old: NULL none. */
const struct func_list *func_list__with(const struct func_list *old, const char *text,
					struct status *st);
/* NULL: at is beyond the last. */
const struct func_list *func_list__without(const struct func_list *old, u32 at);
const struct func_list *func_list__split(const struct func_list *old, bool waits);

#endif
