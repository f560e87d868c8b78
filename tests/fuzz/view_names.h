/* SPDX-License-Identifier: GPL-2.0-only */
/* Names of views, groups and windows where there is one view, `a_view`, which whoever includes this
 * has defined: the real ones draw and know models. */
#ifndef TESTS_FUZZ_VIEW_NAMES_H
#define TESTS_FUZZ_VIEW_NAMES_H

#include <stdio.h>

const char *view__names(char *buf, size_t size)
{
	snprintf(buf, size, "%s", a_view.name);
	return buf;
}

enum view_id view__index(const char *name)
{
	return strcmp(name, a_view.name) ? VIEW_COUNT : 0;
}

const struct view_ops *view__by_name(const char *name)
{
	return strcmp(name, a_view.name) ? NULL : &a_view;
}

int view__check_groups(const struct view_ops *v, const char *keys, struct status *st)
{
	return *keys != '?' ? 0 : status__set(st, EXIT_CODE_USAGE, -EINVAL, "no such group");
}

enum time_window window__by_name(const char *name)
{
	return *name == 'w' ? 0 : WINDOWS;
}

#endif
