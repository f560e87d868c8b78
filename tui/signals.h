/* SPDX-License-Identifier: GPL-2.0-only */
/* The signals of the whole program; those that concern the terminal are in tui/term_signal.h. */
#ifndef TUI_SIGNALS_H
#define TUI_SIGNALS_H

#include "base/base.h"

/* Crashes, and whatever else would end us, restore the terminal; what asks us to end is blocked.
 * snapshots: SIGUSR1 asks for one. Before other threads are started. */
void signals__set_up(bool snapshots);
/* How long one may take to end before it is said, and before asking again ends it at once. */
#define SIGNALS_PATIENCE_NS (3 * NSEC_PER_SEC)
/* From now on what asks us to end does so, without waiting for anything. */
void signals__end_at_once(void);
/* One that asks us to end was read. Whoever asks twice at once, as a shell and timeout(1) do, asks once;
 * asking again after SIGNALS_PATIENCE_NS ends the program. Main thread. */
void signals__asked_to_end(int signo);
/* What asks us to end (SIGINT, SIGTERM, SIGHUP; blocked since the start), and SIGUSR1 where it asks
 * for snapshots, as a signalfd, which does not block; the caller closes it. */
int signals__open(void);

#endif
