/* SPDX-License-Identifier: GPL-2.0-only */
/* What gives the terminal back when there is no time for curses: see term__emergency_restore. */
#ifndef TUI_TERM_RESTORE_H
#define TUI_TERM_RESTORE_H

#include "base/base.h"

/* Saves the terminal's modes; before curses changes them. 0 or -errno. */
int term_restore__save(int fd);
/* Adds a terminfo string (NULL: none; padding is left out) to what will be written to fd. */
void term_restore__add(const char *cap);
/* From now on term__emergency_restore acts, once. */
void term_restore__arm(int fd);
void term_restore__disarm(void);

#endif
