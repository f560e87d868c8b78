/* SPDX-License-Identifier: GPL-2.0-only */
/* Preloaded, it is the wall clock of a machine whose clock somebody sets an hour back, forth and
 * back again: each look at it is on the other side. */
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define STEP_S 3600

static time_t step(void)
{
	static int looks;

	return __atomic_fetch_add(&looks, 1, __ATOMIC_RELAXED) & 1 ? STEP_S : -STEP_S;
}

int clock_gettime(clockid_t id, struct timespec *t)
{
	int err = (int)syscall(SYS_clock_gettime, id, t);

	if (!err && id == CLOCK_REALTIME)
		t->tv_sec += step();
	return err;
}

time_t time(time_t *out)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	if (out)
		*out = t.tv_sec;
	return t.tv_sec;
}

int gettimeofday(struct timeval *out, void *zone)
{
	struct timespec t;

	(void)zone;
	clock_gettime(CLOCK_REALTIME, &t);
	*out = (struct timeval){t.tv_sec, t.tv_nsec / 1000};
	return 0;
}
