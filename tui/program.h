/* SPDX-License-Identifier: GPL-2.0-only */
/* The whole program behind main(), so that tests can run it on sources of their own. */
#ifndef TUI_PROGRAM_H
#define TUI_PROGRAM_H

#include "tui/session.h"

/* fixture: NULL for the live machine. Returns the exit code. */
int program__main(int argc, char **argv, const struct fixture *fixture);

#endif
