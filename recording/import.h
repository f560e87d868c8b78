/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Files of other programs, as recordings: perf.data and folded stacks are recognised by how they
 * begin, and made into a recording in memory.
 */
#ifndef RECORDING_IMPORT_H
#define RECORDING_IMPORT_H

#include "core/status.h"

/* A descriptor for reader__open_fd: of the file itself, or of what it was made into. -errno with
 * st. There is one thread. */
int import__open(const char *path, struct status *st);

#endif
