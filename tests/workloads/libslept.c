// SPDX-License-Identifier: GPL-2.0-only
/* Preloaded, it is the clocks of a machine that goes to sleep for an hour when the program gets
 * SIGURG: CLOCK_BOOTTIME goes on by that, CLOCK_MONOTONIC knows nothing of it. */
#include <signal.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define SLEPT_S 3600

static time_t slept;

static void sleep_now(int signal)
{
	(void)signal;
	__atomic_fetch_add(&slept, SLEPT_S, __ATOMIC_RELAXED);
}

__attribute__((constructor)) static void begin(void)
{
	signal(SIGURG, sleep_now);
}

int clock_gettime(clockid_t id, struct timespec *t)
{
	int err = (int)syscall(SYS_clock_gettime, id, t);

	if (!err && id == CLOCK_BOOTTIME)
		t->tv_sec += __atomic_load_n(&slept, __ATOMIC_RELAXED);
	return err;
}
