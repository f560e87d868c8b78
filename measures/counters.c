// SPDX-License-Identifier: GPL-2.0-only
/* Counters of the hardware and of the kernel, as perf-stat(1) has them, by who had the CPU. */
#include "bpf/counters.h"
#include "samples/counters.h"
#include "samples/measure.h"

enum { BY_EVENT, BY_CPU, BY_METRIC, BY_PID, BY_TID, BY_COMM, BY_CGROUP, LABELS };

static bool metric_part(const char *event, u32 i, char *buf, size_t size)
{
	const struct metric *m = metrics__of(event, i);

	if (m)
		copy_str(buf, size, m->name);
	return m;
}

static const struct measure_label labels[LABELS] = {
	[BY_EVENT] = {.name = "event", .title = "Event", .width = 24,
		      .help = "as perf list has it; clocks count ns",
		      .word = COUNTERS_LABEL_EVENT, .bits = 32},
	[BY_CPU] = {.name = "cpu", .title = "CPU", .width = 4, .help = "the CPU that counted",
		    .word = COUNTERS_LABEL_CPU, .bits = 32, .text = label__number, .number = true},
	[BY_METRIC] = {.name = "metric", .title = "Metric", .width = 20, .kind = LABEL_DERIVED,
		       .help = "what a formula makes of counters", .of = BY_EVENT, .part = metric_part,
		       .metric = true},
	[BY_PID] = {PID_LABEL("process that had the CPU; 0: it was idle")},
	[BY_TID] = {TID_LABEL("thread likewise")},
	[BY_COMM] = {COMM_LABEL("name of the thread")},
	[BY_CGROUP] = {CGROUP_LABEL},
};

const struct measure measure_counters = {
	MEASURE_HERE,
	.name = "counters",
	.noun = "counts",
	.event = "perf events, sched_switch",
	.shape = MEASURE_SHAPE_COUNT,
	.labels = labels,
	.nlabels = LABELS,
	.by = 1u << BY_EVENT,
	.ratios = {{.name = "scaled_pct", .title = "Counted%", .type = VALUE_PCT,
		    .help = "of the time that it was to be counted it had a counter: the count is scaled "
			    "by that",
		    .of = COUNTERS_RUNNING, .in = COUNTERS_ENABLED}},
	.kept = COUNTERS_LABEL_EVENT,
	.no_moment = "counts are of the time between two switches",
	.drills = (const u32[]){1u << BY_PID, 1u << BY_TID, 0},
};
