/* SPDX-License-Identifier: GPL-2.0-only */
/* Why pages were put into the cache, and what is counted for it. */
#ifndef BPF_CACHE_REASON_BPF_H
#define BPF_CACHE_REASON_BPF_H

#include "bpf/cache_ahead.bpf.h"
#include "bpf/cache_path.bpf.h"
#include "bpf/cache_slot.bpf.h"
#include "bpf/cache_stack.bpf.h"
#include "bpf/cache_state.bpf.h"

/* An event: what is known of the task and the file it is about. */
struct event {
	void *ctx;
	struct task_struct *task;
	struct thread *t;
	struct bank *bank; /* of the file */
	u64 missed;	   /* whose stack is to be taken, and the file that they are of: */
	u64 inode;
	u32 dev;
};

/* The bank of the thread that counts now, for this file. */
static __noinline struct bank *bank__of(struct thread *t, struct task_struct *task,
					struct inode *inode, u64 mapping)
{
	u32 which = active & 1;
	struct bank *b = &t->bank[which];

	if (b->mapping == mapping && b->number == inode->i_ino &&
	    b->whose.exec == task->self_exec_id)
		return b;
	bank__carry(b, task, which);
	path__note(inode);
	whose__note(&t->whose, task);
	b->whose = t->whose;
	b->number = inode->i_ino;
	b->inode = inode__number(inode);
	b->dev = inode__dev(inode);
	b->mapping = mapping;
	return b;
}

static __always_inline u64 range__len(const struct range *r)
{
	return r->end > r->first ? r->end - r->first : 0;
}

static __always_inline struct range range__common(const struct range *a, const struct range *b)
{
	struct range r = {
		a->first > b->first ? a->first : b->first,
		a->end < b->end ? a->end : b->end,
	};

	return r;
}

/* A number of the current task's, of a file that may not be the bank's. */
static __always_inline void pending__count(struct thread *t, struct pending *p, u32 what, s64 n)
{
	struct bank *b = &t->bank[active & 1];
	struct cache_key key;

	if (b->mapping == p->mapping && b->inode == p->inode && b->dev == p->dev) {
		b->n[what] += n;
		return;
	}
	key__fill(&key, &t->whose, bpf_get_current_task_btf(), p->dev, p->inode);
	count_at(t, &key, what, n);
}

/* The same. It and the next one are global: what is called in so many places the verifier shall
 * look at once. */
__noinline int count_pending(struct thread *t, struct pending *p, u32 what, s64 n)
{
	if (t && p && n && what < CACHE_NUMBERS)
		pending__count(t, p, what, n);
	return 0;
}

__noinline int read_ahead(struct thread *t, struct pending *p, u64 first, u64 end)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct cache_block *whose = ahead__whose();

	if (!t || !p || first >= end || !whose)
		return 0;
	/* Inlined: calls must not be more than eight deep. */
	pending__count(t, p, CACHE_N_AHEAD_ADDED, end - first);
	__builtin_memset(whose, 0, sizeof(*whose));
	key__fill(&whose->whose, &t->whose, task, p->dev, p->inode);
	whose->tid = task->pid;
	whose->kthread = (task->flags & PF_KTHREAD) != 0;
	__builtin_memcpy(whose->comm, t->whose.comm, sizeof(whose->comm));
	ahead__add(p->number, first, end);
	return 0;
}

/* Pages that were asked for, and what lies beside them: how many were asked for. */
static __noinline u64 attribute(struct event *e, struct pending *p, struct range *asked, u32 what)
{
	struct range common;
	u64 n;

	if (!e || !p || !asked)
		return 0;
	common = range__common(&p->at, asked);
	n = range__len(&common);
	if (!n) {
		read_ahead(e->t, p, p->at.first, p->at.end);
		return 0;
	}
	count_pending(e->t, p, what, n);
	e->missed += n;
	e->inode = p->inode;
	e->dev = p->dev;
	read_ahead(e->t, p, p->at.first, common.first);
	read_ahead(e->t, p, common.end, p->at.end);
	return n;
}

static __always_inline bool pending__take(struct pending *p)
{
	return p->used && __sync_lock_test_and_set(&p->used, 0);
}

/* Nothing told why: of the read that was told last, or of none. */
static __noinline int expire(struct event *e, struct pending *p)
{
	struct thread *t;
	u64 n;

	if (!e || !p || !pending__take(p))
		return 0;
	t = e->t;
	if (p->mapping == t->read_mapping && p->read_token == t->read_token) {
		struct range asked = {t->read_first, t->read_last + 1};

		n = attribute(e, p, &asked, CACHE_N_READ_MISSES);
		count_pending(t, p, CACHE_N_READ_HITS, -(s64)n);
	} else {
		count_pending(t, p, CACHE_N_OTHER_ADDED, range__len(&p->at));
	}
	return 0;
}

/* Those of calls that have ended. */
static __always_inline void expire_old(struct event *e)
{
	u64 read = read__token(e->task), write = write__token(e->task);

	for (u32 i = 0; i < PENDINGS; i++) {
		struct pending *p = &e->t->pending[i];

		if (p->used && (p->read_token != read || p->write_token != write))
			expire(e, p);
	}
}

static __always_inline bool pending__extends(struct pending *p, struct pending *by)
{
	if (!p->used || p->mapping != by->mapping || p->read_token != by->read_token ||
	    p->write_token != by->write_token)
		return false;
	if ((p->at.end != by->at.first && by->at.end != p->at.first) || !pending__take(p))
		return false;
	if (p->at.end == by->at.first)
		p->at.end = by->at.end;
	else
		p->at.first = by->at.first;
	p->interval = by->interval;
	p->used = 1;
	return true;
}

static __noinline int pending__add(struct event *e, struct pending *fresh)
{
	struct pending *place;
	struct cache_stats *st;

	if (!e || !fresh)
		return 0;
	slot__leave(e->t, e->task, fresh->mapping, fresh->number, true);
	expire_old(e);
	place = &e->t->pending[0];
	for (u32 i = 0; i < PENDINGS; i++)
		if (pending__extends(&e->t->pending[i], fresh))
			return 0;
	for (u32 i = 0; i < PENDINGS; i++) {
		if (e->t->pending[i].used)
			continue;
		place = &e->t->pending[i];
		break;
	}
	if (place->used) {
		st = stats__get();
		/* Nobody asks why devices' buffers come in. */
		if (st && place->inode)
			st->pending_full += range__len(&place->at);
		expire(e, place);
	}
	*place = *fresh;
	place->used = 1;
	return 0;
}

static __noinline int carry_gone(struct thread *t, struct task_struct *task)
{
	u32 which = active & 1;

	bank__carry(&t->bank[which], task, which);
	return 0;
}

/* The end of an event. The stack is taken here and nowhere else: it costs the verifier most. A
 * function of its own, so that a walk's frames are not beside those of whoever it is the end of. */
static __noinline int event__end(struct event *e)
{
	if (!e)
		return 0;
	if (gather_misses(e->missed))
		count_misses(e->t, e->task, e->dev, e->inode, miss_stack(e->ctx, e->task));
	if (e->t->gone)
		carry_gone(e->t, e->task);
	return 0;
}

#endif
