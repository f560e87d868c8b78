/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Holdings, kernel side: what is acquired and kept until it is released by its address.
 *
 *	measure__acquire(ctx, task, STACK_SLOT_x, STACK_x, &acquired, now, st);
 *	measure__release(space, address, st);
 *
 * What agrees in labels, process and stack is one site, which sums up; each object that is held has
 * a slot that knows its site. Sums are added to by several CPUs at a time, also by interrupts, so
 * all are atomic. Sites without anything held are freed by user space (sources/measure_held.c).
 *
 * As the slots fill up user space has fewer objects be followed (chances): each that is stands for several, and
 * estimates stay unbiased, as each slot keeps the weight that it was given. Where it has no slot before that, one of
 * two objects goes on with the weight of both. What is held is what was acquired less what was released and lost,
 * which is below 0 of a site whose objects stand for another one's.
 */
#ifndef BPF_MEASURE_HELD_BPF_H
#define BPF_MEASURE_HELD_BPF_H

#include "bpf/measure_base.bpf.h"

#define SITE_PROBES 32

/* Both sized by user space, sites by powers of two. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 2);
	__type(key, u32);
	__type(value, struct measure_held_bucket);
} held SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 2);
	__type(key, u32);
	__type(value, struct measure_site);
} sites SEC(".maps");

const volatile u32 held_buckets = 1, site_mask = 0;
const volatile u64 held_epoch_ns = 0;
volatile u32 nsites; /* in use */
volatile u32 held_spilt = 0; /* an object had to go to its third bucket */
/* Whether not all are followed; then by the bucket of the size: the upper half how many of 2^32 are,
 * the lower for how many each of them stands, in HELD_WEIGHTs. */
volatile u32 sampled = 0;
volatile u64 draws[MEASURE_BUCKETS];
volatile u32 held_joined = 0; /* some stand for others, too: there was no room */
/* When the interval began, in units of slots; 0: it is the first. */
volatile u32 interval_since = 0;

struct measure_acquired {
	u64 space, address; /* space: a process, or 0 of the kernel */
	u64 size;
	u64 labels[MEASURE_LABELS];
	u64 wasted; /* of the size: what nobody had asked for */
	u32 weight; /* that was drawn already; 0: it is not yet */
};

/* --- sites --- */

static __always_inline u64 site__id(struct task_struct *task, const struct measure_acquired *a,
				    u64 stack)
{
	u64 comm[2], h = hash_step(task->tgid, BPF_CORE_READ(task, group_leader, start_time));

	bpf_get_current_comm(comm, sizeof(comm));
	h = hash_step(hash_step(h, comm[0]), comm[1]);
	for (int i = 0; i < MEASURE_LABELS; i++)
		h = hash_step(h, a->labels[i]);
	return hash_finish(hash_step(h, stack));
}

/* Of the current task. The place of the rest when there is none, or more than `room` are in use. A
 * global function, as are those below that have many paths: they are verified once. */
__noinline u32 site__find(struct measure_acquired *a, u64 stack, u32 room)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct measure_site *s;
	u64 id;

	if (!a)
		return MEASURE_REST_SITE;
	id = site__id(task, a, stack);

	for (u32 i = 0; i < SITE_PROBES; i++) {
		u32 at = ((u32)id + i * ((u32)(id >> 32) | 1)) & site_mask;

		s = bpf_map_lookup_elem(&sites, &at);
		if (!s)
			break;
		if (s->id == id)
			return at;
		if (s->id || at == MEASURE_REST_SITE)
			continue;
		if (nsites > room)
			break;
		if (__sync_val_compare_and_swap(&s->id, 0, id))
			continue;
		__sync_fetch_and_add(&nsites, 1);
		for (int l = 0; l < MEASURE_LABELS; l++)
			s->labels[l] = a->labels[l];
		s->stack = stack;
		who__fill(&s->who, task);
		s->ready = 1;
		return at;
	}
	return MEASURE_REST_SITE;
}

/* As the table fills up stacks are kept apart no longer; user space has fewer objects be followed before. */
static __always_inline u32 site__of(struct measure_acquired *a, u64 stack, struct measure_stats *st)
{
	u32 at = site__find(a, stack ? stack : MEASURE_NO_STACK, site_mask - (site_mask >> 3) - (site_mask >> 4));

	if (at == MEASURE_REST_SITE) {
		__sync_fetch_and_add(&st->folded, 1);
		at = site__find(a, MEASURE_NO_STACK, site_mask - (site_mask >> 4));
	}
	if (at == MEASURE_REST_SITE)
		__sync_fetch_and_add(&st->full, 1);
	return at;
}

