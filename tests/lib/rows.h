/* SPDX-License-Identifier: GPL-2.0-only */
/* A row_table with made-up hot functions for tests of tables, borrowed, never freed; and what cells of
 * any table have. */
#ifndef TESTS_LIB_ROWS_H
#define TESTS_LIB_ROWS_H

#include "base/table.h"

enum { ROWS_SELF, ROWS_TOTAL, ROWS_SAMPLES, ROWS_TREND, ROWS_SYMBOL, ROWS_OBJECT, ROWS_COLUMNS };

#define ROWS_MAX   12
#define ROWS_TICKS 8

struct rows {
	struct row_table table; /* first: cell() finds the rest */
	double self[ROWS_MAX];	/* may be changed between two layouts */
	u64 keys[ROWS_MAX];
	float trend[ROWS_MAX][ROWS_TICKS];
};

/* n of them, hottest first. */
void rows__init(struct rows *r, u32 n);

/* Of the column of this name that the row has; zeroed: there is none. */
struct value table_cell(const struct row_table *t, u32 row, const char *column);

#endif
