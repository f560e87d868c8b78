/* SPDX-License-Identifier: GPL-2.0-only */
/* The registers of a program where it passes a place, for whoever wants to see what is in them: perf's own events on
 * functions would take CAP_SYS_ADMIN. Any thread but the UI's. */
#ifndef SOURCES_CALL_REGISTERS_H
#define SOURCES_CALL_REGISTERS_H

#include "sources/uprobe.h"

/* Registers of the passes of ns nanoseconds, as many as a small ring holds: n words each, a struct pt_regs as programs
 * have it. Takes links of the kind uprobe_multi; 0 or -errno. */
int call_registers__take(const struct uprobe_set *set, u64 ns,
			 void (*each)(void *ctx, const u64 *words, u32 n), void *ctx);

#endif
