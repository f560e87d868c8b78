// SPDX-License-Identifier: GPL-2.0-only
/*
 * The page cache: what each thread asks of it, and whether it was there. Each page that is put
 * into the cache is one that somebody asks for, or one beside it; which of the two is told by
 * the event that follows (the read's batch, the end of the write) or by the one before (the
 * fault). Pages asked for that were not put there by the same operation are hits.
 */
#include "bpf/cache.h"
#include "bpf/cache_event.bpf.h"
#include "bpf/cache_functions.bpf.h"
#include "bpf/cache_reads.bpf.h"
#include "bpf/cache_writes.bpf.h"

char LICENSE[] SEC("license") = "GPL";

static __always_inline bool is_ahead_call(u32 call)
{
	return call == CALL_READAHEAD || call == CALL_FADVISE || call == CALL_MADVISE;
}

static __always_inline void attribute_added(struct event *e, struct pending *p)
{
	struct thread *t = e->t;
	u64 n;

	if (operation__holds(&t->fault, p->mapping, fault__token(e->task))) {
		n = attribute(e, p, &t->fault.at, CACHE_N_FAULT_MISSES);
		e->bank->n[CACHE_N_FAULT_HITS] -= n;
	} else if (operation__holds(&t->write, p->mapping, p->write_token + 1)) {
		n = attribute(e, p, &t->write.at, CACHE_N_WRITE_MISSES);
		e->bank->n[CACHE_N_WRITE_HITS] -= n;
	} else if (is_ahead_call(task__call(e->task))) {
		read_ahead(t, p, p->at.first, p->at.end);
	} else {
		pending__add(e, p);
	}
}

/* Scratch: too large for the programs' stack below all that is called here. */
PERCPU_MAP(fresh_pending, 1, struct pending);

/* A function of its own, so that its frame is not beside those of walks. */
static __noinline int added(struct event *e, struct pages *pages)
{
	struct pending *p = map__only(&fresh_pending);

	if (!e || !pages || !p)
		return 0;
	p->mapping = (u64)pages->mapping;
	p->at = pages->at;
	p->number = e->bank->number;
	p->inode = e->bank->inode;
	p->dev = e->bank->dev;
	p->read_token = read__token(e->task);
	p->write_token = write__token(e->task);
	p->interval = interval;
	p->used = 0;
	attribute_added(e, p);
	return 0;
}

SEC("tp_btf/mm_filemap_add_to_page_cache")
int cache_add(u64 *ctx)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct cache_stats *st = stats__get();
	struct inode *inode;
	struct event e = {.ctx = ctx, .task = task};
	struct pages pages;
	u64 begin_ns;

	if (!st || !ready)
		return 0;
	e.t = thread__get(task);
	if (!e.t)
		return 0;
	begin_ns = event__clock(st);
	pages__fill(&pages, (void *)ctx[0]);
	inode = pages.mapping->host;
	if (!inode)
		return 0;
	e.bank = bank__of(e.t, task, inode, (u64)pages.mapping);
	added(&e, &pages);
	event__end(&e);
	event__timed(st, begin_ns);
	return 0;
}

static __always_inline void evicted(struct inode *inode, u64 n)
{
	struct cache_key key = {};

	key.inode = inode__number(inode);
	key.dev = inode__dev(inode);
	count_at(NULL, &key, CACHE_N_EVICTED, n);
}

SEC("tp_btf/mm_filemap_delete_from_page_cache")
int cache_delete(u64 *ctx)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct cache_stats *st = stats__get();
	struct event e = {.ctx = ctx, .task = task};
	struct inode *inode;
	struct pages p;
	u64 begin_ns;

	if (!st || !ready)
		return 0;
	pages__fill(&p, (void *)ctx[0]);
	if (!p.mapping)
		return 0;
	inode = p.mapping->host;
	if (!inode)
		return 0;
	ahead__leave(inode, &p.at, 0);
	e.t = thread__get(task);
	if (!e.t)
		return 0;
	begin_ns = event__clock(st);
	if (task->flags & (PF_KSWAPD | PF_MEMALLOC)) {
		evicted(inode, range__len(&p.at));
	} else {
		e.bank = bank__of(e.t, task, inode, (u64)p.mapping);
		e.bank->n[CACHE_N_DROPPED] += range__len(&p.at);
		event__end(&e);
	}
	event__timed(st, begin_ns);
	return 0;
}

/* --- threads that end, children, and all once an interval --- */

SEC("tp_btf/sched_process_exit")
int cache_exit(u64 *ctx)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct thread *t = bpf_task_storage_get(&threads, task, 0, 0);
	struct event e = {.ctx = ctx, .task = task, .t = t};
	u32 which = active & 1;

	if (!t)
		return 0;
	for (u32 i = 0; i < PENDINGS; i++)
		if (t->pending[i].used)
			expire(&e, &t->pending[i]);
	bank__carry(&t->bank[0], task, which);
	bank__carry(&t->bank[1], task, which);
	t->gone = 1;
	return 0;
}

/* It has another name now, and whoever has that is in scope or not. */
SEC("tp_btf/sched_process_exec")
int cache_exec(u64 *ctx)
{
	struct thread *t = bpf_task_storage_get(&threads, (struct task_struct *)ctx[0], 0, 0);

	if (t)
		t->scope = 0;
	return 0;
}

/* What a thread put there an interval ago, and nothing told why. */
static __always_inline void visit_pending(struct thread *t, struct task_struct *task,
					  struct pending *p)
{
	struct cache_key key;

	if (interval - p->interval < 2 || !pending__take(p))
		return;
	key__fill(&key, &t->whose, task, p->dev, p->inode);
	if (!bpf_map_lookup_elem(half__of(sums, active), &key))
		new_sum(half__of(sums, active), &key, task, t->whose.comm);
	count_at(t, &key, CACHE_N_OTHER_ADDED, range__len(&p->at));
}

SEC("iter/task")
int cache_visit(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;
	struct thread *t;
	u32 which = !active;

	if (!task)
		return 0;
	t = bpf_task_storage_get(&threads, task, 0, 0);
	if (!t)
		return 0;
	bank__carry(&t->bank[which & 1], task, which);
	for (u32 i = 0; i < PENDINGS; i++)
		if (t->pending[i].used)
			visit_pending(t, task, &t->pending[i]);
	if (look_again)
		t->scope = 0;
	return 0;
}
