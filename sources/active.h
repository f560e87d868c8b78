/* SPDX-License-Identifier: GPL-2.0-only */
/* Processes that did something of late, by a BPF iterator: on a machine with very many of them a look at
 * each in /proc takes too long, and so does a second iterator. Collector thread only. */
#ifndef SOURCES_ACTIVE_H
#define SOURCES_ACTIVE_H

#include "base/base.h"

struct active;

/* NULL: there is no way to know it here; the log says why. */
struct active *active__open(void);
void active__close(struct active *a); /* NULL: nothing */
/* Processes with a thread that ran since the last call, or runs, or waits for a CPU or a disk now; of the
 * first call the latter alone. One may be there several times. Valid until the next call; NULL: it failed. */
const u32 *active__pids(struct active *a, u32 *n);

/* Whoever has just visited all threads himself says who that is: a new list, and each of it. The next call of
 * active__pids() returns it. */
void active__begin_report(void);
void active__report(u32 pid);

#endif
