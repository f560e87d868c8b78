/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What may be done to a process: only to the one that is meant, by its number and when it began
 * (/proc/PID/stat, in clock ticks): a number that is used again is somebody else's. Any thread.
 */
#ifndef SCOPE_PROC_ACT_H
#define SCOPE_PROC_ACT_H

#include "base/status.h"

struct proc_id {
	u32 pid;
	u64 start_ns; /* CLOCK_BOOTTIME */
};

/* Each: 0, or -errno with st saying why, and that nothing was done. */
int proc_act__signal(const struct proc_id *id, int sig, struct status *st);
/* All its threads; the nice value that it has then, -20 to 19. */
int proc_act__renice(const struct proc_id *id, int nice, struct status *st);
/* All its threads; cpus: "0,2-3". */
int proc_act__set_cpus(const struct proc_id *id, const char *cpus, struct status *st);
/* "0-3": where its first thread may run; "" not known. Returns buf. */
const char *proc_act__cpus(const struct proc_id *id, char *buf, size_t size);
/* Pure: a list of CPUs below `ncpus` as bits of `set`; false: it is none. */
#define PROC_ACT_CPUS 1024
bool proc_act__parse_cpus(const char *text, u64 set[PROC_ACT_CPUS / 64]);

#endif
