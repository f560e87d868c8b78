/* SPDX-License-Identifier: GPL-2.0-only */
#include "tui/view.h"

#define VIEW(id, ops) extern const struct view_ops ops;
#include "tui/views.def"
#undef VIEW

const struct view_ops *const view_table[VIEW_COUNT] = {
#define VIEW(id, ops) [VIEW_##id] = &ops,
#include "tui/views.def"
#undef VIEW
};

enum view_id view__index(const char *name)
{
	u32 v = 0;

	while (v < VIEW_COUNT && strcmp(view_table[v]->name, name))
		v++;
	return v;
}

const struct view_ops *view__by_name(const char *name)
{
	enum view_id v = view__index(name);

	return v < VIEW_COUNT ? view_table[v] : NULL;
}
