// SPDX-License-Identifier: GPL-2.0-only
/* The columns of a listing: those that are shown first, in their order; picked, and moved; and which one rows are
 * sorted by. */
#include <stdio.h>

#include "tui/app.h"
#include "tui/columns.h"

/* As keymaps call it; measures have one section for all of them. */
static const char *listing_name(const struct host *h, const struct screen *s)
{
	const char *section = s->ops->section;

	if (section && strcmp(section, "measure"))
		return section;
	return s->pane ? s->pane->name : view_table[h->view]->name;
}

void host__columns(const struct host *h, const struct screen *s, char buf[COLUMN_NAMES])
{
	columns__of(h->columns, listing_name(h, s), buf, COLUMN_NAMES);
}

bool host__set_columns(struct host *h, const struct screen *s, const char *names)
{
	h->dirty = true;
	return columns__set(h->columns, listing_name(h, s), names);
}

/* --- the list --- */

static const struct row_table *rows_of(const struct host *h)
{
	const struct screen *s = app__screen(h);

	return s->ops->rows ? s->ops->rows(s) : NULL;
}

static u32 shown_columns(const struct host *h, const struct row_table *rows, u8 *out)
{
	char names[COLUMN_NAMES];
	u32 n;

	host__columns(h, app__screen(h), names);
	n = row_table__named(rows, names, out);
	return n ? n : row_table__screen(rows, out);
}

/* Behind those that are shown come the others. */
static u32 all_columns(const struct host *h, u8 *out, u32 *nshown)
{
	const struct row_table *rows = rows_of(h);
	u8 all[ROW_TABLE_COLUMNS];
	u32 n = 0, nall;

	*nshown = 0;
	if (!rows)
		return 0;
	*nshown = n = shown_columns(h, rows, out);
	nall = row_table__screen(rows, all);
	for (u32 i = 0; i < nall; i++)
		if (!memchr(out, all[i], *nshown))
			out[n++] = all[i];
	return n;
}

static void column_item(void *ctx, u32 i, struct picker_item *out)
{
	static char text[64];
	u8 columns[ROW_TABLE_COLUMNS];
	u32 nshown, n = all_columns(ctx, columns, &nshown);
	const struct column *column;

	*out = (struct picker_item){.key = 1, .text = ""};
	if (i >= n)
		return;
	column = &rows_of(ctx)->columns[columns[i]];
	snprintf(text, sizeof(text), "[%c] %s", i < nshown ? 'x' : ' ', column->name);
	*out = (struct picker_item){.key = columns[i] + 1ULL, .text = text, .detail = column->help,
				    .role = i < nshown ? ROLE_TEXT : ROLE_DIM};
}

struct picker_source pick_columns__source(struct host *h)
{
	u8 columns[ROW_TABLE_COLUMNS];
	u32 nshown;

	return (struct picker_source){
		.n = all_columns(h, columns, &nshown), .item = column_item, .ctx = h};
}

/* --- changes --- */

static void keep(struct host *h, const u8 *columns, u32 n)
{
	const struct row_table *rows = rows_of(h);
	char names[COLUMN_NAMES];
	size_t len = 0;

	for (u32 i = 0; i < n && len < sizeof(names); i++)
		len += (size_t)snprintf(names + len, sizeof(names) - len, "%s%s", i ? "," : "",
					rows->columns[columns[i]].name);
	if (len >= sizeof(names) || !host__set_columns(h, app__screen(h), names))
		host__message(h, ROLE_WARN, "there is no room to keep more lists of columns");
}

/* The last one that is shown stays. */
static void toggle(struct host *h, u8 *columns, u32 nshown, u32 at)
{
	if (at >= nshown) {
		u8 column = columns[at];

		memmove(columns + nshown + 1, columns + nshown, at - nshown);
		columns[nshown] = column;
		keep(h, columns, nshown + 1);
	} else if (nshown > 1) {
		memmove(columns + at, columns + at + 1, nshown - at - 1);
		keep(h, columns, nshown - 1);
	}
}

static void shift(struct host *h, u8 *columns, u32 nshown, u32 at, int by)
{
	u32 to = at + (u32)by;
	u8 column = columns[at];

	if (at >= nshown || to >= nshown)
		return;
	columns[at] = columns[to];
	columns[to] = column;
	keep(h, columns, nshown);
}

bool pick_columns__input(struct host *h, const struct input *in)
{
	bool toggles = in->key == ' ' || in->key == KEYCODE_ENTER;
	struct picker_source src = pick_columns__source(h);
	u8 columns[ROW_TABLE_COLUMNS];
	u32 nshown, at;

	if (in->type != INPUT_KEY || (!toggles && in->key != '<' && in->key != '>'))
		return false;
	all_columns(h, columns, &nshown);
	if (!picker__selected(&h->picker, &src, &at))
		return true;
	if (toggles)
		toggle(h, columns, nshown, at);
	else
		shift(h, columns, nshown, at, in->key == '<' ? -1 : 1);
	h->picker.moved = true; /* the cursor stays on the column */
	src = pick_columns__source(h);
	picker__update(&h->picker, &src);
	return true;
}

bool pick_columns__open(struct host *h)
{
	if (!app__screen(h)->ops->choose || !rows_of(h))
		return false;
	dialog__open(h, DIALOG_PICK_COLUMNS);
	return true;
}

/* --- the one that rows are sorted by --- */

/* Their names as the menu has them, whatever becomes of the table meanwhile. */
struct sort_names {
	char v[ROW_TABLE_COLUMNS][32];
};

static void sort_picked(struct host *h, void *ctx, u32 value)
{
	const struct sort_names *names = ctx;
	struct screen *s = app__screen(h);
	struct status st = {0};

	if (s->ops->choose && s->ops->choose(s, CHOICE_SORT, names->v[value], &st))
		host__message(h, ROLE_WARN, "%s", st.msg);
	h->dirty = true;
}

bool pick_sort__open(struct host *h)
{
	const struct row_table *rows = rows_of(h);
	struct menu_item items[ROW_TABLE_COLUMNS];
	u8 columns[ROW_TABLE_COLUMNS];
	struct sort_names *names;
	u32 n;

	if (!app__screen(h)->ops->choose || !rows)
		return false;
	names = xcalloc(1, sizeof(*names));
	n = shown_columns(h, rows, columns);
	for (u32 i = 0; i < n; i++) {
		const struct column *column = &rows->columns[columns[i]];

		copy_str(names->v[i], sizeof(names->v[i]), column->name);
		items[i] = (struct menu_item){names->v[i], column->help, i};
	}
	host__menu(h, "sort by", items, n, sort_picked, names);
	return true;
}
