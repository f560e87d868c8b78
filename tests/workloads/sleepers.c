/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Truth: five threads that sleep 2, 5, 20, 100 and 700 ms again and again, in naps called by
 * sleeper; state S, woken by a timer's interrupt. Each logs every sleep.
 */
#include <pthread.h>

#include "wait_log.h"

static const uint64_t lengths[] = {2, 5, 20, 100, 700};
#define NTHREADS (sizeof(lengths) / sizeof(lengths[0]))

static struct wait_log *logs;

static NOINLINE void naps(uint64_t ns)
{
	RAW_SLEEP(ns);
}

static NOINLINE void *sleeper(void *arg)
{
	uint64_t i = (uint64_t)arg;
	char name[16];

	snprintf(name, sizeof(name), "sleep-%lums", lengths[i]);
	wait_log__begin(&logs[i], name);
	while (going_on())
		LOGGED(&logs[i], "sleep", naps(lengths[i] * MS));
	return NULL;
}

int main(int argc, char **argv)
{
	double seconds = work__begin(argc, argv, 10);
	pthread_t threads[NTHREADS];

	logs = wait_logs__new(NTHREADS, seconds);
	for (uint64_t i = 0; i < NTHREADS; i++)
		if (pthread_create(&threads[i], NULL, sleeper, (void *)i))
			return 1;
	work__ready();
	for (uint64_t i = 0; i < NTHREADS; i++)
		pthread_join(threads[i], NULL);
	wait_logs__print(logs, NTHREADS);
	return 0;
}
