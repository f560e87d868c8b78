/* SPDX-License-Identifier: GPL-2.0-only */
/* The texts of /proc behind the vital signs; formats as in proc(5). Missing fields stay 0. */
#ifndef SOURCES_VITALS_PARSE_H
#define SOURCES_VITALS_PARSE_H

#include "samples/vitals.h"

/* The line "cpu" of /proc/stat, in clock ticks since boot, summed over the CPUs. */
struct cpu_times {
	u64 user, nice, system, idle, iowait, irq, softirq, steal;
};

void vitals__parse_stat(const char *text, struct cpu_times *t);
void vitals__parse_loadavg(const char *text, struct vitals *v);
/* Of the last pids of two looks; 0 where they began anew in between. */
double vitals__starts_per_s(u32 before, u32 now, u64 ns);
void vitals__parse_meminfo(const char *text, struct vitals *v);
/* avg10 of the lines "some" and "full"; false when there is no "some". */
bool vitals__parse_pressure(const char *text, double *some, double *full);
/* Shares of the time between two readings. A counter that went back (idle and iowait may)
 * counts as 0. */
void vitals__cpu_shares(const struct cpu_times *before, const struct cpu_times *now,
			struct vitals *v);

#endif
