/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Truth: the thread "never" waits for a futex of value 0 in never_wakes all the time, and nobody ever
 * wakes it; the thread "spins" never leaves its CPU of its own accord.
 */
#include <pthread.h>

#include "wait_log.h"

static struct wait_log *logs;
static int word;

static NOINLINE void never_wakes(void)
{
	RAW_FUTEX_WAIT(&word, 0);
}

static void *never(void *arg)
{
	wait_log__begin(&logs[0], "never");
	wait_log__add(&logs[0], "lock", wall_ns(), *log_end);
	never_wakes();
	return arg;
}

static NOINLINE void spins(void)
{
	burn(BURN_ROUNDS);
}

int main(int argc, char **argv)
{
	double seconds = work__begin(argc, argv, 10);
	pthread_t thread;

	logs = wait_logs__new(2, seconds);
	if (pthread_create(&thread, NULL, never, NULL))
		return 1;
	wait_log__begin(&logs[1], "spins");
	while (!logs[0].nwaits)
		sleep_ns(MS);
	sleep_ns(10 * MS);
	work__ready();
	while (going_on()) {
		spins();
		wait_log__mark_sometimes(&logs[1]);
	}
	wait_logs__print(logs, 2);
	return 0;
}
