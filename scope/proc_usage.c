// SPDX-License-Identifier: GPL-2.0-only
/* CPU that processes used between two reads of their list: who is busy now, not who is old. */
#include "base/hidx.h"
#include "scope/proclist.h"

#define STALE_NS (20 * NSEC_PER_SEC) /* older reads say nothing about now */

struct proc_usage {
	u64 t_ns;
	struct hidx index;
	u32 n;
	struct used {
		u32 pid;
		u64 start, cpu_ms;
	} procs[];
};

void proc_usage__free(struct proc_usage *u)
{
	if (!u)
		return;
	hidx__fini(&u->index);
	free(u);
}

static struct proc_usage *usage_of(const struct proc_item *items, u32 n, u64 t_ns)
{
	struct proc_usage *u = xcalloc(1, sizeof(*u) + n * sizeof(u->procs[0]));

	u->t_ns = t_ns;
	for (u32 i = 0; i < n; i++) {
		u->procs[i] = (struct used){items[i].pid, items[i].start, items[i].cpu_ms};
		hidx__add(&u->index, mix64(items[i].pid), u->n++);
	}
	return u;
}

/* What it had used by then: nothing when it is new. */
static u64 used_before(const struct proc_usage *u, const struct proc_item *p)
{
	u32 at;

	HIDX_FIND(at, &u->index, mix64(p->pid), pos, u->procs[pos].pid == p->pid);
	return at == HIDX_NONE || u->procs[at].start != p->start ? 0 : u->procs[at].cpu_ms;
}

void proc_usage__update(struct proc_usage **last, struct proc_item *items, u32 n, u64 t_ns)
{
	const struct proc_usage *u = *last;
	u64 span_ns = u && t_ns > u->t_ns ? t_ns - u->t_ns : 0;

	if (span_ns > STALE_NS)
		span_ns = 0;
	for (u32 i = 0; i < n; i++) {
		u64 before = span_ns ? used_before(u, &items[i]) : 0;
		u64 ms = items[i].cpu_ms > before ? items[i].cpu_ms - before : 0;

		items[i].cpu_pct =
			span_ns ? 100.0 * (double)(ms * NSEC_PER_MSEC) / (double)span_ns : -1;
	}
	proc_usage__free(*last);
	*last = usage_of(items, n, t_ns);
}
