/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The one place that captures stacks, for programs of every type. A program includes this
 * once; the maps below are then its own.
 *
 *	u64 hash = stack__capture(ctx, STACK_SLOT_x, STACK_KERNEL | STACK_USER, 0, now);
 *
 * The hash names the frames; they are sent to user space through the ring `records` when
 * the hash is first seen. 0: no frames, or they could not be sent (stack_stats says so).
 * Stack ids of BPF_MAP_TYPE_STACK_TRACE are not used: they collide.
 *
 * With STACK_NONE there are no stacks: what walks them, and its maps, are left out.
 */
#ifndef BPF_STACK_BPF_H
#define BPF_STACK_BPF_H

#include "bpf/stack_scratch.bpf.h"

#ifdef STACK_NONE
static __always_inline u64 stack__capture(void *ctx, u32 slot, u32 flags, u64 ip, u64 now)
{
	return 0;
}
#else
#include "bpf/unwind.bpf.h"

/* What user addresses mean depends on the process and on the program it runs. */
static __always_inline u64 address_space_id(u32 tgid)
{
	struct task_struct *task = (void *)bpf_get_current_task();
	u64 id = hash_step(tgid, BPF_CORE_READ(task, group_leader, start_time));

	return hash_step(id, BPF_CORE_READ(task, self_exec_id));
}

/* On from h with n frames of the scratch; of its own, so that verifiers check the loop once. */
__noinline u64 stack__hash_frames(u32 slot, u32 n, u64 h)
{
	struct stack_record *s = bpf_map_lookup_elem(&stack_scratch, &slot);

	for (u32 i = 0; s && i < 2 * STACK_DEPTH && i < n; i++)
		h = hash_step(h, s->ips[i]);
	return hash_finish(h);
}

/* Of the record in the scratch of that slot. */
static __always_inline u64 stack__hash(const struct stack_record *s, u32 slot)
{
	u64 h = ((u64)s->nkernel << 32) | s->nuser;

	if (s->nuser)
		h = hash_step(h, address_space_id(s->tgid));
	return stack__hash_frames(slot, s->nkernel + s->nuser, h);
}

/* PERF_CONTEXT_x: the stack of a precise event is perf's own, which begins with one. */
#define PERF_MARKS ((u64)-4095)

static __always_inline u32 stack__walk(void *ctx, u64 *to, bool leaf, u64 flags)
{
	u32 size = leaf ? sizeof(u64) : STACK_DEPTH * sizeof(u64);
	long bytes = bpf_get_stack(ctx, to, size, flags);

	if (bytes > 0 && *to >= PERF_MARKS)
		bytes = bpf_get_stack(ctx, to, size, flags | 1); /* without the first */
	return bytes < 0 ? 0 : (bytes / sizeof(u64)) & STACK_DEPTH;
}

/* The user frames of the current task: by the unwind tables where the kernel tells a task's
 * registers. ip: where it is exactly, when the event knows better than they; else 0. */
static __always_inline u32 stack__walk_user(void *ctx, struct stack_record *s, u32 slot, u32 at,
					    bool leaf, u64 ip, u64 now)
{
	struct task_struct *task;
	struct unwind_state *state;
	u32 nuser;

	if (leaf && ip) {
		s->ips[at & STACK_DEPTH] = ip;
		return 1;
	}
	if (leaf || at > STACK_DEPTH || !HAS_TASK_PT_REGS || !unwind_by_tables)
		return stack__walk(ctx, s->ips + (at & STACK_DEPTH), leaf, BPF_F_USER_STACK);
	if (unwind_by_tables == UNWIND_OFF)
		return 0;
	task = bpf_get_current_task_btf();
	state = unwind__state(slot);
	if (!state || !has_user_part(task))
		return 0;
	unwind__begin(task, (void *)bpf_task_pt_regs(task), slot, now);
	if (ip)
		state->ip = ip;
	nuser = unwind__frames(slot, at);
	if (state->whole)
		s->flags = STACK_RECORD_WHOLE;
	return nuser;
}

/* Sends frames that user space has not; false: it will not have them. */
static __always_inline bool stack__send(struct stack_record *s, struct stack_stats *stats)
{
	u32 n = s->nkernel + s->nuser;
	u64 size;

	if (n > 2 * STACK_DEPTH)
		return false;
	size = offsetof(struct stack_record, ips) + n * sizeof(u64);
	if (bpf_ringbuf_output(&records, s, size, ring_flags(false))) {
		stats->ring_full++;
		return false;
	}
	stats->sent++;
	stack__now_known(s->hash);
	return true;
}

static __always_inline u64 stack__capture(void *ctx, u32 slot, u32 flags, u64 ip, u64 now)
{
	struct stack_record *s = bpf_map_lookup_elem(&stack_scratch, &slot);
	u32 zero = 0;
	struct stack_stats *stats = bpf_map_lookup_elem(&stack_stats, &zero);
	u32 nkernel = 0, nuser = 0;
	bool leaf = flags & STACK_LEAF;

	if (!s || !stats)
		return 0;
	s->flags = 0;
	if (flags & STACK_KERNEL)
		nkernel = stack__walk(ctx, s->ips, leaf, (flags & STACK_TRACED ? TRACER_FRAMES : 0) + (flags >> 8 & 0xff));
	if ((flags & STACK_USER) && !(leaf && nkernel))
		nuser = stack__walk_user(ctx, s, slot, nkernel, leaf, nkernel ? 0 : ip, now);
	if (nkernel + nuser == 0)
		return 0;
	if (nkernel == STACK_DEPTH || nuser == STACK_DEPTH)
		stats->cut++;
	s->type = RECORD_STACK;
	s->tgid = bpf_get_current_pid_tgid() >> 32;
	s->nkernel = nkernel;
	s->nuser = nuser;
	s->t_ns = now;
	s->hash = stack__hash(s, slot);
	if (stack__is_known(s->hash))
		return s->hash;
	return stack__send(s, stats) ? s->hash : 0;
}

#endif /* STACK_NONE */

#endif
