/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The order that locks are taken in when nobody waits for any: probes on the C library's functions that take
 * them, attached to single processes by sources/locks_taken.c.
 *
 * What a thread has is what it took, as long as the lock itself says that it is the owner. So nothing is probed
 * where such a lock is let go of, a call that fails leaves nothing behind, and a wait for a condition lets go of its
 * mutex by itself. Locks that do not say whose they are (those that are read under, musl's plain mutexes and its
 * rwlocks) are had until they are let go of, which is probed for them, or until nobody has them.
 */
#ifndef BPF_LOCKS_TAKEN_BPF_H
#define BPF_LOCKS_TAKEN_BPF_H

#include "bpf/locks_order.bpf.h"
#include "bpf/own_slots.bpf.h"

/* Where struct pthread_mutex_t and struct pthread_rwlock_t have it. */
#define MUTEX_KIND	   16
#define MUTEX_SHARED	   128
#define RWLOCK_SHARED	   28
#define MUSL_MUTEX_KIND	   0
#define MUSL_RWLOCK_SHARED 8
/* Of musl's kinds. */
#define MUSL_KIND_MASK	   15
/* Beside an owner's number musl has what waits, and whether the owner has ended. */
#define OWNER_MASK	   0x3fffffff

volatile u32 taken_does = TAKEN_IDLE;
volatile u32 taken_walks = 0; /* of TAKEN_WALKS; user space begins anew */

struct taken_held {
	u64 address, stack;
	u64 id, mixed; /* while an order is looked at: see struct taken_order_key, and its part of `beside` */
	u32 word_at, how; /* TAKEN_RWLOCK and those beside it */
};

struct taken_thread {
	u32 exec_id, tid; /* tid: as its own process knows it */
	u32 n;
	u32 nkept; /* while it is looked at; in memory, as the verifier would follow it in a register */
	struct taken_held v[HELD_MAX];
};

TASK_MAP(taken_threads, struct taken_thread);
PERCPU_MAP(taken_counts, 1, struct taken_counts);
SPARSE_HASH_MAP(taken_orders, TAKEN_ORDERS, struct taken_order_key, struct taken_order);

LRU_MAP(taken_locks, TAKEN_ORDERS, struct taken_lock_key, u64);

struct taken_site {
	u64 address, caller;
	u32 tgid, exec_id;
};

/* A stack of each place that a lock was taken at. */
LRU_MAP(taken_sites, TAKEN_SITES, struct taken_site, u64);

/* --- which lock --- */

static __always_inline u64 lock__times_anew(struct task_struct *task, u64 address)
{
	struct taken_lock_key key = {address, task->tgid, task->self_exec_id};
	u64 *times = bpf_map_lookup_elem(&taken_locks, &key);

	return times ? *times : 0;
}

static __always_inline u64 lock__id(struct task_struct *task, u64 address)
{
	u64 times = lock__times_anew(task, address);

	return times ? hash_finish(hash_step(times, address)) : address;
}

static __always_inline void lock__is_anew(struct task_struct *task, u64 address)
{
	struct taken_lock_key key = {address, task->tgid, task->self_exec_id};
	u64 *times = bpf_map_lookup_elem(&taken_locks, &key);

	if (times)
		__sync_fetch_and_add(times, 1);
}

static __always_inline u32 lock__read(u64 address, u32 at)
{
	u32 word = 0;

	bpf_probe_read_user(&word, sizeof(word), (void *)(address + at));
	return word;
}

static __always_inline bool lock__is_private(u64 address, u32 how)
{
	if (how & TAKEN_RWLOCK)
		return !lock__read(address, how & TAKEN_MUSL ? MUSL_RWLOCK_SHARED : RWLOCK_SHARED);
	return !(lock__read(address, how & TAKEN_MUSL ? MUSL_MUTEX_KIND : MUTEX_KIND) & MUTEX_SHARED);
}

/* As those have it that wait for it, unless its memory was another lock's before. Global functions, as below: each
 * is verified once. */
__noinline u64 lock__word(u64 address, u32 how, u64 *file)
{
	struct task_struct *task = bpf_get_current_task_btf();
	u64 key, times;

	if (!file)
		return 0;
	key = lock__key(task, address, lock__is_private(address, how), file);
	times = lock__times_anew(task, address);
	return times ? hash_finish(hash_step(key, times)) & ~LOCK_KERNEL : key;
}

/* --- where it is taken --- */

static __always_inline u64 caller_of(struct pt_regs *ctx)
{
	u64 caller = PT_REGS_RET(ctx);

#if defined(__TARGET_ARCH_x86)
	bpf_probe_read_user(&caller, sizeof(caller), (void *)caller);
#endif
	return caller;
}

__noinline u64 taken__walk(bpf_user_pt_regs_t *ctx)
{
	u64 stack = 0;
	u32 *flag, slot = own_slot__take(&flag);

	if (!flag)
		return 0;
	stack = stack__capture(ctx, slot, STACK_USER, 0, bpf_ktime_get_ns());
	*flag = 0;
	return stack;
}

