/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Rows from ranges of code in ascending order: equal neighbours become one row, gaps a row of
 * UNWIND_CFA_NONE. For the files of symbols/unwind_table.h.
 */
#ifndef SYMBOLS_UNWIND_ROWS_H
#define SYMBOLS_UNWIND_ROWS_H

#include "symbols/unwind_cfi.h"
#include "symbols/unwind_table.h"

/* Adds what the ranges of a sorted index say to an empty table. 0 or -E2BIG. */
int unwind_rows__make(const struct cfi_index *x, struct unwind_table *t);

#endif
