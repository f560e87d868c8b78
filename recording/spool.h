/* SPDX-License-Identifier: GPL-2.0-only */
/* Recordings that come through a pipe: `perf record -o - ... | proftop --replay -`. They are read
 * anywhere, again and again, so what comes is kept in a file without a name. */
#ifndef RECORDING_SPOOL_H
#define RECORDING_SPOOL_H

#include "base/status.h"

/* Takes all of standard input, until its end: SIGINT, which is for whoever writes it, does not end
 * the wait. Standard input is the terminal then, if there is one. Before the terminal is used; 0 or
 * -errno with st. */
int spool__stdin(struct status *st);
/* A descriptor of it at its begin, the caller's; -1 and errno: there is none. */
int spool__open(void);

#endif
