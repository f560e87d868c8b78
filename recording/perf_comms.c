// SPDX-License-Identifier: GPL-2.0-only
#include "recording/perf_comms.h"

#include <stdio.h>

void perf_comms__fini(struct perf_comms *t)
{
	free(t->v);
	hidx__fini(&t->by_tid);
	*t = (struct perf_comms){0};
}

static struct perf_comm *find(const struct perf_comms *t, u32 tid)
{
	u32 at;

	HIDX_FIND(at, &t->by_tid, mix64(tid), pos, t->v[pos].tid == tid);
	return at == HIDX_NONE ? NULL : &t->v[at];
}

void perf_comms__name(struct perf_comms *t, u32 tid, const char *comm)
{
	struct perf_comm *task = find(t, tid);

	if (!task) {
		if (t->n == PERF_COMMS_MAX)
			return;
		t->v = xgrow(t->v, t->n, &t->cap, sizeof(*t->v));
		task = &t->v[t->n];
		task->tid = tid;
		hidx__add(&t->by_tid, mix64(tid), t->n++);
	}
	copy_str(task->comm, sizeof(task->comm), comm);
	for (char *c = task->comm; *c; c++)
		if ((u8)*c < ' ' || *c == 127)
			*c = '?';
}

void perf_comms__fork(struct perf_comms *t, u32 tid, u32 parent)
{
	const struct perf_comm *from = find(t, parent);
	char comm[COMM_LEN];

	if (!from || tid == parent)
		return;
	memcpy(comm, from->comm, sizeof(comm)); /* it may move */
	perf_comms__name(t, tid, comm);
}

void perf_comms__comm(const struct perf_comms *t, u32 tgid, u32 tid, char buf[COMM_LEN])
{
	const struct perf_comm *task = find(t, tid);

	if (!task)
		task = find(t, tgid);
	if (task)
		memcpy(buf, task->comm, COMM_LEN);
	else if (!tgid && !tid)
		copy_str(buf, COMM_LEN, "swapper");
	else
		snprintf(buf, COMM_LEN, ":%d", (s32)tid);
}
