/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the screens of the cpu view share: the table of hot things (cpu.c), the callers and
 * callees of one function (cpu_callers.c), its annotated code (cpu_annotate.c).
 */
#ifndef TUI_VIEWS_CPU_H
#define TUI_VIEWS_CPU_H

#include "models/profile.h"
#include "tui/view.h"

/* Callers and callees of a function under the same window and mode as `q`. extra: the scope
 * on top of the host's, NULL none; a reference is taken. */
struct screen *cpu_callers__open(struct host *h, const struct profile_query *q, u32 func,
				 const struct scope *extra);
/* The function's instructions and source lines with their share. */
struct screen *cpu_annotate__open(struct host *h, const struct profile_query *q, u32 func,
				  const struct scope *extra);

/* The role that a kind of code is drawn in. */
enum role cpu__kind_role(enum code_kind kind, bool inlined);
const char *cpu__kind_name(enum code_kind kind, bool inlined);

const char *cpu__window_text(enum profile_window w);
/* The next window, and says which it is where no headline does. */
bool cpu__next_window(struct host *h, struct profile_query *q);
/* Where the counted time of an answer begins. */
u64 cpu__window_start(const struct profile_rows *rows);

/* What to say where rows would be; "" when rows are due. */
void cpu__waiting(const struct host *h, char *buf, size_t size);

#endif
