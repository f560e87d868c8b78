// SPDX-License-Identifier: GPL-2.0-only
/* Lists of questions that are asked at once. */
#include "base/arena.h"
#include "sources/ask.h"

/* Sources and settings of any age may refer to one: they stay. */
struct kept_list {
	struct kept_list *next;
	struct ask_list list;
};

static struct ask_list *new_list(void)
{
	static struct kept_list *lists;
	struct kept_list *new = xcalloc(1, sizeof(*new));

	new->next = lists;
	lists = new;
	return &new->list;
}

const struct ask_list *ask_list__with(const struct ask_list *list, const struct ask *one,
				      struct status *st)
{
	struct ask_list *new;

	for (u32 i = 0; list && i < list->n; i++)
		if (list->v[i] == one)
			return list;
	if (list && list->n == ASK_MAX) {
		status__set(st, EXIT_CODE_USAGE, -ENOSPC,
			    "%u questions are asked already: :unask N makes room", ASK_MAX);
		return NULL;
	}
	new = new_list();
	if (list)
		*new = *list;
	new->v[new->n++] = one;
	return new;
}

const struct ask_list *ask_list__replace(const struct ask_list *list, u32 at, const struct ask *one,
					 struct status *st)
{
	struct ask_list *new;

	for (u32 i = 0; i < list->n; i++)
		if (list->v[i] == one) {
			status__set(st, EXIT_CODE_USAGE, -EEXIST, "this is asked already: question %u",
				    i + 1);
			return NULL;
		}
	new = new_list();
	*new = *list;
	new->v[at] = one;
	return new;
}

const struct ask_list *ask_list__without(const struct ask_list *list, u32 at)
{
	struct ask_list *new = new_list();

	for (u32 i = 0; i < list->n; i++)
		if (i != at)
			new->v[new->n++] = list->v[i];
	return new;
}
