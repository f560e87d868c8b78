/* SPDX-License-Identifier: GPL-2.0-only */
/* What rows about processes share, where the CPU is not known any more. */
#ifndef MODELS_TASK_TEXT_H
#define MODELS_TASK_TEXT_H

#include "base/arena.h"
#include "scope/scope.h"

/* Whether it passes the scope (NULL: everything), whatever the scope says about CPUs. tid 0: of any
 * of the process's threads; which ones count was decided where they were counted. */
bool task__passes(const struct scope *scope, u32 tgid, u32 tid, u64 cgroup, const char *comm);
/* Whether it passes terms by host; what is of no host in particular does, as a
 * baseline of one machine. */
bool task__host_passes(const struct scope *scope, u32 host);
/* Right-aligned, so that text sorts as the numbers do; "" of 0. */
const char *task__id_text(struct arena *a, u32 id);
/* The path of a cgroup; "[unknown]" of 0. */
const char *task__cgroup_text(struct arena *a, u64 id);

/* The command line of a process that began at start_ns, or of a thread's; 0: of who has the pid.
 * NULL: not known. */
const char *task__cmdline(struct arena *a, u32 tgid, u64 start_ns);
/* What that process is called, as its first thread is; comm where that is not known. start_ns: as above. */
const char *task__process(struct arena *a, u32 tgid, u64 start_ns, const char *comm);
/* What the runtime in that process calls a thread; start_ns: as above. NULL: nothing else than its comm. */
const char *task__thread_name(struct arena *a, u32 tgid, u32 tid, u64 start_ns);
/* "name/tid": as above, of whom has these ids or had them last; where the runtime calls it nothing else, its comm. */
const char *task__who(struct arena *a, u32 tgid, u32 tid, const char *comm);

#endif
