/* SPDX-License-Identifier: GPL-2.0-only */
/* The screen while something long is done before there is anything to look at. */
#ifndef TUI_OPENING_H
#define TUI_OPENING_H

#include "tui/term.h"

/*
 * Calls work(ctx) on a thread of its own and waits for it. When that takes a moment the terminal says
 * `what`, and how far it is (base/progress.h); a key that quits, or a signal, stops it. Returns what
 * work does.
 */
int opening__run(const struct term_ops *ops, struct term *term, const char *what,
		 int (*work)(void *ctx), void *ctx);

#endif
