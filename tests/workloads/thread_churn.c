/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Truth: 50,000 threads (or the second argument), eight at a time, made as fast as it goes:
 * each sleeps 0.1 ms in short_nap and ends. The JSON has their number and the sum of their
 * sleeps as each measured it, and when the first began and the last one ended.
 */
#include <pthread.h>

#include "wait_log.h"

#define AT_ONCE 8

static uint64_t slept_ns, finished;

static NOINLINE void short_nap(void)
{
	RAW_SLEEP(MS / 10);
}

static void *brief(void *arg)
{
	uint64_t from;

	prctl(PR_SET_NAME, "brief");
	from = wall_ns();
	short_nap();
	__atomic_fetch_add(&slept_ns, wall_ns() - from, __ATOMIC_RELAXED);
	__atomic_fetch_add(&finished, 1, __ATOMIC_RELAXED);
	return arg;
}

int main(int argc, char **argv)
{
	double seconds = work__begin(argc, argv, 60);
	uint64_t count = argc > 2 ? strtoul(argv[2], NULL, 10) : 50000, n = 0, from, end;
	pthread_t threads[AT_ONCE];

	work__ready();
	/* What watches needs a moment to be there. */
	sleep_ns((argc > 3 ? strtoul(argv[3], NULL, 10) : 0) * MS);
	from = wall_ns();
	end = from + (uint64_t)(seconds * 1e9);
	for (; n < count && wall_ns() < end; n++) {
		if (n >= AT_ONCE)
			pthread_join(threads[n % AT_ONCE], NULL);
		if (pthread_create(&threads[n % AT_ONCE], NULL, brief, NULL))
			return 1;
	}
	for (uint64_t i = 0; i < AT_ONCE && i < n; i++)
		pthread_join(threads[i], NULL);
	printf("{\"created\":%lu,\"finished\":%lu,\"slept_ns\":%lu,\"from_ns\":%lu,\"to_ns\":%lu}"
	       "\n",
	       n, finished, slept_ns, from, wall_ns());
	fflush(stdout);
	sleep_ns((argc > 4 ? strtoul(argv[4], NULL, 10) : 0) * MS);
	return 0;
}
