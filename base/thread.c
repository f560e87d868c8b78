// SPDX-License-Identifier: GPL-2.0-only
#include "base/thread.h"

#include <signal.h>

#include "base/base.h"

/* Faults of the thread itself: blocked, they would kill the program before its handler could
 * restore the terminal. */
static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS};

int thread__start(pthread_t *thread, void *(*run)(void *), void *arg)
{
	sigset_t all, old;
	int err;

	sigfillset(&all);
	for (size_t i = 0; i < ARRAY_SIZE(faults); i++)
		sigdelset(&all, faults[i]);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	err = pthread_create(thread, NULL, run, arg);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return -err;
}

void thread__name(const char *name)
{
	char buf[COMM_LEN];

	copy_str(buf, sizeof(buf), name);
	pthread_setname_np(pthread_self(), buf);
}
