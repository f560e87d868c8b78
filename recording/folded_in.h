/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Folded stacks into a recording of one interval: lines of frames, the outermost first, with ';'
 * between, then a blank and how often. The first frame is the command, when it can be one. Frames
 * that end in "_[k]" are the kernel's.
 */
#ifndef RECORDING_FOLDED_IN_H
#define RECORDING_FOLDED_IN_H

#include "core/status.h"

/* Whether a file begins like it. */
bool folded__is(int fd);
/* from: such a file; to: an empty file. Both stay the caller's. 0 or -errno with st. */
int folded_import(int from, int to, const char *path, struct status *st);

#endif