/* --- slots --- */

/* Not 0, and below 2^63. */
static __always_inline u64 held__key(u64 space, u64 address)
{
	return hash_finish(hash_step(hash_step(0, space), address)) >> 1 | 1;
}

/* An object is in one of three buckets; seldom in the last one. */
static __always_inline struct measure_held_bucket *held__bucket(u64 key, u32 which)
{
	u64 part = which == 2 ? (u32)(key * 0x9e3779b97f4a7c15ULL >> 32) : which ? key >> 33 << 2 : (u32)key;
	u32 at = part * held_buckets >> 32;

	return bpf_map_lookup_elem(&held, &at);
}

static __always_inline u32 size__pack(u64 size)
{
	if (size < HELD_LARGE)
		return size;
	size = (size + 4095) >> 12;
	return size < HELD_LARGE ? HELD_LARGE | size : 0xffffffff;
}

static __always_inline u64 size__unpack(u32 size)
{
	return size < HELD_LARGE ? size : (u64)(size & ~HELD_LARGE) << 12;
}

static __always_inline void site__release(struct measure_site *s, const struct measure_held_slot *slot)
{
	u64 bytes = size__unpack(slot->size) * slot->weight;

	__sync_fetch_and_add(&s->released, slot->weight);
	__sync_fetch_and_add(&s->released_bytes, bytes);
	if (slot->since <= interval_since)
		return;
	__sync_fetch_and_add(&s->churned, slot->weight);
	__sync_fetch_and_add(&s->churned_bytes, bytes);
}

/* Takes an object out of a bucket; false: it is not there. */
static __always_inline bool slot__take(struct measure_held_bucket *b, u64 key)
{
	for (int i = 0; i < HELD_SLOTS; i++) {
		struct measure_held_slot slot = b->slots[i];
		struct measure_site *s;
		u32 at;

		if (b->keys[i] != key || __sync_val_compare_and_swap(&b->keys[i], key, 0) != key)
			continue;
		at = slot.site & site_mask;
		s = bpf_map_lookup_elem(&sites, &at);
		if (s)
			site__release(s, &slot);
		return true;
	}
	return false;
}

static __noinline bool bucket__take(u64 key, u32 which)
{
	struct measure_held_bucket *b = held__bucket(key, which);

	return b && slot__take(b, key);
}

/* A global function, so that it is verified once. False: it is not held, as far as is known. */
__noinline bool held__take(u64 key)
{
	return bucket__take(key, 0) || bucket__take(key, 1) || (held_spilt && bucket__take(key, 2));
}

/* Without branches: they would be too many paths for the verifier. */
static __always_inline u32 bucket__free(const struct measure_held_bucket *b)
{
	u32 n = 0;

	for (int i = 0; i < HELD_SLOTS; i++)
		n += (b->keys[i] - 1) >> 63;
	return n;
}

static __always_inline bool slot__put(struct measure_held_bucket *b, u64 key, u32 site, u32 size,
				      u32 since, u32 weight)
{
	for (int i = 0; i < HELD_SLOTS; i++) {
		struct measure_held_slot *slot = &b->slots[i];

		if (b->keys[i] || __sync_val_compare_and_swap(&b->keys[i], 0, key))
			continue;
		slot->site = site;
		slot->size = size;
		slot->weight = weight;
		slot->since = since;
		return true;
	}
	return false;
}

/* The bucket with more room comes first. False: none has any. */
__noinline bool held__put(u64 key, u32 site, u32 size, u32 since, u32 weight)
{
	struct measure_held_bucket *a = held__bucket(key, 0), *b = held__bucket(key, 1);

	if (!a || !b)
		return false;
	if (bucket__free(a) < bucket__free(b)) {
		struct measure_held_bucket *other = a;

		a = b;
		b = other;
	}
	if (slot__put(a, key, site, size, since, weight) || slot__put(b, key, site, size, since, weight))
		return true;
	held_spilt = 1;
	a = held__bucket(key, 2);
	return a && slot__put(a, key, site, size, since, weight);
}

/* --- where there is no room --- */

