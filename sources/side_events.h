/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Gathers fork, exec, comm, exit and mmap records of one drain and hands them out in the
 * order of their times, whichever CPU's ring they came from. Collector thread only.
 */
#ifndef SOURCES_SIDE_EVENTS_H
#define SOURCES_SIDE_EVENTS_H

#include "base/arena.h"
#include "samples/sample.h"
#include "samples/perf_record.h"

struct side_entry {
	struct proc_event event;
	u32 seq; /* as they were added: decides between equal times */
};

struct side_events {
	struct arena paths;
	struct side_entry *list;
	u32 n, cap;
};

/* Keeps the record when it is about a process, its name or executable memory. */
void side_events__add(struct side_events *e, const struct perf_record *r);
void side_events__flush(struct side_events *e, const struct sample_sink *sink);
void side_events__fini(struct side_events *e);

#endif
