// SPDX-License-Identifier: GPL-2.0-only
#include "tui/views/window.h"

const char *window__text(enum time_window w)
{
	static const char *const texts[WINDOWS] = {
		[WINDOW_LAST] = "last interval",
		[WINDOW_DECAY] = "decaying",
		[WINDOW_TOTAL] = "since start",
	};

	return texts[w];
}

int window__set(enum time_window *w, const char *name, struct status *st)
{
	enum time_window named = window__by_name(name);

	if (named == WINDOWS)
		return choice__refuse(st, name, WINDOW_NAMES);
	*w = named;
	return 0;
}

bool window__next(struct host *h, enum time_window *w)
{
	*w = (*w + 1) % WINDOWS;
	host__message(h, ROLE_OK, "window: %s", window__text(*w));
	return true;
}
