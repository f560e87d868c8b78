/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Decides in the kernel whether a task is looked at. A program includes this once
 * and calls scope__passes(); scope__follow_fork() and scope__follow_end() belong into
 * programs on sched_process_fork and sched_process_free.
 */
#ifndef BPF_SCOPE_BPF_H
#define BPF_SCOPE_BPF_H

#include "bpf/maps.bpf.h"
#include "bpf/scope.h"

HASH_MAP(scope_ids, 16384, struct scope_bpf_key, u8); /* holds two generations while switching */

HASH_MAP(scope_comms, 1024, struct scope_bpf_comm, u8); /* 1: left out */

/* By the lowest bit of the generation. */
ARRAY_MAP(scope_levels, 2, struct scope_bpf_levels);

/* Written by user space in one store. */
volatile u64 scope_state = 0;

static __always_inline struct scope_bpf_levels *scope__levels(u64 state)
{
	u32 at = (state >> 32) & 1;

	return bpf_map_lookup_elem(&scope_levels, &at);
}

static __always_inline bool scope__level(const struct scope_bpf_levels *l, enum scope_bpf_level level,
					 u64 value)
{
	return !(l->left_out[level][value / 64 & (SCOPE_BPF_LEVEL_WORDS - 1)] >> (value & 63) & 1);
}

static __always_inline bool scope__sched(u64 state, struct task_struct *task)
{
	struct scope_bpf_levels *l = scope__levels(state);
	s32 prio = BPF_CORE_READ(task, prio);

	/* It is -1 with a deadline. */
	return l && scope__level(l, SCOPE_BPF_PRIO, prio < 0 ? 0 : prio) &&
	       scope__level(l, SCOPE_BPF_POLICY, BPF_CORE_READ(task, policy));
}

static __always_inline bool scope__has(u32 generation, u16 kind, u16 exclude, u64 id)
{
	struct scope_bpf_key key = {generation, kind, exclude, id};

	return bpf_map_lookup_elem(&scope_ids, &key) != NULL;
}

static __always_inline bool scope__id(u64 state, u16 kind, u64 id)
{
	u32 flags = state, generation = state >> 32;

	if ((flags & SCOPE_BPF_HAS(kind, 1)) && scope__has(generation, kind, 1, id))
		return false;
	if (!(flags & SCOPE_BPF_HAS(kind, 0)) || scope__has(generation, kind, 0, id))
		return true;
	return kind == SCOPE_BPF_PID && (flags & SCOPE_BPF_FOLLOW) &&
	       scope__has(0, SCOPE_BPF_FOLLOWED, 0, id);
}

static __always_inline bool scope__has_cgroup(u32 generation, u16 exclude, u64 id, int level)
{
	struct scope_bpf_key key = {generation, SCOPE_BPF_CGROUP, exclude, id};
	u8 *value = bpf_map_lookup_elem(&scope_ids, &key);

	return value && (!level || *value != SCOPE_BPF_ALONE);
}

#define SCOPE_CGROUP_IN	 1
#define SCOPE_CGROUP_OUT 2

/* What one cgroup says, `level` levels above the task's; a global function, as scope__judge. */
__noinline u32 scope__cgroup_says(u64 address, u32 generation, u32 level)
{
	struct cgroup *cgroup = (void *)address;
	u64 id = BPF_CORE_READ(cgroup, kn, id);

	if (scope__has_cgroup(generation, 1, id, level))
		return SCOPE_CGROUP_OUT;
	return scope__has_cgroup(generation, 0, id, level) ? SCOPE_CGROUP_IN : 0;
}

/* A cgroup in a set stands for its children too, as a rule, so the walk goes up. */
static __always_inline bool scope__cgroup(u64 state, struct task_struct *task)
{
	struct cgroup *cgroup = BPF_CORE_READ(task, cgroups, dfl_cgrp);
	u32 says = (u32)state & SCOPE_BPF_HAS(SCOPE_BPF_CGROUP, 0) ? 0 : SCOPE_CGROUP_IN;

	for (u32 i = 0; i < SCOPE_BPF_CGROUP_DEPTH && cgroup && !(says & SCOPE_CGROUP_OUT); i++) {
		says |= scope__cgroup_says(as_number(cgroup), state >> 32, i);
		cgroup = (void *)BPF_CORE_READ(cgroup, self.parent);
	}
	return says == SCOPE_CGROUP_IN;
}

static __always_inline bool scope__name(u64 state, struct task_struct *task)
{
	struct scope_bpf_comm key = {.generation = state >> 32};
	u8 *drop;

	BPF_CORE_READ_STR_INTO(&key.comm, task, comm);
	drop = bpf_map_lookup_elem(&scope_comms, &key);
	return !drop || !*drop;
}

static __always_inline bool scope__cpu(u32 cpu)
{
	return scope__id(scope_state, SCOPE_BPF_CPU, cpu);
}

/* address: the task's. A global function, which the verifier looks at once and not wherever it is
 * called: that makes loading several times as quick. */
__noinline bool scope__judge(u64 address, u32 tgid, u32 tid)
{
	struct task_struct *task = (void *)address;
	u64 state = scope_state;
	u32 cgroups = SCOPE_BPF_HAS(SCOPE_BPF_CGROUP, 0) | SCOPE_BPF_HAS(SCOPE_BPF_CGROUP, 1);

	return scope__id(state, SCOPE_BPF_PID, tgid) && scope__id(state, SCOPE_BPF_TID, tid) &&
	       (!((u32)state & cgroups) || scope__cgroup(state, task)) &&
	       (!((u32)state & SCOPE_BPF_COMMS) || scope__name(state, task)) &&
	       (!((u32)state & SCOPE_BPF_SCHED) || scope__sched(state, task));
}

/* What holds for a task as long as its cgroup and name do, wherever it runs. */
static __always_inline bool scope__task(struct task_struct *task, u32 tgid, u32 tid)
{
	return !(u32)scope_state || scope__judge(as_number(task), tgid, tid);
}

static __always_inline bool scope__passes(struct task_struct *task, u32 tgid, u32 tid, u32 cpu)
{
	return !(u32)scope_state || (scope__cpu(cpu) && scope__task(task, tgid, tid));
}

/* Returns false when the child should have been followed and there was no room. */
static __always_inline bool scope__follow_fork(struct task_struct *parent,
					       struct task_struct *child)
{
	u64 state = scope_state;
	u32 from = BPF_CORE_READ(parent, tgid), to = BPF_CORE_READ(child, tgid);
	struct scope_bpf_key key = {0, SCOPE_BPF_FOLLOWED, 0, to};
	u8 one = 1;

	if (from == to || !((u32)state & SCOPE_BPF_FOLLOW) ||
	    !((u32)state & SCOPE_BPF_HAS(SCOPE_BPF_PID, 0)))
		return true;
	if (!scope__has(state >> 32, SCOPE_BPF_PID, 0, from) &&
	    !scope__has(0, SCOPE_BPF_FOLLOWED, 0, from))
		return true;
	return bpf_map_update_elem(&scope_ids, &key, &one, BPF_ANY) == 0;
}

/* Not when it exits: who counts what exits asks for its scope on the same event. A leader is the last of
 * its process that is freed. */
static __always_inline void scope__follow_end(struct task_struct *task)
{
	u32 tgid = BPF_CORE_READ(task, tgid);
	struct scope_bpf_key key = {0, SCOPE_BPF_FOLLOWED, 0, tgid};

	if ((u32)BPF_CORE_READ(task, pid) == tgid)
		bpf_map_delete_elem(&scope_ids, &key);
}

#endif
