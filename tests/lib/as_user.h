/* SPDX-License-Identifier: GPL-2.0-only */
/* For children of a test that runs as root: a user's process with capabilities, as setcap makes it.
 */
#ifndef TESTS_LIB_AS_USER_H
#define TESTS_LIB_AS_USER_H

#include <signal.h>
#include <sys/capability.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/base.h"

#define AS_USER 12345 /* nobody here */

/* set: has a bit per CAP_ number. As after execve of an ordinary program, the kernel lets the
 * user's other processes look into this one. */
static inline bool as_user(uid_t uid, u64 set)
{
	cap_t caps = cap_init();
	bool done;

	for (cap_value_t c = 0; c < 64; c++)
		if (set >> c & 1) {
			cap_set_flag(caps, CAP_PERMITTED, 1, &c, CAP_SET);
			cap_set_flag(caps, CAP_EFFECTIVE, 1, &c, CAP_SET);
		}
	done = !prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0) && !setresuid(uid, uid, uid) &&
	       !cap_set_proc(caps) && !prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);
	cap_free(caps);
	return done;
}

/* Such a process that waits until it is killed, or until its parent ends; 0: none can be made. */
static inline pid_t as_user__fork(uid_t uid, u64 set)
{
	int ready[2];
	char byte;
	pid_t pid;

	if (pipe(ready))
		return 0;
	pid = fork();
	if (!pid) {
		if (!as_user(uid, set) || prctl(PR_SET_PDEATHSIG, SIGKILL) ||
		    write(ready[1], "", 1) != 1)
			_exit(1);
		for (;;)
			pause();
	}
	close(ready[1]);
	if (read(ready[0], &byte, 1) != 1)
		pid = 0;
	close(ready[0]);
	return pid;
}

#endif
