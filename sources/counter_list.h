/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which events are counted, as perf-stat(1) takes them: names with commas between them, and {A,B} for those that
 * are counted at the same times or not at all. Commas between the slashes of a PMU's event are its own.
 */
#ifndef SOURCES_COUNTER_LIST_H
#define SOURCES_COUNTER_LIST_H

#include "base/base.h"
#include "base/status.h"
#include "bpf/counters.h"

#define COUNTER_LIST_TAKES "events with commas between them, {A,B} for a group: {cycles,instructions},page-faults"

struct counter_list {
	char names[COUNTERS_MAX][128];
	u8 leaders[COUNTERS_MAX]; /* the first of its group; itself: it is that one, or of none */
	u32 n;
};

/* Its form alone: whether there are such events is not looked at. -EINVAL with words. */
int counter_list__parse(struct counter_list *l, const char *text, struct status *st);

#endif
