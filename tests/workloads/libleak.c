// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a soak has to find: loaded into a program, it forgets memory all the time, LEAK_MIB a
 * minute, and a descriptor every ten seconds.
 */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define STEPS_A_MINUTE 60
#define STEPS_A_FD     10

static void *forgets(void *arg)
{
	size_t bytes = (size_t)(atof(arg) * (1 << 20) / STEPS_A_MINUTE);

	for (unsigned int n = 0;; n++) {
		char *p = malloc(bytes);

		if (p)
			memset(p, 1, bytes);
		if (n % STEPS_A_FD == 0 && dup(STDIN_FILENO) < 0)
			return NULL;
		sleep(1);
	}
}

__attribute__((constructor)) static void begin(void)
{
	char *mib = getenv("LEAK_MIB");
	sigset_t all, before;
	pthread_t thread;

	if (!mib)
		return;
	/* What is sent to the process is for the threads that expect it. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	if (!pthread_create(&thread, NULL, forgets, mib))
		pthread_detach(thread);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}
