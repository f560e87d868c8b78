// SPDX-License-Identifier: GPL-2.0-only
#include "base/progress.h"

#include <signal.h>
#include <stdatomic.h>

static _Atomic u64 done_now, total_now;
static atomic_bool stop;

/* The program's signals are blocked, and looked at between events: not while something long goes on. */
static bool signal_is_pending(void)
{
	sigset_t pending;

	return !sigpending(&pending) &&
	       (sigismember(&pending, SIGINT) || sigismember(&pending, SIGTERM) ||
		sigismember(&pending, SIGHUP));
}

bool progress__go_on(u64 done, u64 total)
{
	atomic_store(&done_now, done);
	atomic_store(&total_now, total);
	return !atomic_load(&stop) && !signal_is_pending();
}

void progress__get(u64 *done, u64 *total)
{
	*done = atomic_load(&done_now);
	*total = atomic_load(&total_now);
}

void progress__stop(void)
{
	atomic_store(&stop, true);
}

bool progress__stopped(void)
{
	return atomic_load(&stop);
}
