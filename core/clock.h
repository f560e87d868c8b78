/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef CORE_CLOCK_H
#define CORE_CLOCK_H

#include "core/base.h"

u64 clock__monotonic_ns(void);
u64 clock__thread_cpu_ns(void);
u64 clock__process_cpu_ns(void);

#endif
