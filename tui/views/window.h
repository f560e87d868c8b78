/* SPDX-License-Identifier: GPL-2.0-only */
/* The windows that numbers are about, in words. */
#ifndef TUI_VIEWS_WINDOW_H
#define TUI_VIEWS_WINDOW_H

#include "models/profile.h"
#include "tui/view.h"

const char *window__text(enum time_window w);
/* -EINVAL with st saying what there is. */
int window__set(enum time_window *w, const char *name, struct status *st);
/* The next window, and says which it is where no headline does. */
bool window__next(struct host *h, enum time_window *w);

#endif
