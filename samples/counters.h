/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Counters: which events there are, and the metrics that formulas make of them.
 *
 * A metric is a line "NAME: FORMULA | UNIT | HELP". FORMULA (base/formula.h) is over events by their names,
 * "seconds", the length of the window, and "cpu-seconds", the CPU time of tasks (without the idle ones);
 * at least one is not "seconds". Those that are compiled in are samples/counters.metrics.
 */
#ifndef SAMPLES_COUNTERS_H
#define SAMPLES_COUNTERS_H

#include "base/formula.h"
#include "base/status.h"

#define COUNTER_EVENTS 26
/* So many of the first the kernel counts by itself: on any machine. */
#define COUNTER_KERNEL_EVENTS 8
/* And the last ones are a group that the first of them leads, by the names that the CPU's PMU has for them. */
#define COUNTER_TOPDOWN 21
#define METRICS_MAX    64

/* The label of view hwcache that has CPUs by the last-level cache that they share. */
#define HWCACHE_SHARED "shared"

/* As perf list has them, in the order of perf stat. */
extern const char *const counter_events[COUNTER_EVENTS];
enum { COUNTER_CPU_CLOCK, COUNTER_TASK_CLOCK }; /* the first of them */
#define COUNTER_CPU_TIME "task-clock"

/* What a formula's name stands for: an event by its index, or one of these. */
enum { METRIC_SECONDS = COUNTER_EVENTS, METRIC_CPU_SECONDS, METRIC_OPERANDS };

struct metric {
	char name[FORMULA_NAME_MAX];
	char text[160]; /* its formula */
	char unit[16];
	char help[120];
	struct formula formula;
	u8 operands[FORMULA_NAMES]; /* of formula.names */
};

/* Of what had a counter for `running` of `enabled` ns: what it would be at the same pace all the time. */
u64 counter__scaled(u64 count, u64 enabled, u64 running);

/* COUNTER_EVENTS: it is none. */
u32 counter__event(const char *name);

/* One line, at `from` up to `to`. -EINVAL, with words of what is wrong; -EEXIST: another has the name. */
int metric__parse(struct metric *m, const char *from, const char *to, char *why, size_t size);

/* Those that are compiled in, and so the first. Before there are other threads: so __add, too. */
void metrics__begin(void);
/* -EINVAL, -EEXIST, -ENOSPC, with words. */
int metrics__add(const char *from, const char *to, char *why, size_t size);

u32 metrics__n(void);
const struct metric *metrics__at(u32 i);
const struct metric *metrics__named(const char *name); /* NULL: there is none */

/* The event that an operand other than METRIC_SECONDS is of. */
const char *metric_operand__event(u32 operand);
/* One of the events that it is made of. */
const char *metric__event(const struct metric *m);
/* The i-th metric that an event is in; NULL: there are no more. */
const struct metric *metrics__of(const char *event, u32 i);

#endif
