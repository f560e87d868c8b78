/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Helpers of the workloads. A workload prints "ready PID" when what it promises has begun
 * and, at its end, one line of JSON that says what it really did. Its first argument is the
 * number of seconds. It ends with its parent.
 */
#ifndef TESTS_WORKLOADS_WORK_H
#define TESTS_WORKLOADS_WORK_H

#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#if defined(__clang__)
#define NOINLINE __attribute__((noinline)) /* it makes no clones */
#else
#define NOINLINE __attribute__((noinline, noclone))
#endif
#define MS	 1000000ULL
#define SECOND	 1000000000ULL

static inline uint64_t clock_ns(clockid_t id)
{
	struct timespec t;

	clock_gettime(id, &t);
	return (uint64_t)t.tv_sec * SECOND + (uint64_t)t.tv_nsec;
}

static inline uint64_t wall_ns(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

static inline uint64_t cpu_ns(void)
{
	return clock_ns(CLOCK_THREAD_CPUTIME_ID);
}

/*
 * About one cycle a round and no memory: the time is spent in whoever it is inlined into.
 * Asking for the frame's address makes even a leaf function set its frame pointer up.
 */
static inline __attribute__((always_inline)) void burn(uint64_t rounds)
{
	__asm__ volatile("" ::"r"(__builtin_frame_address(0)));
	while (rounds--)
		__asm__ volatile("" ::: "memory");
}

/* Some tenths of a millisecond: long beside a look at the clock, short beside a sample. */
#define BURN_ROUNDS 500000

static inline void sleep_ns(uint64_t ns)
{
	struct timespec t = {(time_t)(ns / SECOND), (long)(ns % SECOND)};

	nanosleep(&t, NULL);
}

static inline double work__begin(int argc, char **argv, double seconds)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	return argc > 1 ? atof(argv[1]) : seconds;
}

static inline void work__ready(void)
{
	printf("ready %d\n", getpid());
	fflush(stdout);
}

/* The path of this program: what is executed by it keeps its name. */
static inline const char *work__self(void)
{
	static char path[4096];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);

	path[n > 0 ? n : 0] = '\0';
	return path;
}

#endif
