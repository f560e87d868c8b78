/* SPDX-License-Identifier: GPL-2.0-only */
/* Clocks. Any thread. */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include <time.h>

#include "base/base.h"

/* CLOCK_MONOTONIC as the kernel, and so its events and BPF programs, has it: within a time
 * namespace (time_namespaces(7)) a process's own is another by an offset. */
u64 clock__monotonic_ns(void);
/* A time of clock__monotonic_ns() as this process's CLOCK_MONOTONIC, for system calls that wait
 * until then. */
struct timespec clock__until(u64 monotonic_ns);
/* What the time of day was, or will be, at a time of clock__monotonic_ns(): by how far the two clocks
 * are apart now. */
time_t clock__wall(u64 monotonic_ns);
/* How long the machine has slept since its start, which CLOCK_MONOTONIC leaves out, to about a
 * tenth of a millisecond. Within a time namespace it is another by an offset (modulo 2^64): only
 * differences tell. */
u64 clock__suspended_ns(void);
/* Since some moment, as of the last tick, a few milliseconds old: for what looks at it millions of times. */
u64 clock__coarse_ns(void);
u64 clock__thread_cpu_ns(void);
u64 clock__process_cpu_ns(void);

#endif
