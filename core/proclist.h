/* SPDX-License-Identifier: GPL-2.0-only */
/* Lists of processes and cgroups for the pickers. Slow: worker thread only. */
#ifndef CORE_PROCLIST_H
#define CORE_PROCLIST_H

#include "core/arena.h"

struct proc_item {
	u32 pid, nthreads, uid;
	const char *comm;
	const char *cmdline; /* arguments joined by blanks, "[comm]" for kernel threads */
	const char *user;
	u64 cpu_ms; /* used since it started */
	u64 rss_bytes;
	char state;
};

struct cgroup_item {
	u64 id;		  /* cgroup v2 id, 0 on v1 */
	const char *path; /* below the mount point, "/" the root */
	u32 nprocs;	  /* direct members */
	bool v1;
};

/* By cpu_ms, descending. Returns their number; they live in the arena. */
u32 proclist__read(struct arena *a, const struct proc_item **out);
u32 cgrouplist__read(struct arena *a, const struct cgroup_item **out);

#endif