/* One for all times that it is taken there: most never come to be in an order. */
static __noinline u64 taken__stack(struct pt_regs *ctx, struct task_struct *task, u64 address)
{
	struct taken_site site = {address, caller_of(ctx), task->tgid, task->self_exec_id};
	u64 *known = bpf_map_lookup_elem(&taken_sites, &site), stack;

	if (known)
		return *known;
	if (taken_walks >= TAKEN_WALKS)
		return 0;
	__sync_fetch_and_add(&taken_walks, 1);
	stack = taken__walk((void *)ctx);
	bpf_map_update_elem(&taken_sites, &site, &stack, BPF_ANY);
	return stack;
}

/* --- what a thread has --- */

__noinline int is_had(const struct taken_held *h, u32 tid)
{
	u32 word = h ? lock__read(h->address, h->word_at) : 0;

	if (!h)
		return 0;

	return h->how & TAKEN_UNNAMED ? word != 0 : (word & OWNER_MASK) == tid;
}

static __always_inline struct taken_thread *taken_thread__get(struct task_struct *task)
{
	struct taken_thread *t =
		bpf_task_storage_get(&taken_threads, task, 0, BPF_LOCAL_STORAGE_GET_F_CREATE);

	if (t && (!t->tid || t->exec_id != (u32)task->self_exec_id)) {
		t->n = 0;
		t->exec_id = task->self_exec_id;
		t->tid = tid__inside(task);
	}
	return t;
}

/* Leaves out what it has no more, and the lock that is about to be taken. */
__noinline int taken__look(struct taken_thread *t, u64 address)
{
	if (!t)
		return 0;
	t->nkept = 0;
	for (u32 i = 0; i < HELD_MAX; i++) {
		struct taken_held *h = &t->v[i];

		if (i >= t->n)
			break;
		if (h->address == address || !is_had(h, t->tid))
			continue;
		t->v[t->nkept & (HELD_MAX - 1)] = *h;
		t->nkept++;
	}
	t->n = t->nkept;
	return 0;
}

__noinline int taken__lists(struct taken_thread *t, u64 address)
{
	if (!t)
		return 0;
	for (u32 i = 0; i < HELD_MAX; i++) {
		if (i >= t->n)
			break;
		if (t->v[i].address == address)
			return is_had(&t->v[i], t->tid);
	}
	return 0;
}

static __always_inline void taken__add(struct pt_regs *ctx, struct task_struct *task, struct taken_thread *t,
				       const struct taken_held *lock, struct measure_stats *st)
{
	u32 n = t->n;

	if (n >= HELD_MAX) {
		st->notes[LOCKS_DEEP]++;
		return;
	}
	t->v[n & (HELD_MAX - 1)] = *lock;
	t->v[n & (HELD_MAX - 1)].stack = taken__stack(ctx, task, lock->address);
	t->n = n + 1;
}

/* --- orders --- */

static __always_inline void lock__know(struct task_struct *task, u64 address)
{
	struct taken_lock_key lock = {address, task->tgid, task->self_exec_id};
	const u64 none = 0;

	bpf_map_update_elem(&taken_locks, &lock, &none, BPF_NOEXIST);
}

__noinline int order__guard_by(struct taken_order *o, struct taken_thread *t, u32 i)
{
	u32 n;
	u64 file;

	if (!o || !t || i >= HELD_MAX)
		return 0;
	n = t->nkept;
	/* Others may read at the same time. */
	if (n >= ORDER_GUARDS || t->v[i].how & TAKEN_READS)
		return 0;
	o->guards[n] = lock__word(t->v[i].address, t->v[i].how, &file);
	t->nkept = n + 1;
	return 0;
}

__noinline int order__guard(struct taken_order *o, struct taken_thread *t, u32 first)
{
	if (!o || !t)
		return 0;
	t->nkept = 0;
	for (u32 i = 0; i < HELD_MAX; i++) {
		if (i >= t->n)
			break;
		if (i != first)
			order__guard_by(o, t, i);
	}
	return 0;
}

/* User space passes over it until it has a time. */
__noinline int order__fill(struct taken_order *o, const struct taken_held *first, const struct taken_held *second)
{
	struct task_struct *task = bpf_get_current_task_btf();

	if (!o || !first || !second)
		return 0;
	lock__know(task, first->address);
	lock__know(task, second->address);
	o->first = lock__word(first->address, first->how, &o->first_file);
	o->second = lock__word(second->address, second->how, &o->second_file);
	o->first_address = first->address;
	o->second_address = second->address;
	o->first_times = lock__times_anew(task, first->address);
	o->second_times = lock__times_anew(task, second->address);
	o->first_stack = first->stack;
	o->how[0] = first->how;
	o->how[1] = second->how;
	who__fill(&o->who, task);
	return 0;
}

