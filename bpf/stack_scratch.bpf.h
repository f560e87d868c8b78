/* SPDX-License-Identifier: GPL-2.0-only */
/* Where stacks are put together, and the ring in which they are sent to user space. */
#ifndef BPF_STACK_SCRATCH_BPF_H
#define BPF_STACK_SCRATCH_BPF_H

#include "bpf/maps.bpf.h"
#include "bpf/stack.h"

/* Programs of different kinds may interrupt each other on a CPU: each kind has its scratch. */
#ifndef STACK_OWN_SLOTS
#define STACK_OWN_SLOTS 0 /* beyond those, of programs that say so before they include this */
#endif
enum stack_slot {
	STACK_SLOT_PERF,
	STACK_SLOT_TRACE,
	STACK_SLOT_ITER,
	STACK_SLOT_OWN,
	STACK_SLOTS = STACK_SLOT_OWN + STACK_OWN_SLOTS,
};

#ifndef STACK_NONE
PERCPU_MAP(stack_scratch, STACK_SLOTS, struct stack_record);

PERCPU_MAP(stack_stats, 1, struct stack_stats);

/* Hashes whose frames user space has. Emptied by user space when it fills up, and one of a full bucket gives way:
 * then stacks are sent once more. Sized by user space. */
SHARED_ARRAY_MAP(stacks_seen, 1, struct stack_bucket);

const volatile u32 stack_buckets = 1;

static __always_inline struct stack_bucket *stack__bucket(u64 hash)
{
	u32 at = (hash >> 32) * stack_buckets >> 32;

	return bpf_map_lookup_elem(&stacks_seen, &at);
}

static __always_inline bool stack__is_known(u64 hash)
{
	const struct stack_bucket *b = stack__bucket(hash);
	u64 same = 0;

	if (!b)
		return false;
	/* Without branches: they would be too many paths for the verifier. */
	for (u32 i = 0; i < STACK_BUCKET; i++) {
		u64 differs = b->hashes[i] ^ hash;

		same |= ~differs & (differs - 1);
	}
	return same >> 63;
}

__noinline int stack__now_known(u64 hash)
{
	struct stack_bucket *b = stack__bucket(hash);

	if (!b)
		return 0;
	for (u32 i = 0; i < STACK_BUCKET; i++)
		if (!b->hashes[i]) {
			b->hashes[i] = hash;
			return 0;
		}
	b->hashes[hash & (STACK_BUCKET - 1)] = hash;
	return 0;
}
#endif

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

#endif
