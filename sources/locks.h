/* SPDX-License-Identifier: GPL-2.0-only */
/* What the source of locks has beside that of any measure: names and kinds of locks, and who holds them.
 * Collector thread only. */
#ifndef SOURCES_LOCKS_H
#define SOURCES_LOCKS_H

#include "sources/measure.h"

extern const struct measure_hooks locks_hooks;

#endif
