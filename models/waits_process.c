// SPDX-License-Identifier: GPL-2.0-only
/* Processes of threads: numbers are used again, times of birth are not. */
#include "base/bisect.h"
#include "models/waits_result.h"

/* Whether a task is before what is searched for: tasks stand by host, tgid, tid, start_ns. */
static bool is_before(const struct task_ident *t, const struct task_ident *of, u64 start_ns)
{
	if (t->host != of->host)
		return t->host < of->host;
	if (t->tgid != of->tgid)
		return t->tgid < of->tgid;
	return t->tid != of->tgid ? t->tid < of->tgid : t->start_ns <= start_ns;
}

const struct wait_task *waits__process(const struct waits_snap *snap, const struct task_ident *t)
{
	u64 start_ns = t->tid == PROFILE_MERGED ? UINT64_MAX : t->start_ns;
	const struct wait_task *found;
	u32 n;

	BISECT(n, 0, snap->ntasks, i, is_before(&snap->tasks[i].task, t, start_ns));
	found = n ? &snap->tasks[n - 1] : NULL;
	return found && found->task.host == t->host && found->task.tgid == t->tgid && found->task.tid == t->tgid
		       ? found
		       : NULL;
}

u64 waits__process_key(const struct waits_snap *snap, const struct task_ident *t)
{
	const struct wait_task *process;

	if (t->tgid == PROFILE_MERGED)
		return t->start_ns;
	process = waits__process(snap, t);
	return mix64_pair(t->tgid | (u64)t->host << 32, process ? process->task.start_ns : 0);
}
