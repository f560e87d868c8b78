/* SPDX-License-Identifier: GPL-2.0-only */
/* What the perf sampler may open here, and opening it. Collector thread only. */
#ifndef SOURCES_CPU_PERF_OPEN_H
#define SOURCES_CPU_PERF_OPEN_H

#include "scope/scope.h"
#include "sources/perf_open.h"
#include "sources/perf_setup.h"
#include "sources/perf_ring.h"

/* How far an event reaches that was opened. */
struct perf_reach {
	bool own;	/* only processes of this user */
	bool no_copies; /* this kernel does not copy user stacks */
	char note[320]; /* what is not seen, and how stacks are got */
};

/* Adds what samples are to have to what perf__setup has filled in. */
void cpu_perf__fields(struct perf_setup *p, const struct sampling *how, bool copies);
/* Rings for a setup, which is filled up with what could be had: everything, own processes, or
 * those in user mode alone; stacks as copies or as chains. */
int cpu_perf__open_ring(struct perf_ring *ring, struct perf_setup *p, const struct sampling *how,
			const struct scope *scope, struct perf_reach *reach, struct status *st);
/* Writes the note anew for another rate of the same event. */
void cpu_perf__note(struct perf_reach *reach, const struct perf_setup *p,
		    const struct sampling *how, bool limited);

#endif
