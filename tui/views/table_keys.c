/* SPDX-License-Identifier: GPL-2.0-only */
#include "tui/views/table_keys.h"

static int page(const struct table *t)
{
	return MAX(t->area.h - 2, 1);
}

bool table__action(struct table *t, const struct table_source *src, enum action a)
{
	switch (a) {
	case ACTION_UP: table__move(t, src, -1); return true;
	case ACTION_DOWN: table__move(t, src, 1); return true;
	case ACTION_PAGE_UP: table__move(t, src, -page(t)); return true;
	case ACTION_PAGE_DOWN: table__move(t, src, page(t)); return true;
	case ACTION_HOME: table__home(t, src); return true;
	case ACTION_END: table__end(t, src); return true;
	case ACTION_SORT_NEXT: table__sort_next(t, src, 1); return true;
	case ACTION_SORT_PREVIOUS: table__sort_next(t, src, -1); return true;
	case ACTION_REVERSE: table__reverse(t, src); return true;
	default: return false;
	}
}
