/* SPDX-License-Identifier: GPL-2.0-only */
/* The kernel's memory, /proc/kcore: opening it takes a capability (sys_rawio) that reading it does
 * not, and that is too mighty to keep. */
#ifndef BASE_KCORE_H
#define BASE_KCORE_H

#include "base/base.h"

/* Opens it while we may, for as long as the process lives. Before other threads are started. */
void kcore__hold(void);
/* A descriptor of the caller's own, of what is held or opened anew; -errno. Any thread. */
int kcore__open(void);

#endif
