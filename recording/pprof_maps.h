/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What gperftools' tools exchange: mappings of a process as lines of /proc/PID/maps, and addresses of it. The
 * process may be gone, or on another machine. One thread.
 */
#ifndef RECORDING_PPROF_MAPS_H
#define RECORDING_PPROF_MAPS_H

#include <stdio.h>

#include "recording/perf_spaces.h"

/* All lines are of one process. */
#define PPROF_TGID 1

/* Adds what a line says is mapped for execution. False: it is no such line. */
bool pprof_maps__add(struct perf_spaces *spaces, const char *line);
/* As pprof names functions: without arguments, types of templates, and what is returned. In place. */
void pprof_name__shorten(char *name);
/* What `pprof --symbols PROGRAM` does, for HEAPCHECK with PPROF_PATH: reads mappings and addresses, one a line,
 * writes the functions of the addresses, in their order, "??" where there is none. Bounded. */
int pprof_symbols(FILE *in, FILE *out, struct status *st);

#endif
