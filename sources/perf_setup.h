/* SPDX-License-Identifier: GPL-2.0-only */
/* How the sampling that was asked for becomes a perf event. */
#ifndef SOURCES_PERF_SETUP_H
#define SOURCES_PERF_SETUP_H

#include <linux/perf_event.h>

#include "sources/source.h"

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
