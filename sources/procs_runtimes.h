/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Asks, of processes whose runtime has names for its threads, that these are read (symbols/thread_names.h): a view
 * of processes walks no stacks, for which they would be read anyway. What a process maps is looked at once for each
 * program that it runs, and of others nothing more is done. Bounded: PROCS_RUNTIMES_MAX processes of more than one
 * thread, PROCS_RUNTIMES_NS an interval. Collector thread only.
 */
#ifndef SOURCES_PROCS_RUNTIMES_H
#define SOURCES_PROCS_RUNTIMES_H

#include "samples/procs.h"

#define PROCS_RUNTIMES_MAX 8192
#define PROCS_RUNTIMES_NS  (5 * NSEC_PER_MSEC)

struct procs_runtimes;

struct procs_runtimes *procs_runtimes__new(void);
void procs_runtimes__free(struct procs_runtimes *r);
/* Begins an interval's budget. */
void procs_runtimes__begin(struct procs_runtimes *r);
/* A first thread as it was reported, of several; execs: another number after each execve. */
void procs_runtimes__see(struct procs_runtimes *r, const struct procs_sample *p, u32 execs,
			 const struct sample_sink *sink);
/* It ended by t_ns. */
void procs_runtimes__end(struct procs_runtimes *r, u32 tgid, u64 start_ns, u64 t_ns, const struct sample_sink *sink);

#endif
