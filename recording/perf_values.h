/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What perf.data's samples say beside who and where, such as how long an access took: samples of a question that
 * counts, whose value is a number and whose labels are texts. One thread.
 */
#ifndef RECORDING_PERF_VALUES_H
#define RECORDING_PERF_VALUES_H

#include "samples/ask.h"

struct perf_value_label {
	const char *name;
	u32 width, word, shift, bits;
};

/* The question: these labels, then pid, comm, cgroup and stack. what: its text but for the event, which is as perf
 * names it. */
void perf_values__form(struct ask_form *f, const struct perf_value_label *own, u32 n, const char *what,
		       const char *event);

struct perf_value {
	struct measure_sample sample; /* who and stack are left to fill in */
	struct measure_key keys[MEASURE_OWN_LABELS];
	char texts[MEASURE_OWN_LABELS][32]; /* left to fill in, one for each label */
	u32 hist[MEASURE_BUCKETS];
};

/* v stays where it is: the sample points into it. */
void perf_value__begin(struct perf_value *v, const u64 *labels, u32 n, u64 value);

#endif
