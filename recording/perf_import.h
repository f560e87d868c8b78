/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * perf.data of perf record into a recording: the samples of its first event, with their stacks,
 * tasks, cgroups and times. A sample's weight is its period, so that shares are those of perf
 * report. What is left out is logged.
 */
#ifndef RECORDING_PERF_IMPORT_H
#define RECORDING_PERF_IMPORT_H

#include "core/status.h"

/* from: perf.data; to: an empty file. Both stay the caller's. 0 or -errno with st. */
int perf_import(int from, int to, const char *path, struct status *st);

#endif
