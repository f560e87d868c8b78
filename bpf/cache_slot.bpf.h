/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reads of pages that are there. Their number is what costs most, so they are counted in slots
 * of the CPU; a thread's own storage is not even looked up. A slot is set up by the slow way,
 * and holds until the thread puts pages of the file into the cache, or changes CPUs, or the
 * interval ends.
 */
#ifndef BPF_CACHE_SLOT_BPF_H
#define BPF_CACHE_SLOT_BPF_H

#include "bpf/cache_ahead.bpf.h"
#include "bpf/cache_state.bpf.h"

/* One batch of a read holds them, if they are there: PAGEVEC_SIZE since 6.9. */
#define FAST_PAGES 31

PERCPU_MAP(slots, 2, struct cache_slots);

/* Judged at each event. */
#define SCOPE_EACH (SCOPE_BPF_HAS(SCOPE_BPF_CPU, 0) | SCOPE_BPF_HAS(SCOPE_BPF_CPU, 1) | SCOPE_BPF_MOMENT)

static __always_inline struct cache_slot *slot__of(u64 number, u32 tid)
{
	u32 which = active & 1, at = (((u32)number + tid) * 0x9e3779b1u) >> 26;
	struct cache_slots *all = bpf_map_lookup_elem(&slots, &which);

	return all ? &all->v[at & (CACHE_SLOTS - 1)] : NULL;
}

/* How often it changed CPUs, and which program it executes: another one is somebody else. */
static __always_inline u64 slot__moves(struct task_struct *task)
{
	return task->se.nr_migrations + (task->self_exec_id << 48);
}

static __always_inline bool slot__is(const struct cache_slot *s, struct task_struct *task,
				     u64 mapping, u64 number)
{
	return s->scope == thread__scope() && s->start == task->start_time &&
	       s->tid == (u32)task->pid && s->moves == slot__moves(task) &&
	       s->mapping == mapping && s->number == number;
}

static __noinline int slot__carry(struct cache_slot *s)
{
	if (s && s->hits)
		count_for(&s->key, CACHE_N_READ_HITS, s->hits, s->tid, s->kthread, s->comm);
	return 0;
}

static __always_inline void slot__clear(struct cache_slot *s)
{
	slot__carry(s);
	s->scope = s->hits = 0;
}

/* What was counted here may be the begin of the read that the thread is in. */
static __always_inline void slot__recall(struct cache_slot *s, struct thread *t, u64 token)
{
	if (s->token != token || t->read_token == token)
		return;
	t->read_token = token;
	t->read_mapping = s->mapping;
	t->read_first = t->read_at = s->first;
	t->read_last = s->last;
}

/* A read goes the slow way; forget: for as long as the thread has put pages of the file into
 * the cache, and is not told why. */
static __always_inline void slot__leave(struct thread *t, struct task_struct *task, u64 mapping,
					u64 number, bool forget)
{
	struct cache_slot *s = slot__of(number, task->pid);

	if (!s || !slot__is(s, task, mapping, number))
		return;
	slot__recall(s, t, read__token(task));
	if (forget)
		slot__clear(s);
}

/* After a read that went the slow way, with nothing left to be told of its file. */
static __noinline int slot__set(struct thread *t, struct bank *b)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct cache_slot *s;

	if (!t || !b)
		return 0;
	s = slot__of(b->number, task->pid);
	if (!s)
		return 0;
	if (slot__is(s, task, b->mapping, b->number)) {
		s->token = t->read_token;
		return 0;
	}
	slot__clear(s);
	if (t->gone || ((u32)scope_state & SCOPE_EACH))
		return 0;
	s->scope = t->scope;
	s->start = task->start_time;
	s->moves = slot__moves(task);
	s->mapping = b->mapping;
	s->number = b->number;
	s->token = t->read_token;
	key__fill(&s->key, &t->whose, task, b->dev, b->inode);
	s->tid = task->pid;
	s->kthread = (task->flags & PF_KTHREAD) != 0;
	__builtin_memcpy(s->comm, t->whose.comm, sizeof(s->comm));
	return 0;
}

/* Counts the pages, and returns true, if that is all there is to it. */
static __always_inline bool slot__count(struct task_struct *task, struct address_space *mapping,
					u64 first, u64 last, u64 token)
{
	struct inode *inode = mapping->host;
	u64 number = inode->i_ino, n = last - first + 1, end;
	struct cache_slot *s = slot__of(number, task->pid);

	if (!s || !slot__is(s, task, (u64)mapping, number) || s->token == token || n > FAST_PAGES ||
	    ahead__any(number))
		return false;
	if (n > 1) {
		end = (inode->i_size + (1ULL << PAGE_SHIFT) - 1) >> PAGE_SHIFT;
		if (last >= end)
			n = end > first ? end - first : 1;
	}
	s->hits += n;
	s->token = token;
	s->first = first;
	s->last = first + n - 1;
	return true;
}

#endif
