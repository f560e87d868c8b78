/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The programs of reads and faults.
 *
 * A read tells its range once a batch: the range is counted at the first one. Batches that
 * begin within the range of the same system call, and end where it does, are its later ones.
 */
#ifndef BPF_CACHE_READS_BPF_H
#define BPF_CACHE_READS_BPF_H

#include "bpf/cache_event.bpf.h"

volatile u32 last_is_end = 0; /* a read's last page is told as the one behind it: up to 6.15 */
volatile u32 probe_tgid = 0;  /* user space reads a page to find that out */
volatile u64 probe_end = 0;   /* what it was told, + 1 */

/* --- reads --- */

/* Where the read began that the task is in, if that is easily found: a batch may go untold. */
static __always_inline u64 call__begin(struct task_struct *task, u64 mapping, u64 first)
{
	REGS_TYPE *regs = (void *)bpf_task_pt_regs(task);
	struct files_struct *files = ((struct task_struct___cache *)task)->files;
	u32 call = task__call(task), fd;
	struct file **table, *file = NULL;
	u64 at;

	if ((call != CALL_READ && call != CALL_PREAD) || !files)
		return first;
	fd = REGS_ARG1(regs);
	if (fd >= files->fdt->max_fds)
		return first;
	table = files->fdt->fd;
	bpf_probe_read_kernel(&file, sizeof(file), table + fd);
	if (!file || (u64)BPF_CORE_READ(file, f_mapping) != mapping)
		return first;
	at = (call == CALL_READ ? BPF_CORE_READ(file, f_pos) : REGS_ARG4(regs)) >> PAGE_SHIFT;
	return at < first ? at : first;
}

/* Pages of the range that were not counted yet; sets it to that. */
static __always_inline u64 note_read(struct thread *t, struct task_struct *task, u64 mapping,
				     struct range *r, bool doubt)
{
	u64 token = read__token(task), last = r->end - 1, n;
	bool same = t->read_token == token && t->read_mapping == mapping;

	if (same && last == t->read_last && r->first > t->read_at) {
		t->read_at = r->first;
		return 0;
	}
	/* The parts of a splice may share a page. */
	if (same && r->first == t->read_last && t->read_last > t->read_at)
		r->first++;
	else if (doubt && !same)
		r->first = call__begin(task, mapping, r->first);
	n = range__len(r);
	t->read_token = token;
	t->read_mapping = mapping;
	t->read_first = t->read_at = r->first;
	t->read_last = last;
	return n;
}

static __noinline int read_slow(struct event *e, struct address_space *mapping, u64 first, u64 last)
{
	struct range asked = {first, last + 1};
	struct range whole;
	struct inode *inode;
	u64 size, n;
	bool any;

	if (!e || !mapping)
		return 0;
	inode = mapping->host;
	if (!inode)
		return 0;
	e->bank = bank__of(e->t, e->task, inode, (u64)mapping);
	size = (inode->i_size + (1ULL << PAGE_SHIFT) - 1) >> PAGE_SHIFT;
	if (asked.end > size)
		asked.end = size;
	if (asked.end <= first)
		asked.end = first + 1;
	slot__leave(e->t, e->task, (u64)mapping, e->bank->number, false);
	expire_old(e);
	any = ahead__any(inode->i_ino);
	n = note_read(e->t, e->task, (u64)mapping, &asked, any || first != last);
	whole.first = e->t->read_first;
	whole.end = e->t->read_last + 1;
	if (n)
		ahead__leave(inode, &asked, TAKE_USED);
	for (u32 i = 0; i < PENDINGS; i++) {
		struct pending *p = &e->t->pending[i];

		if (p->used && p->mapping == (u64)mapping && pending__take(p))
			n -= attribute(e, p, &whole, CACHE_N_READ_MISSES);
	}
	e->bank->n[CACHE_N_READ_HITS] += n;
	slot__set(e->t, e->bank);
	return 0;
}

static __always_inline void read_other(u64 *ctx, struct task_struct *task,
				       struct address_space *mapping, u64 first, u64 last)
{
	struct cache_stats *st = stats__get();
	struct event e = {.ctx = ctx, .task = task};
	struct range r = {first, last + 1};
	u64 begin_ns;

	if (!st || !ready)
		return;
	if ((u32)task->tgid == probe_tgid)
		probe_end = last + 1;
	e.t = thread__get(task);
	if (e.t) {
		begin_ns = event__clock(st);
		read_slow(&e, mapping, first, last);
		event__end(&e);
		event__timed(st, begin_ns);
	} else if (mapping->host) {
		ahead__leave(mapping->host, &r, TAKE_USED);
	}
}

static __always_inline void end_fast(u64 begin_ns)
{
	struct cache_stats *st = stats__get();

	if (!st)
		return;
	st->fast_timed++;
	st->fast_ns += bpf_ktime_get_ns() - begin_ns;
}

static __always_inline void read_range(u64 *ctx, struct address_space *mapping, u64 first, u64 last)
{
	struct task_struct *task = bpf_get_current_task_btf();
	u64 token = read__token(task), begin_ns = token & 63 ? 0 : bpf_ktime_get_ns();

	if (!slot__count(task, mapping, first, last, token))
		read_other(ctx, task, mapping, first, last);
	else if (begin_ns)
		end_fast(begin_ns);
}

SEC("tp_btf/mm_filemap_get_pages")
int cache_read(u64 *ctx)
{
	read_range(ctx, (void *)ctx[0], ctx[1], ctx[2] - last_is_end);
	return 0;
}

/* --- faults --- */

/* One fault is told twice, or more often when it is tried again. index: ~0 not known yet. */
static __always_inline void fault(u64 *ctx, struct address_space *mapping, struct range *r,
				  u64 index)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct cache_stats *st = stats__get();
	u64 token = fault__token(task), begin_ns;
	struct event e = {.ctx = ctx, .task = task};
	struct inode *inode = mapping->host;
	struct operation *o;

	if (!st || !ready || !inode)
		return;
	ahead__leave(inode, r, TAKE_USED);
	e.t = thread__get(task);
	if (!e.t)
		return;
	begin_ns = event__clock(st);
	e.bank = bank__of(e.t, task, inode, (u64)mapping);
	o = &e.t->fault;
	if (!operation__holds(o, (u64)mapping, token))
		e.bank->n[CACHE_N_FAULT_HITS]++;
	o->mapping = (u64)mapping;
	o->token = token;
	o->at.first = index;
	o->at.end = index + 1;
	event__end(&e);
	event__timed(st, begin_ns);
}

SEC("tp_btf/mm_filemap_map_pages")
int cache_map(u64 *ctx)
{
	struct range r = {ctx[1], ctx[2] + 1};

	fault(ctx, (void *)ctx[0], &r, ~1ULL);
	return 0;
}

SEC("tp_btf/mm_filemap_fault")
int cache_fault(u64 *ctx)
{
	struct range r = {ctx[1], ctx[1] + 1};

	fault(ctx, (void *)ctx[0], &r, ctx[1]);
	return 0;
}

#endif
