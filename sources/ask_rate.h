/* SPDX-License-Identifier: GPL-2.0-only */
/* How often the events of a question happen, before anything is attached to them. */
#ifndef SOURCES_ASK_RATE_H
#define SOURCES_ASK_RATE_H

#include "sources/ask_plan.h"
#include "sources/rate_guard.h"
#include "sources/event_count.h"

struct ask_rate {
	int *fds; /* counters */
	u32 n, cap;
	struct event_count tracepoints; /* raw ones and functions of the kernel, too */
	struct event_count calls; /* of functions and static probes */
	u64 cost_ns;		   /* of an event, about */
	u64 begin_ns, before;
};

/*
 * Begins to count, which goes on while the programs are loaded. Functions and static
 * probes are counted where the kernel has links of the kind uprobe_multi; globs of many are not. only: in
 * this process; 0: in all.
 */
void ask_rate__begin(struct ask_rate *r, const struct ask *a, u32 only);
/*
 * When 20 ms are over: 0, or -EINVAL with st when the question would take more than RATE_GUARD_PCT. The
 * counters stay until ask_rate__end: while a program is attached beside them, to close them is cheap, and
 * not otherwise.
 */
int ask_rate__check(struct ask_rate *r, const struct ask *a, struct status *st);
void ask_rate__end(struct ask_rate *r);

/* The above, while a question is written: that it does not take too much is known for some seconds. Any thread. */
void ask_rate__try(const struct ask *a);

/* Of one event by its name, counted for 100 ms: how often it comes, and what it takes of a CPU, in %, to count
 * it. False: it cannot be counted without a program. Any thread. */
bool ask_rate__look(const char *event, u64 *per_second, double *pct);

#endif
