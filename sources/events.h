/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sampling events: names as perf has them -> perf_event_attr. "cycles:P", "cpu-clock",
 * "page-faults", "sched:sched_switch", "cycles:u" ... Modifiers u k p P.
 */
#ifndef SOURCES_EVENTS_H
#define SOURCES_EVENTS_H

#include <linux/perf_event.h>
#include <stdio.h>

#include "core/status.h"

/* Fills type, config, precise_ip, exclude_*; "" picks cycles:P where the PMU has it, else
 * cpu-clock (by trying). Writes the name really used to `name`. Suggests near names. */
int event__parse(const char *text, struct perf_event_attr *attr, char *name, size_t name_size,
		 struct status *st);
/* One line per event that matches the glob (NULL all), with why one is unavailable. */
int event__list(FILE *out, const char *glob);

#endif
