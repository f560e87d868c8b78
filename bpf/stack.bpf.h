/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The one place that captures stacks, for programs of every type. A program includes this
 * once; the maps below are then its own.
 *
 *	u64 hash = stack__capture(ctx, STACK_SLOT_x, STACK_KERNEL | STACK_USER, now);
 *
 * The hash names the frames; they are sent to user space through the ring `records` when
 * the hash is first seen. 0: no frames, or they could not be sent (stack_stats says so).
 * Stack ids of BPF_MAP_TYPE_STACK_TRACE are not used: they collide.
 */
#ifndef BPF_STACK_BPF_H
#define BPF_STACK_BPF_H

#include "bpf/kernel.bpf.h"
#include "bpf/stack.h"

/* Programs of different kinds may interrupt each other on a CPU: each kind has its scratch. */
enum stack_slot { STACK_SLOT_PERF, STACK_SLOT_TRACE, STACK_SLOT_ITER, STACK_SLOTS };

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, STACK_SLOTS);
	__type(key, u32);
	__type(value, struct stack_record);
} stack_scratch SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct stack_stats);
} stack_stats SEC(".maps");

/* Hashes whose frames user space has. Emptied by user space when it fills up; then stacks
 * are sent once more. Sized by user space. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 16384);
	__type(key, u64);
	__type(value, u8);
} stacks_seen SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 256 * 1024);
} records SEC(".maps");

const volatile u64 ring_wake_bytes = 128 * 1024; /* wake user space when this much waits */

/* Wakes user space only when the ring fills up: a wakeup a stack would cost more than the
 * stack. Urgent records wake at once. */
static __always_inline u64 ring_flags(bool urgent)
{
	if (urgent || bpf_ringbuf_query(&records, BPF_RB_AVAIL_DATA) > ring_wake_bytes)
		return BPF_RB_FORCE_WAKEUP;
	return BPF_RB_NO_WAKEUP;
}

static __always_inline u64 rotate(u64 x, int n)
{
	return (x << n) | (x >> (64 - n));
}

/* One multiply a frame; the finalizer below spreads the bits. */
static __always_inline u64 hash_step(u64 h, u64 v)
{
	return (rotate(h, 23) ^ v) * 0x9fb21c651e98df25ULL;
}

static __always_inline u64 hash_finish(u64 h)
{
	h = (h ^ (h >> 32)) * 0xd6e8feb86659fd93ULL;
	h ^= h >> 32;
	return h ? h : 1;
}

/* What user addresses mean depends on the process and on the program it runs. */
static __always_inline u64 address_space_id(u32 tgid)
{
	struct task_struct *task = (void *)bpf_get_current_task();
	u64 id = hash_step(tgid, BPF_CORE_READ(task, group_leader, start_time));

	return hash_step(id, BPF_CORE_READ(task, self_exec_id));
}

static __always_inline u64 stack__hash(const struct stack_record *s)
{
	u64 h = ((u64)s->nkernel << 32) | s->nuser;
	u32 n = s->nkernel + s->nuser;

	if (s->nuser)
		h = hash_step(h, address_space_id(s->tgid));
	for (u32 i = 0; i < 2 * STACK_DEPTH; i++) {
		if (i >= n)
			break;
		h = hash_step(h, s->ips[i]);
	}
	return hash_finish(h);
}

static __always_inline u32 stack__walk(void *ctx, u64 *to, bool leaf, u64 flags)
{
	u32 size = leaf ? sizeof(u64) : STACK_DEPTH * sizeof(u64);
	long bytes = bpf_get_stack(ctx, to, size, flags);

	return bytes < 0 ? 0 : (bytes / sizeof(u64)) & STACK_DEPTH;
}

/* Sends the frames unless user space has them; false: it will not have them. */
static __always_inline bool stack__send(struct stack_record *s, struct stack_stats *stats)
{
	u32 n = s->nkernel + s->nuser;
	u8 one = 1;
	u64 size;

	if (bpf_map_lookup_elem(&stacks_seen, &s->hash))
		return true;
	if (n > 2 * STACK_DEPTH)
		return false;
	size = offsetof(struct stack_record, ips) + n * sizeof(u64);
	if (bpf_ringbuf_output(&records, s, size, ring_flags(false))) {
		stats->ring_full++;
		return false;
	}
	stats->sent++;
	if (bpf_map_update_elem(&stacks_seen, &s->hash, &one, BPF_ANY))
		stats->seen_full++;
	return true;
}

static __always_inline u64 stack__capture(void *ctx, u32 slot, u32 flags, u64 now)
{
	struct stack_record *s = bpf_map_lookup_elem(&stack_scratch, &slot);
	u32 zero = 0;
	struct stack_stats *stats = bpf_map_lookup_elem(&stack_stats, &zero);
	u32 nkernel = 0, nuser = 0;
	bool leaf = flags & STACK_LEAF;

	if (!s || !stats)
		return 0;
	if (flags & STACK_KERNEL)
		nkernel = stack__walk(ctx, s->ips, leaf, 0);
	if ((flags & STACK_USER) && !(leaf && nkernel))
		nuser = stack__walk(ctx, s->ips + nkernel, leaf, BPF_F_USER_STACK);
	if (nkernel + nuser == 0)
		return 0;
	if (nkernel == STACK_DEPTH || nuser == STACK_DEPTH)
		stats->cut++;
	s->type = RECORD_STACK;
	s->tgid = bpf_get_current_pid_tgid() >> 32;
	s->nkernel = nkernel;
	s->nuser = nuser;
	s->t_ns = now;
	s->flags = 0;
	s->hash = stack__hash(s);
	return stack__send(s, stats) ? s->hash : 0;
}

#endif
