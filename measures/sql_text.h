/* SPDX-License-Identifier: GPL-2.0-only */
/* Statements of queries: what queries that differ in literals alone have in common. */
#ifndef MEASURES_SQL_TEXT_H
#define MEASURES_SQL_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "bpf/sql_fold.h"

/* Literals become `?`, longer lists of them behind IN `?, ...`, rows that are alike one; blanks and
 * comments fold; what was cut off when it was read (cut) ends with `...`. out is terminated, and cut
 * off when there is no room. text and out may be the same. */
void sql_text__fold(enum sql_dialect dialect, const char *text, bool cut, char *out, size_t size);

#endif
