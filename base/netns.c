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
