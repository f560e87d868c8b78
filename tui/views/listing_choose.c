// SPDX-License-Identifier: GPL-2.0-only
/* What the keys of a listing step through, set by name. */
#include <stdio.h>

#include "base/names.h"
#include "tui/views/listing.h"
#include "tui/views/window.h"

const struct row_table *listing__shown(const struct screen *s)
{
	const struct listing *l = container_of(s, struct listing, base);

	return l->shown ? &l->shown->table : NULL;
}

const char *listing__grouped(const struct screen *s)
{
	struct listing *l = container_of(s, struct listing, base);
	struct listing_place at;
	u32 groups;

	if (!l->ops->keys || !listing__at(l, &at))
		return NULL;
	groups = listing_query__groups(l->ops, l->query);
	for (u32 i = 0; groups && i < l->ops->keys->n; i++)
		if (groups & 1u << i)
			return l->ops->keys->names[i];
	return "";
}

static int no_column(const struct listing *l, const char *name, struct status *st)
{
	const struct row_table *rows = &l->shown->table;
	u8 columns[ROW_TABLE_COLUMNS];
	u32 ncolumns = row_table__screen(rows, columns);
	char names[400] = "";
	size_t n = 0;

	for (u32 i = 0; i < ncolumns && n < sizeof(names); i++)
		n += (size_t)snprintf(names + n, sizeof(names) - n, "%s%s", n ? ", " : "",
				      rows->columns[columns[i]].name);
	return choice__refuse(st, name, names);
}

static int choose_columns(struct listing *l, const char *value, struct status *st)
{
	const char *names = strcmp(value, "default") ? value : "";
	char name[64];

	if (row_table__unknown(&l->shown->table, names, name, sizeof(name)))
		return no_column(l, name, st);
	if (strlen(names) < COLUMN_NAMES && host__set_columns(l->base.host, &l->base, names))
		return 0;
	return status__set(st, EXIT_CODE_USAGE, -E2BIG,
			   "there is no room to keep more lists of columns");
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

static int group_by(struct listing *l, const char *value)
{
	u32 groups;

	if (!l->ops->keys || !names__parse(l->ops->keys->names, l->ops->keys->n, value, &groups))
		return -ENOTSUP;
	listing_query__set_groups(l->ops, l->query, groups);
	listing__reset(l);
	return 0;
}

int listing__choose(struct screen *s, enum choice what, const char *value, struct status *st)
{
	struct listing *l = container_of(s, struct listing, base);
	struct table_source src;

	if (what == CHOICE_GROUP)
		return group_by(l, value);
	if (what == CHOICE_WINDOW)
		return l->ops->at.window ? window__set(listing_query__window(l->ops, l->query), value, st)
					: -ENOTSUP;
	if (what != CHOICE_SORT && what != CHOICE_ROW && what != CHOICE_COLUMNS)
		return l->ops->choose ? l->ops->choose(l, what, value, st) : -ENOTSUP;
	if (what == CHOICE_SORT && !l->table.nplaces) {
		copy_str(l->sort_next, sizeof(l->sort_next), value);
		return 0;
	}
	if (!l->result || !l->table.nplaces)
		return status__set(st, EXIT_CODE_USAGE, -EINVAL, "there are no rows yet");
	if (what == CHOICE_COLUMNS)
		return choose_columns(l, value, st);
	src = listing__source(l);
	return what == CHOICE_SORT ? sort_by(l, &src, value, st) : select_row(l, value, st);
}

void listing__sort_next(struct listing *l)
{
	struct status st = {0};
	char value[sizeof(l->sort_next)];

	if (!l->sort_next[0] || !l->result || !l->table.nplaces)
		return;
	copy_str(value, sizeof(value), l->sort_next);
	l->sort_next[0] = '\0';
	if (listing__choose(&l->base, CHOICE_SORT, value, &st))
		host__message(l->base.host, ROLE_ERROR, "sort %.60s: %s", value, st.msg);
}
