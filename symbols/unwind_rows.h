/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A table's rows, from ranges of code in ascending order: equal neighbours become one row, gaps a
 * row of UNWIND_CFA_NONE. What they are made from is the business of symbols/unwind_table.h.
 */
#ifndef SYMBOLS_UNWIND_ROWS_H
#define SYMBOLS_UNWIND_ROWS_H

#include "base/base.h"
#include "bpf/unwind.h"

#define UNWIND_MAX_ROWS	  (4u << 20)

struct unwind_table {
	u64 base; /* the address (vaddr) that pc 0 stands for: 0 unless code lies above 4 GiB */
	struct unwind_row *rows; /* by pc, ascending; the last one is UNWIND_CFA_NONE */
	u32 nrows;
	u16 machine;	/* EM_X86_64 or EM_AARCH64 */
	u32 odd;	/* ranges described in a way that rows cannot hold */
	u64 odd_bytes;	/* and their size, as that of */
	u64 code_bytes; /* everything that is described */
	u64 exec_bytes; /* of executable segments: to see how much is not described */
	u32 overlaps;	/* ranges that others had taken, in part or whole */
	u32 ranges;	/* descriptions (FDEs) that were read */
	u64 steps;	/* rules before equal ones became one row: what building cost */
};

struct cfi_index;

/* Adds what the ranges of a sorted index say to an empty table. 0 or -E2BIG. */
int unwind_rows__make(const struct cfi_index *x, struct unwind_table *t);

#endif
