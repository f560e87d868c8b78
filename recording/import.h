/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Files of other programs, as recordings: perf.data, folded stacks and heap profiles are recognised by
 * how they begin, and made into a recording in memory.
 */
#ifndef RECORDING_IMPORT_H
#define RECORDING_IMPORT_H

#include "recording/reader.h"

/* Opens such a file, or a recording. event: of a file that has several, "" the first; what has one
 * is not asked. NULL with st. */
struct reader *import__open(const char *path, struct symbols *symbols, const char *event,
			    struct status *st);

#endif
