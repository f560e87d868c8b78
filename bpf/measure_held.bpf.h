/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Holdings, kernel side: what is acquired and kept until it is released by its address.
 *
 *	measure__acquire(ctx, task, STACK_SLOT_x, STACK_x, &acquired, now, st);
 *	measure__release(space, address, st);
 *
 * What agrees in labels and process is one owner, what agrees in owner and stack one site, which sums up; each object
 * that is held has a slot that knows its site. Sums are added to by several CPUs at a time, also by interrupts, so
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

#define SITE_PROBES  64
#define OWNER_PROBES 16

/* All sized by user space. */
SHARED_ARRAY_MAP(held, 2, struct measure_held_bucket);

SHARED_ARRAY_MAP(held_filter, 1, struct measure_held_filter);

SHARED_ARRAY_MAP(sites, 2, struct measure_site);

SHARED_ARRAY_MAP(owners, 2, struct measure_owner);

const volatile u32 held_buckets = 1, sites_max = 1, owners_max = 1;
const volatile u64 held_epoch_ns = 0;
volatile u32 nsites, nowners; /* in use */
volatile u32 held_choices = 2; /* so many buckets have to be looked at */
/* Whether not all are followed; then by the bucket of the size: the upper half how many of 2^32 are,
 * the lower for how many each of them stands, as slots have weights. */
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
	u32 weight; /* that was drawn already, as slots have it; 0: it is not yet */
};

/* --- owners --- */

static __always_inline u64 owner__id(struct task_struct *task, const struct measure_acquired *a)
{
	u64 comm[2], h = hash_step(task->tgid, BPF_CORE_READ(task, group_leader, start_time));

	bpf_get_current_comm(comm, sizeof(comm));
	h = hash_step(hash_step(h, comm[0]), comm[1]);
	for (int i = 0; i < MEASURE_LABELS; i++)
		h = hash_step(h, a->labels[i]);
	return hash_finish(h);
}

static __always_inline u32 place__of(u64 hash, u32 size)
{
	return (u64)(u32)hash * size >> 32;
}

/* Of the next probe. */
static __always_inline u64 hash__next(u64 hash)
{
	return hash_finish(hash_step(hash, 1));
}

/* Of the current task. A global function, as are those below that have many paths: they are verified once. */
__noinline u32 owner__find(struct measure_acquired *a)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct measure_owner *o;
	u64 id, hash;

	if (!a)
		return MEASURE_REST_OWNER;
	id = hash = owner__id(task, a);

	for (u32 i = 0; i < OWNER_PROBES; i++, hash = hash__next(hash)) {
		u32 at = place__of(hash, owners_max);

		o = bpf_map_lookup_elem(&owners, &at);
		if (!o)
			break;
		if (o->id == id)
			return at;
		if (o->id || at == MEASURE_REST_OWNER || __sync_val_compare_and_swap(&o->id, 0, id))
			continue;
		__sync_fetch_and_add(&nowners, 1);
		for (int l = 0; l < MEASURE_LABELS; l++)
			o->labels[l] = a->labels[l];
		who__fill(&o->who, task);
		o->ready = 1;
		return at;
	}
	return MEASURE_REST_OWNER;
}

/* --- sites --- */

/* The place of the rest when there is none, or more than `room` are in use. */
__noinline u32 site__find(u32 owner, u64 stack, u32 room)
{
	u64 id = hash_finish(hash_step(owner, stack)), hash = id;

	for (u32 i = 0; i < SITE_PROBES; i++, hash = hash__next(hash)) {
		u32 at = place__of(hash, sites_max);
		struct measure_site *s = bpf_map_lookup_elem(&sites, &at);

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
		s->owner = owner;
		s->stack = stack;
		s->ready = 1;
		return at;
	}
	return MEASURE_REST_SITE;
}

/* As the table fills up stacks are kept apart no longer; user space has fewer objects be followed before. */
static __always_inline u32 site__of(struct measure_acquired *a, u64 stack, struct measure_stats *st)
{
	u32 owner = owner__find(a), at = MEASURE_REST_SITE;

	if (owner != MEASURE_REST_OWNER)
		at = site__find(owner, stack ? stack : MEASURE_NO_STACK, sites_max - (sites_max >> 3));
	if (owner != MEASURE_REST_OWNER && at == MEASURE_REST_SITE) {
		__sync_fetch_and_add(&st->folded, 1);
		at = site__find(owner, MEASURE_NO_STACK, sites_max - (sites_max >> 4));
	}
	if (at == MEASURE_REST_SITE)
		__sync_fetch_and_add(&st->full, 1);
	return at;
}

/* --- slots --- */

/* Not 0. */
static __always_inline u64 held__key(u64 space, u64 address)
{
	return hash_finish(hash_step(hash_step(0, space), address));
}

/* What of a key the bucket does not tell: the upper bits of a slot's word, not 0. */
static __always_inline u64 key__tag(u64 key)
{
	return key * 0xc2b2ae3d27d4eb4fULL >> HELD_KEY_SHIFT | 1;
}

