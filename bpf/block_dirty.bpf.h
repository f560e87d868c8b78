/* SPDX-License-Identifier: GPL-2.0-only */
/* Who dirtied files: workers write that later, when nobody can be asked any more. */
#ifndef BPF_BLOCK_DIRTY_BPF_H
#define BPF_BLOCK_DIRTY_BPF_H

#include "bpf/block.h"
#include "bpf/block_kernel.bpf.h"
#define SOURCE_STATS block_stats
#include "bpf/source.bpf.h"
#include "bpf/stack.bpf.h"

/* The last one who did, and whether that was in scope then. */
struct dirtier {
	u64 number; /* i_ino: memory may have become another file's */
	u64 scope, cgroup, name;
	u32 tgid, tid;
	u32 watched, pad;
	u64 comm[2];
};

/* By the inode's address. What is dirty for long and has been forgotten is the worker's. */
LRU_MAP(dirtiers, 8192, u64, struct dirtier);

static __always_inline u64 comm__hash(const u64 comm[2])
{
	if (!((u32)scope_state & SCOPE_BPF_COMMS))
		return 0;
	return hash_finish(hash_step(hash_step(1, comm[0]), comm[1]));
}

/* A page of a file becomes dirty: as a rule by whom the one before it did. */
static __always_inline void note_dirtier(struct inode *inode)
{
	struct task_struct *task = bpf_get_current_task_btf();
	u64 at = as_number(inode), number = inode->i_ino, scope = scope_state;
	struct dirtier *known = bpf_map_lookup_elem(&dirtiers, &at);
	struct dirtier d = {};

	if (known && known->number == number && known->tid == (u32)task->pid &&
	    known->tgid == (u32)task->tgid && known->scope == scope)
		return;
	d.number = number;
	d.scope = scope;
	d.tgid = task->tgid;
	d.tid = task->pid;
	d.watched = scope__passes(task, d.tgid, d.tid, bpf_get_smp_processor_id());
	d.cgroup = bpf_get_current_cgroup_id();
	d.comm[0] = ((u64 *)task->comm)[0];
	d.comm[1] = ((u64 *)task->comm)[1];
	d.name = comm__hash(d.comm);
	bpf_map_update_elem(&dirtiers, &at, &d, BPF_ANY);
}

#endif