/* NULL: there is no room. */
static __always_inline struct taken_order *order__new(bpf_user_pt_regs_t *ctx, const struct taken_order_key *key,
						      struct taken_thread *t, u32 i,
						      const struct taken_held *second)
{
	static const struct taken_order none;
	struct taken_order *o;

	bpf_map_update_elem(&taken_orders, key, &none, BPF_NOEXIST);
	o = bpf_map_lookup_elem(&taken_orders, key);
	if (!o)
		return NULL;
	order__fill(o, &t->v[i & (HELD_MAX - 1)], second);
	order__guard(o, t, i);
	o->stack = taken__walk(ctx);
	o->t_ns = bpf_ktime_get_ns();
	return o;
}

/* Numbers of what a thread has: returns their sum. */
__noinline u64 taken__number(struct taken_thread *t)
{
	struct task_struct *task = bpf_get_current_task_btf();
	u64 all = 0;

	if (!t)
		return 0;
	for (u32 i = 0; i < HELD_MAX; i++) {
		if (i >= t->n)
			break;
		t->v[i].id = lock__id(task, t->v[i].address);
		t->v[i].mixed = hash_finish(hash_step(1, t->v[i].id));
		all += t->v[i].mixed;
	}
	return all;
}

/* Of a lock that a thread waits for, after those that it has. */
__noinline int orders__note(bpf_user_pt_regs_t *ctx, struct taken_thread *t, const struct taken_held *second)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct taken_order_key key = {.tgid = task->tgid, .exec_id = task->self_exec_id};
	struct measure_stats *st = stats__get();
	u64 all;

	if (!t || !second || !st)
		return 0;
	key.second = lock__id(task, second->address);
	all = taken__number(t);
	for (u32 i = 0; i < HELD_MAX; i++) {
		struct taken_order *o;

		if (i >= t->n)
			break;
		key.first = t->v[i].id;
		key.beside = all - t->v[i].mixed + (t->v[i].how & TAKEN_READS) + (second->how & TAKEN_READS) * 2;
		o = bpf_map_lookup_elem(&taken_orders, &key);
		o = o ? o : order__new(ctx, &key, t, i, second);
		if (!o) {
			st->notes[LOCKS_ORDERS_FULL]++;
			continue;
		}
		__sync_fetch_and_add(&o->count, 1);
		if (o->who.tid != (u32)task->pid)
			o->by_several = 1;
	}
	return 0;
}

/* What a probe says of the lock, and the lock itself. */
static __always_inline u32 how_of(u64 cookie, u32 call, u64 address)
{
	u32 how = cookie & TAKEN_HOW_MASK;

	if ((how & (TAKEN_MUSL | TAKEN_RWLOCK)) == TAKEN_MUSL &&
	    !(lock__read(address, MUSL_MUTEX_KIND) & MUSL_KIND_MASK))
		how |= TAKEN_UNNAMED;
	return call == TAKEN_READ ? how | TAKEN_UNNAMED | TAKEN_READS : how;
}

/* What it has already it takes once more, or fails to: that is no order. Who only tries for a lock that does not say
 * whose it is may have it or not. */
static __always_inline void taken__note(struct pt_regs *ctx, struct task_struct *task, u64 cookie,
					struct measure_stats *st)
{
	u64 first = PT_REGS_PARM1(ctx), second = PT_REGS_PARM2(ctx);
	u32 call = cookie & TAKEN_CALL_MASK;
	struct taken_held lock = {.word_at = cookie >> TAKEN_WORD_SHIFT & TAKEN_WORD_MASK};
	struct taken_thread *t;

	/* Registers are read one by one: a choice among their places is none that the verifier takes. */
	barrier_var(first);
	barrier_var(second);
	lock.address = call == TAKEN_CONDITION ? second : first;

	if (call == TAKEN_ANEW) {
		lock__is_anew(task, lock.address);
		return;
	}
	t = taken_thread__get(task);
	if (!t) {
		st->tasks_full++;
		return;
	}
	lock.how = how_of(cookie, call, lock.address);
	if (call == TAKEN_RELEASE) {
		if (lock.how & TAKEN_UNNAMED)
			taken__look(t, lock.address);
		return;
	}
	if (call == TAKEN_TRY && lock.how & TAKEN_UNNAMED)
		return;
	if (call != TAKEN_CONDITION && (lock.how & TAKEN_UNNAMED ? taken__lists(t, lock.address) : is_had(&lock, t->tid)))
		return;
	taken__look(t, lock.address);
	if (call != TAKEN_TRY && t->n)
		orders__note((void *)ctx, t, &lock);
	taken__add(ctx, task, t, &lock, st);
}

SEC("kprobe")
int locks_taken(struct pt_regs *ctx)
{
	struct task_struct *task = bpf_get_current_task_btf();
	u64 cookie = bpf_get_attach_cookie(ctx), began;
	struct taken_counts *counts = map__only(&taken_counts);
	struct measure_stats *st = stats__get();

	if (!st || !counts || !taken_does)
		return 0;
	if (!(cookie & TAKEN_OWN) && !measure__task(task, st))
		return 0;
	__sync_fetch_and_add(&counts->hits, 1);
	if (taken_does == TAKEN_COUNT)
		return 0;
	began = run__begin(st);
	taken__note(ctx, task, cookie, st);
	run__end(st, began);
	return 0;
}

#endif
