// SPDX-License-Identifier: GPL-2.0-only
#include "tui/views/grouping.h"

#include <stdio.h>

#include "base/hosts.h"

/* What groups by the i-th key. */
static enum action action_of(const struct group_keys *of, u32 i)
{
	char name[64];

	if (of->actions)
		return of->actions[i];
	snprintf(name, sizeof(name), "group-%s", of->names[i]);
	return action__by_name(name);
}

static u32 group_of(const struct group_keys *of, enum action a)
{
	for (u32 i = 0; i < of->n; i++)
		if (action_of(of, i) == a)
			return 1u << i;
	return 0;
}

/* By host rows are of several machines alone. */
static bool ends_in_host(const struct group_keys *of)
{
	return !strcmp(of->names[of->n - 1], HOST_LABEL);
}

/* The single key after the first one of a set, and around. */
static u32 next_group(const struct group_keys *of, u32 groups)
{
	u32 n = of->n - (!hosts__several() && ends_in_host(of));

	return 1u << (u32)__builtin_ffs((int)groups) % n;
}

/* What to press for each, "y symbol  o object ...". */
static const char *keys_text(const struct group_keys *of, const struct host *h, char *buf,
			     size_t size)
{
	char key[16];
	size_t n = 0;

	*buf = '\0';
	for (u32 i = 0; i < of->n && n < size; i++) {
		host__key(h, action_of(of, i), key, sizeof(key));
		if (*key)
			n += (size_t)snprintf(buf + n, size - n, "%s%s %s", n ? "  " : "", key,
					      of->names[i]);
	}
	return buf;
}

static bool begin_adding(struct grouping *g, struct host *h)
{
	char keys[200];

	host__message(h, ROLE_STRONG, "add to the grouping: %s",
		      keys_text(g->of, h, keys, sizeof(keys)));
	g->adding = true;
	return true;
}

/* The action after group-add; false when it is done as always. */
static bool add_group(struct grouping *g, struct host *h, enum action a, u32 *groups)
{
	u32 group = group_of(g->of, a);

	if (!g->adding)
		return false;
	g->adding = false;
	if (group && *groups == group)
		host__message(h, ROLE_WARN, "rows have to be grouped by one key at least");
	else
		*groups ^= group;
	/* Whoever changes their mind does not mean to leave the screen. */
	return group || a == ACTION_BACK || a == ACTION_GROUP_ADD;
}

bool grouping__action(struct grouping *g, struct host *h, enum action a, u32 *groups)
{
	u32 group = group_of(g->of, a);

	if (add_group(g, h, a, groups))
		return true;
	if (a == ACTION_GROUP_NEXT)
		group = next_group(g->of, *groups);
	else if (a == ACTION_GROUP_ADD && !g->of->single)
		return begin_adding(g, h);
	if (group)
		*groups = group;
	return group != 0;
}
