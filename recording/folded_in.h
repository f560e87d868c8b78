/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Folded stacks into a recording of one interval: lines of frames, the outermost first, with ';'
 * between, then a blank and how often. The first frame is the command, when it can be one. Frames
 * that end in "_[k]" are the kernel's.
 */
#ifndef RECORDING_FOLDED_IN_H
#define RECORDING_FOLDED_IN_H

#include "base/status.h"
#include "symbols/symbols.h"

/* Whether a file begins like it. */
bool folded__is(int fd);
/* fd: of such a file, stays the caller's. It has one event. A descriptor for reader__open_memory;
 * -1 with st. */
int folded_import(int fd, struct symbols *symbols, const char *path, const char *event,
		  struct status *st);

#endif
