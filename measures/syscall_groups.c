// SPDX-License-Identifier: GPL-2.0-only
/* System calls that wait, by name: not every machine has all of them. */
#include "measures/syscall_args.h"

static const char *const waiting[] = {
	"accept",
	"accept4",
	"clock_nanosleep",
	"clock_nanosleep_time64",
	"epoll_pwait",
	"epoll_pwait2",
	"epoll_wait",
	"epoll_wait_old",
	"futex",
	"futex_time64",
	"futex_wait",
	"futex_waitv",
	"io_getevents",
	"io_pgetevents",
	"io_pgetevents_time64",
	"io_uring_enter",
	"mq_timedreceive",
	"mq_timedreceive_time64",
	"msgrcv",
	"nanosleep",
	"pause",
	"poll",
	"ppoll",
	"ppoll_time64",
	"pselect6",
	"pselect6_time64",
	"restart_syscall",
	"rt_sigsuspend",
	"rt_sigtimedwait",
	"rt_sigtimedwait_time64",
	"select",
	"_newselect",
	"semop",
	"semtimedop",
	"semtimedop_time64",
	"sigsuspend",
	"wait4",
	"waitid",
	"waitpid",
};

bool syscall_waits(u32 abi, u32 nr)
{
	const char *name = syscall_name(abi, nr);

	for (u32 i = 0; name && i < ARRAY_SIZE(waiting); i++)
		if (!strcmp(waiting[i], name))
			return true;
	return false;
}
