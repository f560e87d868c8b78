/* SPDX-License-Identifier: GPL-2.0-only */
/* The order that locks are taken in: which of the C library's mutexes a thread has while it waits for
 * another one. */
#ifndef BPF_LOCKS_ORDER_BPF_H
#define BPF_LOCKS_ORDER_BPF_H

#include "bpf/locks_state.bpf.h"

struct upid___locks {
	int nr;
} KERNEL_TYPE;

struct pid___locks {
	unsigned int level;
	struct upid___locks numbers[1];
} KERNEL_TYPE;

struct task_struct___locks {
	struct pid___locks *thread_pid;
} KERNEL_TYPE;

/* A thread's number as its own process knows it. */
static __always_inline u32 tid__inside(struct task_struct *task)
{
	struct pid___locks *pid = BPF_CORE_READ((struct task_struct___locks *)task, thread_pid);
	u32 level = BPF_CORE_READ(pid, level), nr = 0;

	bpf_probe_read_kernel(&nr, sizeof(nr),
			      (void *)pid + bpf_core_field_offset(struct pid___locks, numbers) +
				      level * bpf_core_type_size(struct upid___locks) +
				      bpf_core_field_offset(struct upid___locks, nr));
	return nr;
}

/* What is no mutex has something else there. */
static __always_inline u32 mutex__owner(u64 address)
{
	u32 owner = 0;

	bpf_probe_read_user(&owner, sizeof(owner), (void *)(address + MUTEX_OWNER));
	return owner < MUTEX_OWNER_LAST ? owner : 0;
}

static __always_inline bool lock__may_be_mutex(const struct lock *l)
{
	return l->address && l->kind <= LOCK_KIND_MUTEX;
}

static __always_inline struct lock_thread *lock_thread__get(u32 tgid, u32 tid)
{
	u64 key = LOCK_HOLDER(tgid, tid);
	struct lock_thread *t = bpf_map_lookup_elem(&lock_threads, &key);
	static const struct lock_thread none;

	if (t)
		return t;
	bpf_map_update_elem(&lock_threads, &key, &none, BPF_NOEXIST);
	return bpf_map_lookup_elem(&lock_threads, &key);
}

/* Others add to it at the same time: one that is lost is found again when it is waited for next. */
static __always_inline void lock_thread__add(struct lock_thread *t, u64 lock)
{
	for (u32 i = 0; i < HELD_MAX; i++)
		if (t->held[i] == lock)
			return;
	for (u32 i = 0; i < HELD_MAX; i++)
		if (!t->held[i]) {
			t->held[i] = lock;
			return;
		}
	t->held[lock & (HELD_MAX - 1)] = lock;
}

static __always_inline void lock_process__add(u32 tgid, u64 lock)
{
	struct lock_process *p = bpf_map_lookup_elem(&lock_processes, &tgid);
	static const struct lock_process none;

	if (!p) {
		bpf_map_update_elem(&lock_processes, &tgid, &none, BPF_NOEXIST);
		p = bpf_map_lookup_elem(&lock_processes, &tgid);
	}
	if (p && p->known[lock % KNOWN_MAX] != lock)
		p->known[lock % KNOWN_MAX] = lock;
}

/* Of who waits for a lock: notes who has it. A global function, as are those below: each is verified once. */
__noinline int order__begin(u64 lock)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct lock *l = bpf_map_lookup_elem(&locks, &lock);
	u32 owner = l && lock__may_be_mutex(l) ? mutex__owner(l->address) : 0;
	struct lock_thread *t = owner ? lock_thread__get(task->tgid, owner) : NULL;

	if (!t)
		return 0;
	lock_thread__add(t, lock);
	lock_process__add(task->tgid, lock);
	return 0;
}

static __always_inline bool order__is_due(u64 first, u64 second, u64 nheld, u64 now)
{
	struct order o = {first, second, nheld};
	u64 *reported = bpf_map_lookup_elem(&orders, &o);

	if (reported && now - *reported < ORDER_EVERY_NS)
		return false;
	bpf_map_update_elem(&orders, &o, &now, BPF_ANY);
	return true;
}

static __always_inline bool lock__is_held(u64 lock, u32 tid)
{
	struct lock *l = bpf_map_lookup_elem(&locks, &lock);

	return l && lock__may_be_mutex(l) && mutex__owner(l->address) == tid;
}

/*
 * Of who has waited for a lock: in its wait it let go of nothing, so the locks that it has now it had when it
 * waited, also those that others only came to wait for meanwhile. Which of them user space should hear of,
 * a bit each.
 */
__noinline u32 order__due(u64 second, u64 now)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct lock *l = bpf_map_lookup_elem(&locks, &second);
	u32 tid = tid__inside(task);
	struct lock_thread *t;

	t = l && lock__may_be_mutex(l) ? lock_thread__get(task->tgid, tid) : NULL;
	if (!t)
		return 0;
	t->nheld = t->due = 0;
	for (u32 i = 0; i < HELD_MAX; i++) {
		if (!t->held[i] || t->held[i] == second)
			continue;
		if (lock__is_held(t->held[i], tid))
			t->nheld++;
		else
			t->held[i] = 0;
	}
	if (!t->nheld) {
		lock_thread__add(t, second);
		return 0;
	}
	for (u32 i = 0; i < HELD_MAX; i++)
		if (t->held[i] && t->held[i] != second &&
		    order__is_due(t->held[i], second, t->nheld, now))
			t->due |= 1u << i;
	/* The others keep their places. */
	if (!t->due)
		lock_thread__add(t, second);
	return t->due;
}

/* Which other mutexes of its process this thread has, as it has waited for one. */
__noinline int order__guards(u64 second)
{
	struct task_struct *task = bpf_get_current_task_btf();
	u32 tgid = task->tgid, tid = tid__inside(task);
	struct lock_process *p = bpf_map_lookup_elem(&lock_processes, &tgid);
	struct lock_thread *t = lock_thread__get(tgid, tid);

	if (!t || !p)
		return 0;
	t->nguards = 0;
	for (u32 i = 0; i < KNOWN_MAX; i++) {
		u64 lock = p->known[i];

		if (!lock || lock == second || !lock__is_held(lock, tid))
			continue;
		t->guards[t->nguards % ORDER_GUARDS] = lock;
		t->nguards++;
	}
	return 0;
}

/* stack: 0: none was taken. */
__noinline int order__send(u32 due, u64 second, u64 stack, u64 now)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct order_record r = {
		.type = RECORD_ORDER, .t_ns = now, .second = second, .stack = stack};
	struct lock_thread *t = lock_thread__get(task->tgid, tid__inside(task));
	struct measure_stats *st = stats__get();

	if (!t || !st)
		return 0;
	who__fill(&r.who, task);
	for (u32 i = 0; i < ORDER_GUARDS; i++)
		r.guards[i] = i < t->nguards ? t->guards[i] : 0;
	for (u32 i = 0; i < HELD_MAX; i++) {
		if (!(due & (1u << i)))
			continue;
		r.first = t->held[i];
		if (bpf_ringbuf_output(&records, &r, sizeof(r), ring_flags(true)))
			st->names_lost++;
	}
	lock_thread__add(t, second);
	return 0;
}

#endif
