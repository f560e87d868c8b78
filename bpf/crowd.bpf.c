// SPDX-License-Identifier: GPL-2.0-only
/* Who has most threads: an iterator that user space runs when they are near their limit. */
#include "bpf/maps.bpf.h"
#include "bpf/crowd.h"

char LICENSE[] SEC("license") = "GPL";

#define PIDTYPE_PGID  2
#define FIRST_USER    3 /* init and kthreadd adopt; they have not begun what they have */

struct counts {
	u32 visit;
	u32 n[CROWD_KINDS];
};

SPARSE_HASH_MAP(crowds, CROWD_MAX, u32, struct counts);

volatile u32 visits = 0;
struct crowd_top top[CROWD_KINDS] = {};

static __always_inline void count(enum crowd_kind kind, u32 key, u32 pid)
{
	struct counts *c = bpf_map_lookup_elem(&crowds, &key), none = {};

	if (!c) {
		bpf_map_update_elem(&crowds, &key, &none, BPF_NOEXIST);
		c = bpf_map_lookup_elem(&crowds, &key);
	}
	if (!c)
		return;
	if (c->visit != visits) {
		__builtin_memset(c, 0, sizeof(*c));
		c->visit = visits;
	}
	if (++c->n[kind] <= top[kind].threads)
		return;
	top[kind].pid = pid;
	top[kind].threads = c->n[kind];
}

SEC("iter/task")
int crowd_visit(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;
	u32 pid, parent;

	if (!task || task->exit_state)
		return 0;
	pid = task->tgid;
	parent = task->real_parent->tgid;
	count(CROWD_PROCESS, pid, pid);
	count(CROWD_CHILDREN, pid, pid);
	if (parent >= FIRST_USER)
		count(CROWD_CHILDREN, parent, parent);
	count(CROWD_GROUP, task->signal->pids[PIDTYPE_PGID]->numbers[0].nr, pid);
	return 0;
}
