/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sampling events: names as perf has them -> perf_event_attr. "cycles:P", "cpu-clock",
 * "page-faults", "sched:sched_switch", "cycles:u", "LLC-load-misses", "r01c2",
 * "cpu/event=0x3c,umask=1/u" ...
 * Modifiers: u only user mode, k only kernel mode, G only guests, H only the host,
 * p..ppp precise, P as precise as possible.
 */
#ifndef SOURCES_EVENTS_H
#define SOURCES_EVENTS_H

#include <linux/perf_event.h>
#include <stdio.h>

#include "base/base.h"
#include "base/status.h"

/* Fills type, config, precise_ip, exclude_*; "" picks cycles:P where the PMU has it, else
 * cpu-clock (by trying). Writes the name really used to `name`. Suggests near names.
 * The event was opened once on the caller itself, so 0 means that this machine has it. */
int event__parse(const char *text, struct perf_event_attr *attr, char *name, size_t name_size,
		 struct status *st);
/* One line per event that matches the glob (NULL all), with why one is unavailable; or why some
 * are not listed. Returns the number of lines; the caller asks out for errors. */
int event__list(FILE *out, const char *glob);

#define MOUNT_TRACEFS "mount -t tracefs nodev /sys/kernel/tracing"

/* Where tracefs is mounted, NULL when it is not. */
const char *event__tracefs(void);
/* Whether the kernel has probes on functions of its own. */
bool event__kernel_has_probes(void);
/* event__parse without trying to open, and with tracefs at `tracefs` (NULL: not mounted). */
int event__resolve(const char *text, const char *tracefs, struct perf_event_attr *attr,
		   struct status *st);

/* Names known without looking at the machine, in the order of the list; false at the end. */
struct event_name {
	char name[48];
	const char *class; /* "hardware", "software" or "cache" */
	u32 type;
	u64 config;
};
bool event__name(u32 i, struct event_name *out);
/* Why this machine does not have an event, found by opening it; "" when it has. */
const char *event__unavailable(const struct event_name *e);
/* What perf lists and nobody can ask for, with why; NULL beyond the last. */
const char *event__never(u32 i, const char **why);

#endif
