/* SPDX-License-Identifier: GPL-2.0-only */
/* --connect: another machine's sources, through ssh's own client. */
#ifndef TUI_CONNECT_H
#define TUI_CONNECT_H

#include "recording/link.h"
#include "tui/options.h"

/* Calls the host of --connect and waits until it is there, which may ask for a password. Models that are
 * wanted to begin with have a bit each. From then on cgroups are those of the other machine. NULL with st. */
struct link *connect__call(struct options *o, u64 wanted, struct status *st);

#endif
