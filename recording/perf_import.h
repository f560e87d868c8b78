/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * perf.data of perf record into a recording: the samples of its first event, with their stacks,
 * tasks, cgroups and times. A sample's weight is its period, so that shares are those of perf
 * report. What is left out is logged.
 */
#ifndef RECORDING_PERF_IMPORT_H
#define RECORDING_PERF_IMPORT_H

#include "core/status.h"
#include "symbols/symbols.h"

/* fd: of perf.data, stays the caller's. A descriptor for reader__open_memory; -1 with st. */
int perf_import(int fd, struct symbols *symbols, const char *path, struct status *st);

#endif
