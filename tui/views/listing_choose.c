// SPDX-License-Identifier: GPL-2.0-only
/* What the keys of a listing step through, set by name. */
#include <stdio.h>

#include "tui/views/listing.h"
#include "tui/views/window.h"

const struct row_table *listing__shown(const struct screen *s)
{
	const struct listing *l = container_of(s, struct listing, base);

	return l->shown ? &l->shown->table : NULL;
}

static bool is_shown(const struct listing *l, u32 column)
{
	for (u32 i = 0; i < l->table.nplaces; i++)
		if (l->table.places[i].column == column)
			return true;
	return false;
}

static int no_column(const struct listing *l, const char *name, struct status *st)
{
	const struct row_table *rows = &l->shown->table;
	char names[300] = "";
	size_t n = 0;

	for (u32 i = 0; i < rows->ncolumns && n < sizeof(names); i++)
		if (is_shown(l, i))
			n += (size_t)snprintf(names + n, sizeof(names) - n, "%s%s", n ? ", " : "",
					      rows->columns[i].name);
	return choice__refuse(st, name, names);
}

static bool direction(const char *word, bool *descending)
{
	if (strcmp(word, "up") && strcmp(word, "down"))
		return false;
	*descending = !strcmp(word, "down");
	return true;
}

/* COLUMN [up|down] */
static int sort_by(struct listing *l, const struct table_source *src, const char *value,
		   struct status *st)
{
	const struct row_table *rows = src->rows;
	size_t n = strcspn(value, " ");
	const char *way = value + n + strspn(value + n, " ");
	bool descending = false;
	char name[64];
	u32 i = 0;

	copy_str(name, MIN(n + 1, sizeof(name)), value);
	while (i < rows->ncolumns && strcmp(rows->columns[i].name, name))
		i++;
	if (*way && !direction(way, &descending))
		return choice__refuse(st, way, "up, down");
	if (i == rows->ncolumns || !table__sort_by(&l->table, src, i))
		return no_column(l, name, st);
	if (*way && l->table.descending != descending)
		table__reverse(&l->table, src);
	return 0;
}

static int select_row(struct listing *l, const char *value, struct status *st)
{
	const struct row_table *rows = &l->shown->table;
	char takes[40], *end;
	unsigned long n = strtoul(value, &end, 10);

	if (*value < '0' || *value > '9' || *end || !n || n > l->table.norder) {
		snprintf(takes, sizeof(takes), "numbers from 1 to %u", l->table.norder);
		return choice__refuse(st, value, takes);
	}
	l->table.selected = rows->key(rows, l->table.order[n - 1]);
	l->table.user_moved = true;
	return 0;
}

int listing__choose(struct screen *s, enum choice what, const char *value, struct status *st)
{
	struct listing *l = container_of(s, struct listing, base);
	struct table_source src;

	if (what == CHOICE_WINDOW)
		return l->ops->window ? window__set(l->ops->window(l), value, st) : -ENOTSUP;
	if (what != CHOICE_SORT && what != CHOICE_ROW)
		return l->ops->choose ? l->ops->choose(l, what, value, st) : -ENOTSUP;
	if (!l->answer || !l->table.nplaces)
		return status__set(st, EXIT_CODE_USAGE, -EINVAL, "there are no rows yet");
	src = listing__source(l);
	return what == CHOICE_SORT ? sort_by(l, &src, value, st) : select_row(l, value, st);
}
