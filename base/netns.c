// SPDX-License-Identifier: GPL-2.0-only
#include "base/netns.h"

#include <dirent.h>
#include <stdio.h>
#include <sys/stat.h>


#define NETNS_FOLDER "/run/netns"

static u32 netns_of(const char *path)
{
	struct stat st;

	return stat(path, &st) ? 0 : (u32)st.st_ino;
}

u32 netns__own(void)
{
	return netns_of("/proc/self/ns/net");
}

void netns__text(u32 netns, char *buf, size_t size)
{
	DIR *all = opendir(NETNS_FOLDER);
	const struct dirent *d;
	char path[300];

	snprintf(buf, size, "%u", netns);
	while (all && (d = readdir(all))) {
		snprintf(path, sizeof(path), NETNS_FOLDER "/%s", d->d_name);
		if (*d->d_name == '.' || netns_of(path) != netns)
			continue;
		copy_str(buf, size, d->d_name);
		break;
	}
	if (all)
		closedir(all);
}

const char *netns_names__get(struct netns_names *names, u32 netns)
{
	u32 at = 0;

	while (at < names->n && names->v[at].netns != netns)
		at++;
	if (at < names->n)
		return names->v[at].text;
	if (at == NETNS_NAMES)
		at = 0;
	names->v[at].netns = netns;
	if (netns == netns__own())
		copy_str(names->v[at].text, sizeof(names->v[at].text), "[own]");
	else
		netns__text(netns, names->v[at].text, sizeof(names->v[at].text));
	names->n = at + 1;
	return names->v[at].text;
}
