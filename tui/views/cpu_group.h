/* SPDX-License-Identifier: GPL-2.0-only */
/* The keys that the cpu view groups by, as actions. */
#ifndef TUI_VIEWS_CPU_GROUP_H
#define TUI_VIEWS_CPU_GROUP_H

#include "models/profile.h"
#include "tui/view.h"

/* GROUP_BIT of the key that an action names; 0: none. */
u32 cpu_group__of_action(enum action a);
/* The single key after the first one of a set, and around. */
u32 cpu_group__next(u32 groups);
/* What to press for each, "y symbol  o object ...". */
const char *cpu_group__keys(const struct host *h, char *buf, size_t size);

#endif
