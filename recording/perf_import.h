/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * perf.data of perf record into a recording: the samples of one of its events, with their stacks,
 * tasks, cgroups and times. A sample's weight is its period, so that shares are those of perf
 * report. Sampled accesses to memory are the samples of a question, too (recording/perf_accesses.h). What is
 * left out is logged.
 */
#ifndef RECORDING_PERF_IMPORT_H
#define RECORDING_PERF_IMPORT_H

#include "base/status.h"
#include "symbols/symbols.h"

/* fd: of perf.data, stays the caller's. event: as perf names it, with or without what follows a
 * colon; "" the first. A descriptor for reader__open_memory; -1 with st. */
int perf_import(int fd, struct symbols *symbols, const char *path, const char *event,
		struct status *st);

#endif
