/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * CPUs that are on, and when perf events of them have to be opened anew: an event of a CPU ends
 * for good when the CPU goes, and while a machine sleeps all CPUs but one are gone.
 */
#ifndef BASE_CPUS_H
#define BASE_CPUS_H

#include <stdio.h>

#include "base/base.h"

/* Numbers of the CPUs that are on, malloc'ed; returns how many. */
u32 cpus__online(u32 **cpus);
/* "0-3,5" as /sys prints it; returns how many, at most max. */
u32 cpus__parse(FILE *f, u32 *cpus, u32 max);

/* Since the last look. */
struct cpus_news {
	u64 slept_ns; /* the machine, with all of them; 0: it did not */
	bool changed; /* some came or went */
};

/* One thread's. */
struct cpus_watch {
	int fd;	     /* becomes readable when something may have changed; -1: ask now and then */
	int uevents; /* the kernel's word on devices; -1: it is not to be had */
	int sleeps;  /* a timer that is cancelled when the clock is set, as it is after a sleep */
	u32 *cpus, n;
	u64 slept_ns; /* clock__suspended_ns() as of the last look */
};

#define CPUS_WATCH_NONE {.fd = -1, .uevents = -1, .sleeps = -1}

/* What cannot be had is done without: then a CPU that goes and comes back between two looks is
 * not noticed. */
void cpus_watch__init(struct cpus_watch *w);
void cpus_watch__fini(struct cpus_watch *w);
struct cpus_news cpus_watch__look(struct cpus_watch *w);

#endif
