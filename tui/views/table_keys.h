/* SPDX-License-Identifier: GPL-2.0-only */
/* The actions every table answers the same way. */
#ifndef TUI_VIEWS_TABLE_KEYS_H
#define TUI_VIEWS_TABLE_KEYS_H

#include "tui/keymap.h"
#include "widgets/table.h"

/* False when the action is not one of a table's. */
bool table__action(struct table *t, const struct table_source *src, enum action a);

#endif
