/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Command lines and users of processes, read from /proc once for each program that a process runs.
 * Bounded: PROCS_NAMES_MAX processes, PROCS_NAMES_BUDGET_NS an interval. Collector thread only.
 */
#ifndef SOURCES_PROCS_NAMES_H
#define SOURCES_PROCS_NAMES_H

#include "base/base.h"

#define PROCS_NAMES_MAX	      131072
#define PROCS_NAMES_BUDGET_NS (50 * NSEC_PER_MSEC)

struct procs_names;

struct procs_names *procs_names__new(void);
void procs_names__free(struct procs_names *n);
/* Begins an interval's budget. */
void procs_names__begin(struct procs_names *n);
/* The command line of what a process runs; execs: another number after each execve. "": it has
 * none, or the budget is spent and it waits for procs_names__next(). Good until it is dropped. */
const char *procs_names__cmdline(struct procs_names *n, u32 tgid, u64 start_ns, u32 execs);
const char *procs_names__user(struct procs_names *n, u32 uid);
/* Reads the command line of the next process that waits. False: the budget is spent, or none does. */
bool procs_names__next(struct procs_names *n, u32 *tgid, u64 *start_ns, const char **cmdline);
/* It ended. */
void procs_names__drop(struct procs_names *n, u32 tgid, u64 start_ns);
/* Forgets whom nobody asked for since the last call. */
void procs_names__sweep(struct procs_names *n);

#endif
