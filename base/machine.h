/* SPDX-License-Identifier: GPL-2.0-only */
/* The machine that is looked at: this one, or the one a recording is of. Any thread. */
#ifndef BASE_MACHINE_H
#define BASE_MACHINE_H

#include "base/base.h"

const char *machine__name(void);
const char *machine__kernel(void);
/* This one: processes have other ids here than in the kernel and its BPF programs, as in a container
 * with a PID namespace of its own. False when that cannot be known. */
bool machine__has_own_pids(void);
/* It is another one: from now on nothing of this one is told. While there is one thread. */
void machine__set(const char *name, const char *kernel);

#endif
