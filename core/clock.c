/* SPDX-License-Identifier: GPL-2.0-only */
#include "core/clock.h"

#include <time.h>

static u64 read_clock(clockid_t id)
{
	struct timespec ts;

	clock_gettime(id, &ts);
	return (u64)ts.tv_sec * NSEC_PER_SEC + (u64)ts.tv_nsec;
}

u64 clock__monotonic_ns(void)
{
	return read_clock(CLOCK_MONOTONIC);
}

u64 clock__thread_cpu_ns(void)
{
	return read_clock(CLOCK_THREAD_CPUTIME_ID);
}

u64 clock__process_cpu_ns(void)
{
	return read_clock(CLOCK_PROCESS_CPUTIME_ID);
}
