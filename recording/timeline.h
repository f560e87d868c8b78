/* SPDX-License-Identifier: GPL-2.0-only */
/* The intervals of a recording and how busy the machine was in each. Any thread. */
#ifndef RECORDING_TIMELINE_H
#define RECORDING_TIMELINE_H

#include "base/status.h"
#include "base/timepoint.h"

#define TIMELINE_SLEEPS 64

struct timeline {
	u32 nsleeps; /* later ones are left out */
	struct timespan_sleep sleeps[TIMELINE_SLEEPS];
	u32 n;
	struct timeline_interval {
		u64 t1_ns;	/* where it ends; they rise */
		float busy_pct; /* of all CPUs; negative: not known */
	} v[];
};

/* Of reader__another_fd or recorder__memory; the fd is taken. At most TIMELINE_MAX intervals, the
 * first ones. NULL with st: nothing can be read. free() it. */
struct timeline *timeline__read(int fd, struct status *st);

#define TIMELINE_MAX (1u << 20)

#endif
