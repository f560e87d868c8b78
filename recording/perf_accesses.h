/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sampled accesses to memory (perf mem record: PEBS, IBS, and SPE as perf inject makes samples of it) as the
 * samples of a question: how long each took, in the CPU's own count of cycles, by where the data came from.
 * One thread.
 */
#ifndef RECORDING_PERF_ACCESSES_H
#define RECORDING_PERF_ACCESSES_H

#include "recording/perf_values.h"
#include "samples/perf_record.h"

/* Whether samples say where data came from, or how long it took. */
bool perf_accesses__are(const struct perf_format *f);
/* event: as perf names it. */
void perf_accesses__form(struct ask_form *f, const char *event);

void perf_accesses__read(struct perf_value *v, const struct perf_record *r);

#endif