static __always_inline struct measure_held_bucket *held__bucket(u64 key, u32 which)
{
	u64 part = !which ? (u32)key : (u32)((key >> 32) + (u64)(which - 1) * 0x9e3779b9);
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

/* Rounded up or down by chance, so that it is as much on average. At most what fits. */
__noinline u32 weight__pack(u64 weight)
{
	u32 e = 0;

	if (weight >> 36)
		weight = 1ULL << 36;
	for (u32 step = 16; step; step >>= 1)
		if (weight >> (e + step + HELD_WEIGHT_PART))
			e += step;
	weight += bpf_get_prandom_u32() & ((1ULL << (e & 31)) - 1);
	if (weight >> (e + 1 + HELD_WEIGHT_PART))
		e++;
	return (e & 31) << HELD_WEIGHT_PART | (weight >> (e & 31) & ((1u << HELD_WEIGHT_PART) - 1));
}

/* What is to be put into a slot. */
struct held_object {
	u64 key;
	u32 site, size, since, weight; /* weight as slots have it */
};

static __always_inline u64 word__of(u64 tag, u32 site, u32 weight)
{
	return tag << HELD_KEY_SHIFT | (u64)(weight & ((1u << HELD_WEIGHT_BITS) - 1)) << HELD_SITE_BITS |
	       HELD_SITE(site);
}

static __always_inline struct measure_site *site__at(u64 word)
{
	u32 at = HELD_SITE(word);

	return bpf_map_lookup_elem(&sites, &at);
}

static __always_inline void site__release(u64 word, const struct measure_held_slot *slot)
{
	u64 weight = HELD_WEIGHT_OF(word), bytes = size__unpack(slot->size) * weight;
	struct measure_site *s = site__at(word);

	if (!s)
		return;
	__sync_fetch_and_add(&s->released, weight);
	__sync_fetch_and_add(&s->released_bytes, bytes);
	if (slot->since <= interval_since)
		return;
	__sync_fetch_and_add(&s->churned, weight);
	__sync_fetch_and_add(&s->churned_bytes, bytes);
}

static __always_inline u32 *filter__of(u64 word)
{
	struct measure_held_filter *f = map__only(&held_filter);

	return f ? &f->n[HELD_FILTER_OF(word)] : NULL;
}

static __always_inline void filter__add(u64 word, s32 n)
{
	u32 *count = filter__of(word);

	if (count)
		__sync_fetch_and_add(count, n);
}

static __always_inline u64 word__of_key(u64 key)
{
	return key__tag(key) << HELD_KEY_SHIFT;
}

/* Takes an object out of a bucket; false: it is not there. */
static __always_inline bool slot__take(struct measure_held_bucket *b, u64 tag)
{
	for (int i = 0; i < HELD_SLOTS; i++) {
		u64 word = b->words[i];
		struct measure_held_slot slot;

		if (word >> HELD_KEY_SHIFT != tag)
			continue;
		slot = b->slots[i];
		if (__sync_val_compare_and_swap(&b->words[i], word, 0) != word)
			continue;
		filter__add(word, -1);
		site__release(word, &slot);
		return true;
	}
	return false;
}

__noinline int bucket__take(u64 key, u32 which)
{
	struct measure_held_bucket *b = held__bucket(key, which);

	return b && slot__take(b, key__tag(key));
}

/* False: it is not held, as far as is known. */
__noinline int held__take(u64 key)
{
	const u32 *count = filter__of(word__of_key(key));

	if (!count || !*count)
		return false;
	for (u32 i = 0; i < HELD_CHOICES; i++) {
		if (i >= held_choices)
			break;
		if (bucket__take(key, i))
			return true;
	}
	return false;
}

/* Without branches: they would be too many paths for the verifier. */
static __always_inline u32 bucket__free(const struct measure_held_bucket *b)
{
	u32 n = 0;

	for (int i = 0; i < HELD_SLOTS; i++)
		n += (~b->words[i] & (b->words[i] - 1)) >> 63;
	return n;
}

static __always_inline bool slot__put(struct measure_held_bucket *b, const struct held_object *o)
{
	u64 word = word__of(key__tag(o->key), o->site, o->weight);

	for (int i = 0; i < HELD_SLOTS; i++) {
		if (b->words[i] || __sync_val_compare_and_swap(&b->words[i], 0, word))
			continue;
		b->slots[i].size = o->size;
		b->slots[i].since = o->since;
		return true;
	}
	return false;
}

__noinline int bucket__put(const struct held_object *o, u32 which)
{
	struct measure_held_bucket *b;

	if (!o)
		return false;
	b = held__bucket(o->key, which);
	return b && slot__put(b, o);
}

/* The bucket with more room comes first. False: none has any. */
__noinline int held__put(const struct held_object *o)
{
	struct measure_held_bucket *a, *b;
	u32 first;

	if (!o)
		return false;
	a = held__bucket(o->key, 0);
	b = held__bucket(o->key, 1);
	if (!a || !b)
		return false;
	first = bucket__free(a) < bucket__free(b);
	if (bucket__put(o, first) || bucket__put(o, !first))
		return true;
	for (u32 i = 2; i < HELD_CHOICES; i++) {
		if (held_choices <= i)
			held_choices = i + 1;
		if (bucket__put(o, i))
			return true;
	}
	return false;
}

/* --- where there is no room --- */

static __always_inline void site__lose(u32 at, u32 size, u64 weight)
{
	struct measure_site *s = site__at(at);

	if (!s)
		return;
	__sync_fetch_and_add(&s->lost, weight);
	__sync_fetch_and_add(&s->lost_bytes, size__unpack(size) * weight);
}

/* Of an object and of one that has a slot one goes on with the weight of both, with a chance that is its part of
 * it: so each of them is as much as it was, on average. False: another one came in between, and it is lost. */
__noinline int held__join(const struct held_object *o)
{
	u32 i = bpf_get_prandom_u32() & (HELD_SLOTS - 1), both;
	struct measure_held_bucket *b;
	struct measure_held_slot old;
	u64 was, weight, old_weight, all;

	if (!o)
		return false;
	b = held__bucket(o->key, 0);
	if (!b)
		return false;
	was = b->words[i];
	old = b->slots[i];
	weight = held_weight__unpack(o->weight & ((1u << HELD_WEIGHT_BITS) - 1));
	old_weight = HELD_WEIGHT_OF(was);
	all = old_weight + weight;
	if (!was || all >> 32)
		return false;
	held_joined = 1;
	both = weight__pack(all);
	all = held_weight__unpack(both);
	if (bpf_get_prandom_u32() * (old_weight + weight) >> 32 < old_weight) {
		if (__sync_val_compare_and_swap(&b->words[i], was,
						word__of(was >> HELD_KEY_SHIFT, was, both)) != was)
			return false;
		site__lose(o->site, o->size, weight);
		site__lose(was, old.size, old_weight - all);
		return true;
	}
	if (__sync_val_compare_and_swap(&b->words[i], was, word__of(key__tag(o->key), o->site, both)) != was)
		return false;
	filter__add(was, -1);
	filter__add(word__of_key(o->key), 1);
	b->slots[i].size = o->size;
	b->slots[i].since = o->since;
	site__lose(was, old.size, old_weight);
	site__lose(o->site, o->size, weight - all);
	return true;
}

/* --- events --- */

static __always_inline bool held__has_all(void)
{
	return !sampled && !held_joined;
}

/* The weight of an object as slots have it, 0: it is not followed. */
static __always_inline u32 weight__draw(u64 size)
{
	u32 bucket;
	u64 draw;

	if (!sampled)
		return HELD_WEIGHT_ONE;
	bucket = loglin__bucket(size, MEASURE_SUB_SHIFT, MEASURE_BUCKETS);
	draw = draws[bucket & (MEASURE_BUCKETS - 1)];
	if ((u32)draw == HELD_WEIGHT_ONE)
		return HELD_WEIGHT_ONE;
	return bpf_get_prandom_u32() < draw >> 32 ? (u32)draw : 0;
}

static __always_inline bool held__in_scope(void *ctx, struct task_struct *task)
{
	return measure__is_here(ctx) && ((!thread_kinds && !(u32)scope_state) || task__in_scope(task));
}

/* What has the address of something that is held was released before, unseen. False: it is not
 * followed. slot, stack_flags: of bpf/stack.bpf.h; programs that interrupt each other have slots of
 * their own. */
static __always_inline bool measure__acquire(void *ctx, struct task_struct *task, u32 slot,
					     u32 stack_flags, struct measure_acquired *a, u64 now,
					     struct measure_stats *st)
{
	struct held_object o = {.key = held__key(a->space, a->address), .size = size__pack(a->size)};
	struct measure_site *s;
	u64 stack, weight;

	held__take(o.key);
	if (!held__in_scope(ctx, task))
		return false;
	o.weight = a->weight ? a->weight : weight__draw(a->size);
	if (!o.weight)
		return false;
	__sync_fetch_and_add(&st->count, 1);
	stack = stack__capture(ctx, slot, stack_flags, 0, now);
	o.site = site__of(a, stack, st);
	s = site__at(o.site);
	if (!s)
		return false;
	weight = held_weight__unpack(o.weight & ((1u << HELD_WEIGHT_BITS) - 1));
	__sync_fetch_and_add(&s->acquired, weight);
	__sync_fetch_and_add(&s->acquired_bytes, size__unpack(o.size) * weight);
	if (a->wasted)
		__sync_fetch_and_add(&s->wasted_bytes, a->wasted * weight);
	o.since = (now - held_epoch_ns) >> HELD_AGE_SHIFT;
	filter__add(word__of_key(o.key), 1);
	if (held__put(&o))
		return true;
	filter__add(word__of_key(o.key), -1);
	__sync_fetch_and_add(&st->untracked, 1);
	if (!held__join(&o))
		site__lose(o.site, o.size, weight);
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
