/* SPDX-License-Identifier: GPL-2.0-only */
/* /proc/PID/stat and /proc/PID/io, proc(5). Names are what processes chose themselves. */
#ifndef SCOPE_PROC_STAT_H
#define SCOPE_PROC_STAT_H

#include "base/base.h"

#define PROC_STAT_SIZE 1024 /* of the file, with a NUL */

struct proc_stat {
	char comm[64]; /* printable; the kernel's workers' may be longer than a thread's */
	char state;
	bool kernel;
	u32 ppid, nthreads, cpu, rt_priority, policy;
	s32 nice;
	u64 minor_faults, major_faults;
	u64 user_ticks, system_ticks, start_ticks; /* sysconf(_SC_CLK_TCK) a second */
	u64 rss_pages;
};

/* False: it is not as expected. */
bool proc_stat__parse(const char *text, struct proc_stat *out);
/* Reads it of a process, or of a thread "PID/task/TID"; 0 or -errno. */
int proc_stat__read(const char *of, struct proc_stat *out);
/* "name: N" in lines; false when there is no such line. */
bool proc_io__find(const char *text, const char *name, u64 *out);

/* Nothing in a name may move a terminal's cursor. */
void proc__replace_controls(char *s);

#endif
