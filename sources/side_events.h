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

/* What is sorted is little beside the events, of which there are thousands a second where programs are short. */
struct side_order {
	u64 t_ns;
	u32 at; /* in the list */
};

struct side_events {
	struct arena paths;
	struct proc_event *list; /* as they were added */
	struct side_order *order;
	u32 n, cap;
};

/* Keeps the record when it is about a process, its name or executable memory. */
void side_events__add(struct side_events *e, const struct perf_record *r);
void side_events__flush(struct side_events *e, const struct sample_sink *sink);
void side_events__fini(struct side_events *e);

#endif
