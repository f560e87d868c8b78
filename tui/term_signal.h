/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Signals that concern the terminal, made readable: a handler only notes the signal and
 * wakes a descriptor, whatever thread it runs on. One terminal at a time.
 */
#ifndef TUI_TERM_SIGNAL_H
#define TUI_TERM_SIGNAL_H

#include "base/status.h"

enum term_signal {
	TERM_SIGNAL_SIZE = 1, /* SIGWINCH */
	TERM_SIGNAL_STOP = 2, /* SIGTSTP from outside: the terminal must be given back first */
	TERM_SIGNAL_CONT = 4, /* SIGCONT after a stop that could not be caught */
};

/* Installs the handlers; returns a descriptor that polls readable when input or a signal
 * waits on in_fd, or -errno. */
int term_signal__open(int in_fd);
void term_signal__close(void);
/* Those that came since the last call: a set of enum term_signal. */
u32 term_signal__take(void);
/* Stops the process as SIGTSTP does by default; returns after SIGCONT. */
void term_signal__stop(void);

#endif
