// SPDX-License-Identifier: GPL-2.0-only
#include "tui/report_sort.h"

#include <stdio.h>

bool sort_order__parse(const char *text, struct sort_order *out)
{
	const char *colon = strchr(text, ':');
	size_t n = colon ? (size_t)(colon - text) : strlen(text);

	*out = (struct sort_order){.given = colon != NULL};
	if (!n || n >= sizeof(out->column))
		return false;
	copy_str(out->column, n + 1, text);
	out->descending = colon && !strcmp(colon + 1, "desc");
	return !colon || out->descending || !strcmp(colon + 1, "asc");
}

static bool is_sortable(const struct report *r, u32 column)
{
	enum value_type type = r->rows->columns[column].type;
	struct value v;

	if (!r->rows->columns[column].flags || type == VALUE_TREND || type == VALUE_SPLIT || type == VALUE_STACK ||
	    type == VALUE_LIST || type == VALUE_OBJECT)
		return false;
	return !r->rows->nrows || r->rows->cell(r->rows, 0, column, &v);
}

/* What is exported comes before what has that name on the screen. Returns ncolumns: there is none. */
static u32 find_column(const struct report *r, const char *name)
{
	u32 found = r->rows->ncolumns;

	for (u32 i = 0; i < r->rows->ncolumns; i++) {
		const struct column *c = &r->rows->columns[i];

		if (strcmp(c->name, name) || !is_sortable(r, i))
			continue;
		if (c->flags & COLUMN_EXPORT)
			return i;
		found = MIN(found, i);
	}
	return found;
}

static void list_columns(const struct report *r, char *buf, size_t size)
{
	size_t n = 0;

	*buf = '\0';
	for (u32 i = 0; i < r->rows->ncolumns && n < size; i++)
		if (is_sortable(r, i) && find_column(r, r->rows->columns[i].name) == i)
			n += (size_t)snprintf(buf + n, size - n, "%s%s", n ? " " : "",
					      r->rows->columns[i].name);
}

int report_sort__fill(const struct report *r, const struct sort_order *by, u32 *order,
		      struct status *st)
{
	u32 column = find_column(r, by->column);
	char names[400];

	if (column == r->rows->ncolumns) {
		list_columns(r, names, sizeof(names));
		return status__set(st, EXIT_CODE_USAGE, -EINVAL,
				   "--sort: view %s has no column %s: it has %s", r->view,
				   by->column, names);
	}
	row_table__sort(r->rows, column,
			by->given ? by->descending
				  : !(r->rows->columns[column].flags & COLUMN_ASCENDING) &&
					    r->rows->columns[column].type != VALUE_TEXT,
			order);
	return 0;
}
