/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The machines whose recordings are open side by side. They are numbered from 1; 0 is the one machine that
 * everything else is about (base/machine.h). Filled while there is one thread, then read by any.
 */
#ifndef BASE_HOSTS_H
#define BASE_HOSTS_H

#include "base/base.h"

#define HOSTS_MAX  64
/* In filters, groupings and exports; where something else is called so, the other one. */
#define HOST_LABEL	 "host"
#define HOST_LABEL_ELSE "machine"

/* The number of one more; of several that have one name the later ones are called "NAME#2" and so on. */
u32 hosts__add(const char *name);
/* So many will be added. */
void hosts__expect(u32 n);
/* Whether there are several, or will be. */
bool hosts__several(void);
/* machine__name() of 0 and of what there is not. */
const char *hosts__name(u32 host);
/* Ids of cgroups are a machine's own: that of one of several. 0 stays unknown. */
u64 hosts__cgroup(u32 host, u64 id);

#endif
