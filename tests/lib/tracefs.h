/* SPDX-License-Identifier: GPL-2.0-only */
/* Tracefs, which is not mounted everywhere: then in a mount namespace of the test's own. */
#ifndef TESTS_LIB_TRACEFS_H
#define TESTS_LIB_TRACEFS_H

#include <sched.h>
#include <sys/mount.h>

#include "sources/events.h"

/* Whether it is there now; of the calling thread and those that it starts. */
static inline bool tracefs__mount(void)
{
	if (event__tracefs())
		return true;
	if (unshare(CLONE_NEWNS) || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL))
		return false;
	return !mount("nodev", "/sys/kernel/tracing", "tracefs", 0, NULL) && event__tracefs();
}

#endif
