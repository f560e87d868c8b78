// SPDX-License-Identifier: GPL-2.0-only
#include "tui/views/cpu_group.h"

#include <stdio.h>

static const enum action actions[GROUPS] = {
	[GROUP_SYMBOL] = ACTION_GROUP_SYMBOL, [GROUP_OBJECT] = ACTION_GROUP_OBJECT,
	[GROUP_COMM] = ACTION_GROUP_COMM,     [GROUP_PID] = ACTION_GROUP_PID,
	[GROUP_TID] = ACTION_GROUP_TID,	      [GROUP_CGROUP] = ACTION_GROUP_CGROUP,
	[GROUP_CPU] = ACTION_GROUP_CPU,
};

u32 cpu_group__of_action(enum action a)
{
	for (u32 g = 0; g < GROUPS; g++)
		if (actions[g] == a)
			return GROUP_BIT(g);
	return 0;
}

u32 cpu_group__next(u32 groups)
{
	return GROUP_BIT((u32)__builtin_ffs((int)groups) % GROUPS);
}

const char *cpu_group__keys(const struct host *h, char *buf, size_t size)
{
	char key[16];
	size_t n = 0;

	*buf = '\0';
	for (u32 g = 0; g < GROUPS && n < size; g++) {
		host__key(h, actions[g], key, sizeof(key));
		if (*key)
			n += (size_t)snprintf(buf + n, size - n, "%s%s %s", n ? "  " : "", key,
					      profile_group_names[g]);
	}
	return buf;
}