static __always_inline void site__lose(u32 at, u32 size, u64 weight)
{
	struct measure_site *s;

	at &= site_mask;
	s = bpf_map_lookup_elem(&sites, &at);
	if (!s)
		return;
	__sync_fetch_and_add(&s->lost, weight);
	__sync_fetch_and_add(&s->lost_bytes, size__unpack(size) * weight);
}

/* Of an object and of one that has a slot one goes on with the weight of both, with a chance that is its part of
 * it: so each of them is as much as it was, on average. False: another one came in between, and it is lost. */
__noinline bool held__join(u64 key, u32 site, u32 size, u32 since, u32 weight)
{
	struct measure_held_bucket *b = held__bucket(key, 0);
	u32 i = bpf_get_prandom_u32() & (HELD_SLOTS - 1);
	struct measure_held_slot old;
	u64 was, all;

	if (!b)
		return false;
	was = b->keys[i];
	old = b->slots[i];
	all = (u64)old.weight + weight;
	if (!was || all >> 32 || __sync_val_compare_and_swap(&b->keys[i], was, 0) != was)
		return false;
	held_joined = 1;
	if (bpf_get_prandom_u32() * all >> 32 < old.weight) {
		site__lose(site, size, weight);
		if (slot__put(b, was, old.site, old.size, old.since, all))
			site__lose(old.site, old.size, -(u64)weight);
		else
			site__lose(old.site, old.size, old.weight);
		return true;
	}
	site__lose(old.site, old.size, old.weight);
	if (!slot__put(b, key, site, size, since, all))
		return false;
	site__lose(site, size, -(u64)old.weight);
	return true;
}

/* --- events --- */

static __always_inline bool held__has_all(void)
{
	return !sampled && !held_joined;
}

/* The weight of an object, 0: it is not followed. */
static __always_inline u32 weight__draw(u64 size)
{
	u32 bucket;
	u64 draw;

	if (!sampled)
		return HELD_WEIGHT;
	bucket = loglin__bucket(size, MEASURE_SUB_SHIFT, MEASURE_BUCKETS);
	draw = draws[bucket & (MEASURE_BUCKETS - 1)];
	if ((u32)draw == HELD_WEIGHT)
		return HELD_WEIGHT;
	return bpf_get_prandom_u32() < draw >> 32 ? (u32)draw : 0;
}

static __always_inline bool held__in_scope(struct task_struct *task)
{
	u32 cpu = bpf_get_smp_processor_id();

	return (!thread_kinds && !(u32)scope_state) || (scope__cpu(cpu) && task__in_scope(task));
}

/* What has the address of something that is held was released before, unseen. False: it is not
 * followed. slot, stack_flags: of bpf/stack.bpf.h; programs that interrupt each other have slots of
 * their own. */
static __always_inline bool measure__acquire(void *ctx, struct task_struct *task, u32 slot,
					     u32 stack_flags, struct measure_acquired *a, u64 now,
					     struct measure_stats *st)
{
	u64 key = held__key(a->space, a->address), stack, bytes;
	u32 size = size__pack(a->size), weight, at, since;
	struct measure_site *s;

	held__take(key);
	if (!held__in_scope(task))
		return false;
	weight = a->weight ? a->weight : weight__draw(a->size);
	if (!weight)
		return false;
	__sync_fetch_and_add(&st->count, 1);
	stack = stack__capture(ctx, slot, stack_flags, 0, now);
	at = site__of(a, stack, st);
	s = bpf_map_lookup_elem(&sites, &at);
	if (!s)
		return false;
	bytes = size__unpack(size) * weight;
	__sync_fetch_and_add(&s->acquired, weight);
	__sync_fetch_and_add(&s->acquired_bytes, bytes);
	if (a->wasted)
		__sync_fetch_and_add(&s->wasted_bytes, a->wasted * weight);
	since = (now - held_epoch_ns) >> HELD_AGE_SHIFT;
	if (held__put(key, at, size, since, weight))
		return true;
	__sync_fetch_and_add(&st->untracked, 1);
	if (!held__join(key, at, size, since, weight))
		site__lose(at, size, weight);
	return true;
}

/* Unseen ones are of no interest where not all are followed, or not all are looked at. */
static __always_inline void measure__release(u64 space, u64 address, struct measure_stats *st)
{
	if (!held__take(held__key(space, address)) && held__has_all() && !(u32)scope_state &&
	    !thread_kinds)
		__sync_fetch_and_add(&st->unseen, 1);
}

#endif
