/* SPDX-License-Identifier: GPL-2.0-only */
/* --sort COLUMN[:asc|:desc]: the rows of a report by one of its columns. */
#ifndef TUI_REPORT_SORT_H
#define TUI_REPORT_SORT_H

#include "export/export.h"

struct sort_order {
	char column[64];
	bool given, descending; /* descending: as said where it is given, else the column's own */
};

/* False: the order is none of the two, or there is no column. */
bool sort_order__parse(const char *text, struct sort_order *out);
/* Fills order[0..nrows) of the report's rows; -EINVAL with st naming the columns that there are. */
int report_sort__fill(const struct report *r, const struct sort_order *by, u32 *order,
		      struct status *st);

#endif
