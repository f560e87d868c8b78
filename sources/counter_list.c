// SPDX-License-Identifier: GPL-2.0-only
#include "sources/counter_list.h"

#include <errno.h>

static int wrong(struct status *st, const char *at, const char *why)
{
	return status__set(st, EXIT_CODE_USAGE, -EINVAL, "counters at '%.40s': %s; " COUNTER_LIST_TAKES, at, why);
}

/* Where a name ends. */
static const char *name_end(const char *at)
{
	bool inside = false; /* of the slashes */

	for (; *at && (inside || !strchr(",{}", *at)); at++)
		inside ^= *at == '/';
	return at;
}

static bool has(const struct counter_list *l, const char *name)
{
	for (u32 i = 0; i < l->n; i++)
		if (!strcmp(l->names[i], name))
			return true;
	return false;
}

static int add(struct counter_list *l, const char *from, size_t len, u32 leader, struct status *st)
{
	char name[sizeof(l->names[0])];

	if (!len)
		return wrong(st, from, "the name of an event is expected");
	if (len >= sizeof(name))
		return wrong(st, from, "the name is too long");
	if (l->n == COUNTERS_MAX)
		return wrong(st, from, "there are too many");
	copy_str(name, len + 1, from);
	if (has(l, name))
		return wrong(st, from, "it is there twice");
	copy_str(l->names[l->n], sizeof(name), name);
	l->leaders[l->n++] = (u8)leader;
	return 0;
}

int counter_list__parse(struct counter_list *l, const char *text, struct status *st)
{
	bool grouped = false;
	u32 leader = 0;

	l->n = 0;
	for (const char *at = text, *end;; at = end + 1) {
		if (*at == '{' && grouped)
			return wrong(st, at, "groups have no groups");
		if (*at == '{') {
			grouped = true;
			leader = l->n;
			at++;
		}
		end = name_end(at);
		if (add(l, at, (size_t)(end - at), grouped ? leader : l->n, st))
			return -EINVAL;
		if (*end == '}' && grouped) {
			grouped = false;
			end++;
		}
		if (!*end && grouped)
			return wrong(st, text, "a group has no }");
		if (!*end)
			return 0;
		if (*end != ',')
			return wrong(st, end, "a comma is expected");
	}
}
