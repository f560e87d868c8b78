/* SPDX-License-Identifier: GPL-2.0-only */
/* perf_event_open(2) and the limits around it: what every source on perf events shares. */
#ifndef SOURCES_PERF_OPEN_H
#define SOURCES_PERF_OPEN_H

#include <linux/perf_event.h>

#include "base/base.h"

/* A new fd (close-on-exec) or -errno. */
int perf__open(struct perf_event_attr *attr, int pid, int cpu);
/* Likewise, counted when, and only when, that of fd `leader` is; -1: by itself. */
int perf__open_with(struct perf_event_attr *attr, int pid, int cpu, int leader);
/* kernel.perf_event_paranoid; 2 when it cannot be read. */
int perf__paranoid(void);
/* The core PMU's name in sysfs; NULL: this machine has none, as many virtual ones. */
const char *perf__core_pmu(void);
/* Whether PERF_SAMPLE_CGROUP is an id of cgroup v2: with the perf_event controller on v1 it
 * would be of a v1 cgroup. */
bool perf__cgroup_ids_are_v2(void);
/* Tests: true when events of other users' processes and of the kernel may be had. */
bool perf__privileged(void);

#endif
