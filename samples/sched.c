// SPDX-License-Identifier: GPL-2.0-only
/* What states of threads are called. */
#include "samples/sched.h"

const char *const task_state_names[TASK_STATES] = {
	[TASK_STATE_RUNNING] = "R", [TASK_STATE_RUNNABLE] = "RD", [TASK_STATE_SLEEP] = "S",
	[TASK_STATE_DISK] = "D",    [TASK_STATE_STOPPED] = "T",	  [TASK_STATE_TRACED] = "t",
	[TASK_STATE_IDLE] = "I",    [TASK_STATE_OTHER] = "other",
};
