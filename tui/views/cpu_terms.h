/* SPDX-License-Identifier: GPL-2.0-only */
/* What a row of the cpu view is, as terms of the filter language and as words. */
#ifndef TUI_VIEWS_CPU_TERMS_H
#define TUI_VIEWS_CPU_TERMS_H

#include "models/profile.h"

/* The terms that the row's samples match, of these of its keys. A symbol or object stands for
 * stacks that have it. False when some are not known; the others are given. */
bool cpu_terms__select(const struct profile_row *r, u32 groups, char *buf, size_t size);
/* The term to negate for the row not to be shown: of its one key, else of the task's key that
 * takes least with it. False when nothing is known. */
bool cpu_terms__exclude(const struct profile_row *r, u32 groups, char *buf, size_t size);
/* The task's keys, "nginx pid 7 cpu 3"; "" when rows are not grouped by any. */
void cpu_terms__task(const struct profile_row *r, u32 groups, char *buf, size_t size);

#endif
