/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Events of one PMU, as perf writes them: PMU/TERM[,TERM...]/. A term is FIELD=VALUE, FIELD (its
 * value is 1), an event that the PMU names itself, or config=, config1=, config2=. What fields and
 * events there are, and which bits a field is, is in sysfs (the kernel's
 * Documentation/ABI/testing/sysfs-bus-event_source-devices-format and -events).
 */
#ifndef SOURCES_EVENT_PMU_H
#define SOURCES_EVENT_PMU_H

#include <linux/perf_event.h>

#include "base/base.h"
#include "base/status.h"

#define EVENT_PMU_DEVICES "/sys/bus/event_source/devices"

/* Whether a text is written in this way: a word and a slash. */
bool event_pmu__is(const char *text);
/* Fills type, config, config1 and config2. devices: EVENT_PMU_DEVICES, or where a test has put
 * its own. Without modifiers. */
int event_pmu__resolve(const char *text, const char *devices, struct perf_event_attr *attr,
		       struct status *st);
/* Calls fn for each event that a PMU names, as PMU/EVENT/, sorted. */
void event_pmu__each(const char *devices, void (*fn)(void *ctx, const char *name), void *ctx);

#endif
