// SPDX-License-Identifier: GPL-2.0-only
#include "base/hosts.h"

#include <stdio.h>

#include "base/machine.h"

#define HOST_NAME 256

/* No kernel counts that far. */
#define CGROUP_SHIFT 48

static char names[HOSTS_MAX][HOST_NAME];
static u32 count, expected;

static bool is_there(const char *name)
{
	for (u32 i = 0; i < count; i++)
		if (!strcmp(names[i], name))
			return true;
	return false;
}

u32 hosts__add(const char *name)
{
	char *to = names[MIN(count, HOSTS_MAX - 1u)];
	char unique[HOST_NAME];

	name = *name ? name : "unknown";
	copy_str(unique, sizeof(unique), name);
	for (u32 i = 2; is_there(unique); i++)
		snprintf(unique, sizeof(unique), "%.240s#%u", name, i);
	copy_str(to, HOST_NAME, unique);
	count = MIN(count + 1, (u32)HOSTS_MAX);
	return count;
}

void hosts__expect(u32 n)
{
	expected = n;
}

bool hosts__several(void)
{
	return expected > 1;
}

const char *hosts__name(u32 host)
{
	return host && host <= count ? names[host - 1] : machine__name();
}

u64 hosts__cgroup(u32 host, u64 id)
{
	return id ? id | (u64)host << CGROUP_SHIFT : 0;
}
