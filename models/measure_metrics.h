/* SPDX-License-Identifier: GPL-2.0-only */
/* Metrics of a measure's rows: what formulas (samples/counters.h) make of the events in each. */
#ifndef MODELS_MEASURE_METRICS_H
#define MODELS_MEASURE_METRICS_H

#include "base/arena.h"
#include "models/measure.h"
#include "samples/counters.h"

/* What a row has of an event that its formula names; ns: see bpf/counters.h. */
struct metric_operand {
	double n;
	u64 enabled, running;
};

/* The metrics that one query is about. */
struct metric_builder {
	const struct metric *metric; /* of the entry in hand; NULL: rows are of none */
	u32 event; /* the label that operands are named by */
	bool counted[COUNTER_EVENTS]; /* anywhere in the snapshot */
};

/* The label that rows of metrics are by; -1: the measure has none. */
int measure__metric_label(const struct measure *m);
bool measure__is_by_metric(const struct measure *m, u32 groups);
/* False: what is asked for is of several events, whose counts make no sum. Of measures without metrics true. */
bool measure__has_sum(const struct measure *m, const struct measure_query *q);
/* The grouping that a query gets: by event, too, where counts would be added up that make no sum. */
u32 measure__groups_of(const struct measure *m, const struct measure_query *q);

/* Before entries are added: what is counted at all. */
void metric_builder__begin(struct metric_builder *k, const struct measure_snap *s);
/* An entry of `window` into the row of k->metric. */
void metric_row__add(const struct metric_builder *k, struct measure_row *r,
		     const struct measure_entry *e, enum time_window window);
/* The value, or why there is none. */
void metric_row__finish(const struct metric_builder *k, struct measure_row *r, u64 window_ns,
			struct arena *arena);
/* Those that are known first, as the metrics are listed; of one metric the greatest value first. */
int metric_row__compare(const struct measure_row *a, const struct measure_row *b);

#endif
