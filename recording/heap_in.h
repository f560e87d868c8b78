/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Heap profiles as text, of tcmalloc (HEAPPROFILE, and what pprof's handlers give) and of jemalloc (prof.dump), into
 * a recording of one interval, whose model is that of view `heap`. What was sampled by bytes is estimated from:
 * an object of s bytes was there with the chance 1 - exp(-s / rate), as both have it.
 */
#ifndef RECORDING_HEAP_IN_H
#define RECORDING_HEAP_IN_H

#include "base/status.h"
#include "symbols/symbols.h"

/* Whether a file begins like it. */
bool heap_profile__is(int fd);
/* fd: of such a file, stays the caller's. It has one event. A descriptor for reader__open_memory;
 * -1 with st. */
int heap_profile_import(int fd, struct symbols *symbols, const char *path, const char *event,
			struct status *st);

#endif
