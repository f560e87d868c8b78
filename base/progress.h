/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How far long work is, such as reading a large file, for whoever waits for it: one work at a time.
 * Any thread.
 */
#ifndef BASE_PROGRESS_H
#define BASE_PROGRESS_H

#include "base/base.h"

/* For the work, now and then. False: it is to end, somebody has had enough of it, or a signal came
 * that ends the program. */
bool progress__go_on(u64 done, u64 total);

/* For who waits. total 0: nothing was told yet. */
void progress__get(u64 *done, u64 *total);
/* Whatever goes on, or is begun from now on, ends. */
void progress__stop(void);
bool progress__stopped(void);

#endif
