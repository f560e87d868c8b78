/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Truth: hog-0, hog-5 and hog-10, threads of these nice values, want the whole of the last
 * CPU (or of the second argument's) in hog_spins called by hog: they never sleep, so what
 * they are not running they wait for the CPU, preempted in hog_spins. The marks have CPU time
 * and run delay as the kernel accounts them.
 */
#include <pthread.h>
#include <sys/resource.h>

#include "wait_log.h"

#define NHOGS 3

static struct wait_log *logs;
static int cpu;

static NOINLINE void hog_spins(void)
{
	burn(BURN_ROUNDS);
}

static NOINLINE void *hog(void *arg)
{
	uint64_t i = (uint64_t)arg;
	char name[16];

	snprintf(name, sizeof(name), "hog-%lu", i * 5);
	pin_to(cpu);
	setpriority(PRIO_PROCESS, (id_t)syscall(SYS_gettid), (int)i * 5);
	wait_log__begin(&logs[i], name);
	while (going_on()) {
		hog_spins();
		wait_log__mark_sometimes(&logs[i]);
	}
	wait_log__mark(&logs[i]);
	return NULL;
}

int main(int argc, char **argv)
{
	double seconds = work__begin(argc, argv, 10);
	pthread_t threads[NHOGS];

	cpu = argc > 2 ? atoi(argv[2]) : last_cpu();
	logs = wait_logs__new(NHOGS, seconds);
	for (uint64_t i = 0; i < NHOGS; i++)
		if (pthread_create(&threads[i], NULL, hog, (void *)i))
			return 1;
	for (uint64_t i = 0; i < NHOGS; i++)
		while (!__atomic_load_n(&logs[i].nmarks, __ATOMIC_RELAXED))
			sleep_ns(MS);
	work__ready();
	for (uint64_t i = 0; i < NHOGS; i++)
		pthread_join(threads[i], NULL);
	wait_logs__print(logs, NHOGS);
	return 0;
}
