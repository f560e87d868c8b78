/* SPDX-License-Identifier: GPL-2.0-only */
/* perf_event_open(2) and the limits around it: what every source on perf events shares. */
#ifndef SOURCES_PERF_OPEN_H
#define SOURCES_PERF_OPEN_H

#include <linux/perf_event.h>
#include <stdio.h>

#include "base/status.h"
#include "sources/source.h"

/* A new fd (close-on-exec) or -errno. */
int perf__open(struct perf_event_attr *attr, int pid, int cpu);
/* kernel.perf_event_paranoid; 2 when it cannot be read. */
int perf__paranoid(void);
/* The core PMU's name in sysfs; NULL: this machine has none, as many virtual ones. */
const char *perf__core_pmu(void);
/* Whether PERF_SAMPLE_CGROUP is an id of cgroup v2: with the perf_event controller on v1 it
 * would be of a v1 cgroup. */
bool perf__cgroup_ids_are_v2(void);
/* Tests: true when events of other users' processes and of the kernel may be had. */
bool perf__privileged(void);

struct perf_setup {
	struct perf_event_attr attr;
	char event[64]; /* the name of what is really sampled */
	u64 freq;	/* in force; 0 when period is */
	u64 period;
	bool clock;	/* an hrtimer event: its period is in nanoseconds */
	char note[192]; /* what differs from what was asked for, "" nothing */
};

/* The attributes for sampling as asked: event, rate (within the kernel's limit), modes and
 * clock; disabled, for the caller to add sample_type. */
int perf__setup(struct perf_setup *p, const struct sampling *how, struct status *st);
/* Argument of PERF_EVENT_IOC_PERIOD that puts the rate in force. */
u64 perf_setup__rate(const struct perf_setup *p);
/* True when going from one to the other is a matter of the rate alone. */
bool perf_setup__same_event(const struct perf_setup *a, const struct perf_setup *b);

#endif
