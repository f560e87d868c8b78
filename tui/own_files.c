// SPDX-License-Identifier: GPL-2.0-only
#include "tui/own_files.h"

#include <stdio.h>
#include <unistd.h>

bool own_file__path(const char *name, char path[OWN_PATH_MAX])
{
	const char *xdg = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
	int n;

	/* As its specification has it, a relative one is none. */
	if (xdg && *xdg == '/')
		n = snprintf(path, OWN_PATH_MAX, "%s/proftop/%s", xdg, name);
	else if (home && *home == '/')
		n = snprintf(path, OWN_PATH_MAX, "%s/.config/proftop/%s", home, name);
	else
		return false;
	return n < OWN_PATH_MAX;
}

bool own_file__find(const char *name, char path[OWN_PATH_MAX])
{
	return own_file__path(name, path) && !access(path, F_OK);
}

bool own_file__named(const char *name, const char *suffix, char path[OWN_PATH_MAX])
{
	char file[256];

	if (!strchr(name, '/') &&
	    snprintf(file, sizeof(file), "%s.%s", name, suffix) < (int)sizeof(file) &&
	    own_file__find(file, path))
		return true;
	copy_str(path, OWN_PATH_MAX, name);
	return false;
}
