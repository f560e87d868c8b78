/* SPDX-License-Identifier: GPL-2.0-only */
/* The signals of the whole program; those that concern the terminal are in tui/term_signal.h. */
#ifndef TUI_SIGNALS_H
#define TUI_SIGNALS_H

#include "base/base.h"

/* Crashes, and whatever else would end us, restore the terminal; what asks us to end is blocked.
 * snapshots: SIGUSR1 asks for one. Before other threads are started. */
void signals__set_up(bool snapshots);
/* What asks us to end (SIGINT, SIGTERM, SIGHUP; blocked since the start), and SIGUSR1 where it asks
 * for snapshots, as a signalfd, which does not block; the caller closes it. */
int signals__open(void);

#endif
