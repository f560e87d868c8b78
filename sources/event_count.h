/* SPDX-License-Identifier: GPL-2.0-only */
/* How often places in programs are passed, or events of the kernel come, and what a probe takes, before anything else is put
 * there: a program of a few instructions counts. One thread at a time for each. */
#ifndef SOURCES_EVENT_COUNT_H
#define SOURCES_EVENT_COUNT_H

#include "sources/uprobe.h"

struct event_count {
	int map_fd;
	int prog_fd;	   /* of places; 0: not open */
	int tracepoint_fd, raw_fd, kernel_fd; /* of those, likewise */
	int *links;
	u32 n, cap;
};

/* For places, which need links of the kind uprobe_multi. All 0 to begin with; false: this kernel does not take
 * it. */
bool event_count__open(struct event_count *c);
/* The cookies of the set are not looked at. */
void event_count__add(struct event_count *c, const struct uprobe_set *set);
/* By perf's name. All 0 to begin with, nothing else need be opened. What perf itself counts may be something else:
 * of sched_stat_runtime it adds up nanoseconds. */
void event_count__add_tracepoint(struct event_count *c, const char *name);
/* Likewise: a raw tracepoint, a function of the kernel. */
void event_count__add_raw(struct event_count *c, const char *name);
void event_count__add_kernel(struct event_count *c, const char *function, bool returns);
/* So far. */
u64 event_count__sum(const struct event_count *c);
/* Of one probe on this machine, measured once, in ns; 0: not known. */
u64 event_count__cost(struct event_count *c);
void event_count__close(struct event_count *c);

#endif
