/* SPDX-License-Identifier: GPL-2.0-only */
/* Lists of processes and cgroups for the pickers. Slow: worker thread only. */
#ifndef SCOPE_PROCLIST_H
#define SCOPE_PROCLIST_H

#include "base/arena.h"

struct proc_item {
	u32 pid, nthreads, uid;
	const char *comm;
	const char *cmdline; /* arguments joined by blanks, "[comm]" for kernel threads */
	const char *user;
	u64 start;	/* clock ticks after boot: tells processes apart that had one pid */
	u64 cpu_ms;	/* used since it started */
	double cpu_pct; /* of one CPU, since the last read; less than 0: not known */
	u64 rss_bytes;
	char state;
};

struct cgroup_item {
	u64 id;		  /* cgroup v2 id, 0 on v1 */
	const char *path; /* below the mount point, "/" the root */
	u32 nprocs;	  /* direct members */
	bool v1;
};

/* What each process had used when the list was last read. One owner, any thread. */
struct proc_usage;
void proc_usage__free(struct proc_usage *u);
/* Sets cpu_pct of the items from *last (NULL: nothing is known), and replaces it by what they
 * have used at t_ns. */
void proc_usage__update(struct proc_usage **last, struct proc_item *items, u32 n, u64 t_ns);

/* Who uses the CPUs now comes first, then by cpu_ms. Returns their number; they live in the
 * arena. usage: NULL, or where it is kept between two reads. */
u32 proclist__read(struct arena *a, struct proc_usage **usage, const struct proc_item **out);
u32 cgrouplist__read(struct arena *a, const struct cgroup_item **out);

/* What the above read of each process: */

/* /proc/PID/stat, which is changed: comm lies in it. False: it is not as expected. */
bool proclist__parse_stat(char *stat, struct proc_item *p, bool *kernel);
/* n bytes of /proc/PID/cmdline, in a buffer that holds one more, become a line; "": no arguments.
 */
void proclist__parse_cmdline(char *buf, size_t n);

#endif
