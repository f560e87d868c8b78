/* SPDX-License-Identifier: GPL-2.0-only */
/* The programs of writes. Some file systems tell of each part when it is done, xfs of the whole
 * before; of others only the pages are known that become dirty. */
#ifndef BPF_CACHE_WRITES_BPF_H
#define BPF_CACHE_WRITES_BPF_H

#include "bpf/cache_event.bpf.h"

/* The magic numbers of file systems whose writes are reported one by one. */
#define EXT4_MAGIC 0xef53
#define XFS_MAGIC  0x58465342
#define F2FS_MAGIC 0xf2f52010

/* Pages that the thread has put there for this write: how many of the range. */
static __noinline u64 write_missed(struct event *e, u64 mapping, struct range *r)
{
	u64 n = 0, end, write;

	if (!e || !r)
		return 0;
	write = write__token(e->task);
	for (u32 i = 0; i < PENDINGS; i++) {
		struct pending *p = &e->t->pending[i];

		if (!p->used || p->mapping != mapping || p->write_token != write ||
		    p->at.first >= r->end || p->at.end <= r->first || !pending__take(p))
			continue;
		/* What is behind will be written next. */
		end = p->at.end;
		if (end > r->end)
			p->at.end = r->end;
		n += attribute(e, p, r, CACHE_N_WRITE_MISSES);
		if (end > r->end) {
			p->at.first = r->end;
			p->at.end = end;
			p->used = 1;
		}
	}
	return n;
}

static __noinline int written(struct event *e, struct inode *inode, struct range *r)
{
	u64 mapping, token, n;

	if (!e || !inode || !r)
		return 0;
	mapping = (u64)inode->i_mapping;
	token = write__token(e->task) + 1;
	e->bank = bank__of(e->t, e->task, inode, mapping);
	/* Parts of one call may share a page. */
	if (has_user_part(e->task) && operation__holds(&e->t->written, mapping, token) &&
	    e->t->written.at.end == r->first + 1 && task__call(e->task) != CALL_IO_URING_ENTER)
		r->first++;
	n = range__len(r);
	if (n)
		n -= write_missed(e, mapping, r);
	e->bank->n[CACHE_N_WRITE_HITS] += n;
	e->t->written.mapping = mapping;
	e->t->written.token = token;
	e->t->written.at.first = e->t->written.at.end = r->end;
	return 0;
}

static __always_inline void write_end(u64 *ctx, struct inode *inode, u64 pos, u64 copied)
{
	struct event e = {.ctx = ctx, .task = bpf_get_current_task_btf()};
	struct cache_stats *st = stats__get();
	struct range r = {pos >> PAGE_SHIFT, 0};
	u64 begin_ns;

	if (!st || !ready || !inode || !(u32)copied)
		return;
	r.end = ((pos + (u32)copied - 1) >> PAGE_SHIFT) + 1;
	ahead__leave(inode, &r, TAKE_USED);
	e.t = thread__get(e.task);
	if (!e.t)
		return;
	begin_ns = event__clock(st);
	written(&e, inode, &r);
	event__end(&e);
	event__timed(st, begin_ns);
}

#define WRITE_END(name)                                                                            \
	SEC("tp_btf/" #name)                                                                       \
	int cache_##name(u64 *ctx)                                                                 \
	{                                                                                          \
		write_end(ctx, (void *)ctx[0], ctx[1], ctx[3]);                                    \
		return 0;                                                                          \
	}

WRITE_END(ext4_write_end)
WRITE_END(ext4_da_write_end)
WRITE_END(ext4_journalled_write_end)
WRITE_END(f2fs_write_end)

static __always_inline bool has_write_events(struct inode *inode)
{
	u64 magic = inode->i_sb->s_magic;

	return magic == EXT4_MAGIC || magic == XFS_MAGIC || magic == F2FS_MAGIC;
}

/* A write to a file system that does not tell of it: of the pages that became dirty. */
static __noinline int dirtied(struct event *e, struct inode *inode, u64 mapping, struct range *r)
{
	if (!e || !inode || !r)
		return 0;
	e->bank->n[CACHE_N_DIRTIED] += range__len(r);
	if (!inode__number(inode) || has_write_events(inode) ||
	    operation__holds(&e->t->write, mapping, write__token(e->task) + 1) ||
	    operation__holds(&e->t->fault, mapping, fault__token(e->task)))
		return 0;
	e->bank->n[CACHE_N_WRITE_HITS] += range__len(r) - write_missed(e, mapping, r);
	return 0;
}

static __always_inline void dirty(u64 *ctx)
{
	struct event e = {.ctx = ctx, .task = bpf_get_current_task_btf()};
	struct cache_stats *st = stats__get();
	struct inode *inode;
	struct pages p;
	u64 begin_ns;

	if (!st || !ready)
		return;
	e.t = thread__get(e.task);
	if (!e.t)
		return;
	begin_ns = event__clock(st);
	pages__fill(&p, (void *)ctx[0]);
	inode = p.mapping ? p.mapping->host : NULL;
	if (inode) {
		e.bank = bank__of(e.t, e.task, inode, (u64)p.mapping);
		dirtied(&e, inode, (u64)p.mapping, &p.at);
		event__end(&e);
	}
	event__timed(st, begin_ns);
}

SEC("tp_btf/writeback_dirty_folio")
int cache_dirty(u64 *ctx)
{
	dirty(ctx);
	return 0;
}

/* Up to 5.17. */
SEC("tp_btf/writeback_dirty_page")
int cache_dirty_page(u64 *ctx)
{
	dirty(ctx);
	return 0;
}

/* A write told before it is done: what it finds missing is taken off again. */
static __always_inline void write_begins(u64 *ctx, struct kiocb *iocb, struct iov_iter *from)
{
	struct event e = {.ctx = ctx, .task = bpf_get_current_task_btf()};
	struct cache_stats *st = stats__get();
	struct address_space *mapping;
	u64 begin_ns, pos, n;
	struct range r;

	/* What a module's events point to may be nothing, as far as the verifier knows. */
	if (!st || !ready || !iocb || !from)
		return;
	mapping = iocb->ki_filp->f_mapping;
	pos = iocb->ki_pos;
	n = from->count;
	if (!n)
		return;
	r.first = pos >> PAGE_SHIFT;
	r.end = ((pos + n - 1) >> PAGE_SHIFT) + 1;
	ahead__leave(mapping->host, &r, TAKE_USED);
	e.t = thread__get(e.task);
	if (!e.t)
		return;
	begin_ns = event__clock(st);
	e.bank = bank__of(e.t, e.task, mapping->host, (u64)mapping);
	e.bank->n[CACHE_N_WRITE_HITS] += range__len(&r);
	e.t->write.mapping = (u64)mapping;
	e.t->write.token = write__token(e.task) + 1;
	e.t->write.at.first = r.first;
	e.t->write.at.end = r.end;
	event__end(&e);
	event__timed(st, begin_ns);
}

SEC("tp_btf/xfs_file_buffered_write")
int cache_xfs_write(u64 *ctx)
{
	write_begins(ctx, (void *)ctx[0], (void *)ctx[1]);
	return 0;
}

#endif
