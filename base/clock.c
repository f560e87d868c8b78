/* SPDX-License-Identifier: GPL-2.0-only */
#include "base/clock.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static u64 ahead_ns; /* of the kernel's; modulo 2^64 when it is behind */
static pthread_once_t ahead_known = PTHREAD_ONCE_INIT;

/* What /proc tells are the offsets of children to come: mostly those of the process too. */
static bool offsets_are_ours(void)
{
	char mine[64] = "", children[64] = "";

	return readlink("/proc/self/ns/time", mine, sizeof(mine) - 1) > 0 &&
	       readlink("/proc/self/ns/time_for_children", children, sizeof(children) - 1) > 0 &&
	       !strcmp(mine, children);
}

static void find_ahead(void)
{
	FILE *f = offsets_are_ours() ? fopen("/proc/self/timens_offsets", "re") : NULL;
	long long s, ns;

	if (!f)
		return;
	if (fscanf(f, "monotonic %lld %lld", &s, &ns) == 2)
		ahead_ns = (u64)s * NSEC_PER_SEC + (u64)ns;
	fclose(f);
}

static u64 read_clock(clockid_t id)
{
	struct timespec ts;

	clock_gettime(id, &ts);
	return (u64)ts.tv_sec * NSEC_PER_SEC + (u64)ts.tv_nsec;
}

u64 clock__monotonic_ns(void)
{
	pthread_once(&ahead_known, find_ahead);
	return read_clock(CLOCK_MONOTONIC) - ahead_ns;
}

u64 clock__coarse_ns(void)
{
	return read_clock(CLOCK_MONOTONIC_COARSE);
}

struct timespec clock__until(u64 monotonic_ns)
{
	u64 own;

	pthread_once(&ahead_known, find_ahead);
	own = monotonic_ns + ahead_ns;
	return (struct timespec){.tv_sec = (time_t)(own / NSEC_PER_SEC),
				 .tv_nsec = (long)(own % NSEC_PER_SEC)};
}

/* Whole seconds of each clock would make times that are looked at again and again jump by one. */
time_t clock__wall(u64 monotonic_ns)
{
	u64 wall_ns = read_clock(CLOCK_REALTIME) - clock__monotonic_ns() + monotonic_ns;

	return (time_t)(wall_ns / NSEC_PER_SEC);
}

/* The second clock is read at once after the first, or again. */
u64 clock__suspended_ns(void)
{
	u64 before, monotonic, boot;

	for (int i = 0; i < 10; i++) {
		before = read_clock(CLOCK_MONOTONIC);
		boot = read_clock(CLOCK_BOOTTIME);
		monotonic = read_clock(CLOCK_MONOTONIC);
		if (monotonic - before < NSEC_PER_MSEC / 10)
			break;
	}
	return boot - monotonic;
}

u64 clock__thread_cpu_ns(void)
{
	return read_clock(CLOCK_THREAD_CPUTIME_ID);
}

u64 clock__process_cpu_ns(void)
{
	return read_clock(CLOCK_PROCESS_CPUTIME_ID);
}
