/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Truth: "holder" has a lock for 20 ms of every 30; "waiter" wants it all that time and waits
 * in takes_lock, called by wants_lock; holder's releases_lock, called by holds_lock, wakes it.
 * With the second argument "mutex" it is a pthread_mutex_t instead of a bare futex: then it
 * is libc's code that waits and wakes, called by these. Waits are logged as "lock", the rest
 * of both threads' waits as "sleep".
 */
#include <pthread.h>

#include "wait_log.h"

#define HELD_NS (20 * MS)
#define FREE_NS (10 * MS)

static struct wait_log *logs;
static int word; /* 0 free, 1 taken, 2 taken and waited for */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int use_mutex, held;

static NOINLINE void takes_lock(void)
{
	if (use_mutex)
		pthread_mutex_lock(&mutex);
	else
		while (__atomic_exchange_n(&word, 2, __ATOMIC_ACQUIRE))
			RAW_FUTEX_WAIT(&word, 2);
}

static NOINLINE void releases_lock(void)
{
	if (use_mutex)
		pthread_mutex_unlock(&mutex);
	else if (__atomic_exchange_n(&word, 0, __ATOMIC_RELEASE) == 2)
		RAW_FUTEX_WAKE(&word);
}

static NOINLINE void rests(uint64_t ns)
{
	RAW_SLEEP(ns);
}

static NOINLINE void holds_lock(void)
{
	takes_lock();
	__atomic_store_n(&held, 1, __ATOMIC_RELEASE);
	LOGGED(&logs[0], "sleep", rests(HELD_NS));
	__atomic_store_n(&held, 0, __ATOMIC_RELEASE);
	releases_lock();
	LOGGED(&logs[0], "sleep", rests(FREE_NS));
}

static NOINLINE void wants_lock(void)
{
	LOGGED(&logs[1], "lock", takes_lock());
	releases_lock();
}

static void *waiter(void *arg)
{
	wait_log__begin(&logs[1], "waiter");
	while (going_on()) {
		if (__atomic_load_n(&held, __ATOMIC_ACQUIRE))
			wants_lock();
		else
			LOGGED(&logs[1], "sleep", rests(3 * MS));
	}
	return arg;
}

int main(int argc, char **argv)
{
	double seconds = work__begin(argc, argv, 10);
	pthread_t thread;

	use_mutex = argc > 2 && strcmp(argv[2], "mutex") == 0;
	logs = wait_logs__new(2, seconds);
	wait_log__begin(&logs[0], "holder");
	if (pthread_create(&thread, NULL, waiter, NULL))
		return 1;
	work__ready();
	while (going_on())
		holds_lock();
	pthread_join(thread, NULL);
	wait_logs__print(logs, 2);
	return 0;
}
