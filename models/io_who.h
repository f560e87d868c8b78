/* SPDX-License-Identifier: GPL-2.0-only */
/* Whose devices and requests are. Any thread. */
#ifndef MODELS_IO_WHO_H
#define MODELS_IO_WHO_H

#include "samples/block.h"
#include "scope/scope.h"

/* Whose it is of several hosts, else NULL. */
const char *io_device__host(const struct io_device *d);

/* Whether it is in scope (NULL: everything); tid 0: of any of the process's threads. */
bool io_who__passes(const struct io_who *w, u32 tid, const struct scope *scope);

#endif
