// SPDX-License-Identifier: GPL-2.0-only
#include "base/table.h"

#include <math.h>

#include "base/arena.h"

static int compare_u64(u64 a, u64 b)
{
	return a < b ? -1 : a > b;
}

/* Not-a-number is below every number. */
static int compare_double(double a, double b)
{
	if (isnan(a) || isnan(b))
		return !isnan(a) - !isnan(b);
	return a < b ? -1 : a > b;
}

/* Trends by their newest value. */
static double as_double(const struct value *v)
{
	switch (v->type) {
	case VALUE_PCT:
	case VALUE_NUMBER:
		return v->f;
	case VALUE_CHANGE:
		return fabs(v->n == VALUE_PCT ? v->f : (double)v->i);
	case VALUE_TREND:
		return v->n ? (double)v->trend[v->n - 1] : 0;
	case VALUE_SPLIT:
	case VALUE_STACK:
	case VALUE_LIST:
	case VALUE_OBJECT:
		return v->n;
	default:
		return (double)v->u;
	}
}

static bool is_integer(const struct value *v)
{
	return v->type == VALUE_COUNT || v->type == VALUE_NS || v->type == VALUE_BYTES ||
	       v->type == VALUE_BOOL;
}

/* <0, 0, >0; numbers by size (not-a-number below all), changes by theirs whatever their sign, text
 * by bytes and above numbers, trends by their newest value, what has parts by their number, NONE below
 * everything: last in descending order. */
static int value__compare(const struct value *a, const struct value *b)
{
	if (a->type == VALUE_NONE || b->type == VALUE_NONE)
		return (a->type != VALUE_NONE) - (b->type != VALUE_NONE);
	if (a->type == VALUE_TEXT && b->type == VALUE_TEXT)
		return strcmp(a->s, b->s);
	if (a->type == VALUE_TEXT || b->type == VALUE_TEXT)
		return (a->type == VALUE_TEXT) - (b->type == VALUE_TEXT);
	if (is_integer(a) && is_integer(b))
		return compare_u64(a->u, b->u);
	return compare_double(as_double(a), as_double(b));
}

struct sort_item {
	struct value value;
	u32 row;
};

/* Ties in the order of rows, in both directions. */
static int ascending(const void *a, const void *b)
{
	const struct sort_item *x = a, *y = b;
	int c = value__compare(&x->value, &y->value);

	return c ? c : compare_u64(x->row, y->row);
}

static int descending_order(const void *a, const void *b)
{
	const struct sort_item *x = a, *y = b;
	int c = value__compare(&y->value, &x->value);

	return c ? c : compare_u64(x->row, y->row);
}

static void sort_items(struct sort_item *items, u32 n, bool descending)
{
	if (n > 1)
		qsort(items, n, sizeof(*items), descending ? descending_order : ascending);
}

static void item__init(struct sort_item *item, const struct row_table *t, u32 row, u32 column)
{
	item->row = row;
	if (column >= t->ncolumns || !t->cell(t, row, column, &item->value))
		item->value = (struct value){.type = VALUE_NONE};
}

static bool is_sorted(const struct row_table *t, u32 column, bool descending)
{
	int (*compare)(const void *a, const void *b) = descending ? descending_order : ascending;
	struct sort_item items[2];

	if (t->nfirst || t->nlast)
		return false;
	for (u32 i = 0; i < t->nrows; i++) {
		item__init(&items[i & 1], t, i, column);
		if (i && compare(&items[~i & 1], &items[i & 1]) > 0)
			return false;
	}
	return true;
}

static void sort_rows(const struct row_table *t, u32 column, bool descending, u32 *order)
{
	struct sort_item *items = xcalloc(t->nrows, sizeof(*items));

	for (u32 i = 0; i < t->nrows; i++)
		item__init(&items[i], t, i, column);
	sort_items(items, t->nfirst, descending);
	sort_items(items + t->nfirst, t->nrows - t->nlast - t->nfirst, descending);
	sort_items(items + (t->nrows - t->nlast), t->nlast, descending);
	for (u32 i = 0; i < t->nrows; i++)
		order[i] = items[i].row;
	free(items);
}

/* Rows mostly come in the order that is asked for, which takes no memory to see. */
void row_table__sort(const struct row_table *t, u32 column, bool descending, u32 *order)
{
	if (!is_sorted(t, column, descending)) {
		sort_rows(t, column, descending, order);
		return;
	}
	for (u32 i = 0; i < t->nrows; i++)
		order[i] = i;
}

/* --- columns for the screen --- */

u32 row_table__screen(const struct row_table *t, u8 *out)
{
	struct value v;
	u32 n = 0;

	for (u32 i = 0; i < t->ncolumns && n < ROW_TABLE_COLUMNS; i++)
		if (t->columns[i].flags & COLUMN_SCREEN &&
		    (!t->nrows || t->columns[i].flags & COLUMN_OF_SOME || t->cell(t, 0, i, &v)))
			out[n++] = (u8)i;
	return n;
}

/* The next of a list of names; false at its end. */
static bool next_name(const char **at, char *name, size_t size)
{
	size_t n;

	*at += strspn(*at, ", ");
	n = strcspn(*at, ", ");
	copy_str(name, MIN(n + 1, size), *at);
	*at += n;
	return n > 0;
}

static bool find_name(const struct row_table *t, const char *name, u8 *column)
{
	u8 all[ROW_TABLE_COLUMNS];
	u32 n = row_table__screen(t, all);

	for (u32 i = 0; i < n; i++) {
		*column = all[i];
		if (!strcmp(t->columns[all[i]].name, name))
			return true;
	}
	return false;
}

u32 row_table__named(const struct row_table *t, const char *names, u8 *out)
{
	char name[64];
	u8 column;
	u32 n = 0;

	while (n < ROW_TABLE_COLUMNS && next_name(&names, name, sizeof(name)))
		if (find_name(t, name, &column) && !memchr(out, column, n))
			out[n++] = column;
	return n;
}

bool row_table__unknown(const struct row_table *t, const char *names, char *buf, size_t size)
{
	char name[64];
	u8 column;

	while (next_name(&names, name, sizeof(name)))
		if (!find_name(t, name, &column)) {
			copy_str(buf, size, name);
			return true;
		}
	return false;
}
