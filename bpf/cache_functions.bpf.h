/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Functions of the kernel, by fentry and fexit, for what its tracepoints do not tell:
 *
 * - reads and faults up to 6.10. A read is seen where later kernels have the tracepoint, at the
 *   end of each batch, so that all else is the same; where there is the tracepoint it is no
 *   worse in what it sees or costs, and serves.
 * - writes to file systems that have no event for them, but write as most do: without it a
 *   page that is written again before it is on disk is not seen.
 *
 * What comes into the cache, leaves it and gets dirty is told to the page by tracepoints of all
 * kernels: functions would see no more of it.
 */
#ifndef BPF_CACHE_FUNCTIONS_BPF_H
#define BPF_CACHE_FUNCTIONS_BPF_H

#include "bpf/cache_reads.bpf.h"
#include "bpf/cache_writes.bpf.h"

#define TMPFS_MAGIC 0x01021994 /* what comes into it is not told */

#define VM_FAULT_NOPAGE 0x100 /* it is done with */

static __always_inline int got_pages(u64 *ctx, struct kiocb *iocb, u64 bytes, s32 err)
{
	u64 at = iocb->ki_pos;

	if (!err && bytes)
		read_range(ctx, iocb->ki_filp->f_mapping, at >> PAGE_SHIFT,
			   (at + bytes - 1) >> PAGE_SHIFT);
	return 0;
}

/* It is told how many bytes, 6.3 on ... */
SEC("fexit/filemap_get_pages")
int cache_get_pages(u64 *ctx)
{
	return got_pages(ctx, (void *)ctx[0], ctx[1], ctx[4]);
}

/* ... and of what the bytes are for before. */
SEC("fexit/filemap_get_pages")
int cache_get_pages_iter(u64 *ctx)
{
	struct iov_iter *iter = (void *)ctx[1];

	return got_pages(ctx, (void *)ctx[0], iter->count, ctx[3]);
}

static __always_inline struct address_space *fault_mapping(struct vm_fault *vmf)
{
	return vmf->vma->vm_file->f_mapping;
}

SEC("fexit/filemap_map_pages")
int cache_map_function(u64 *ctx)
{
	struct range r = {ctx[1], ctx[2] + 1};

	/* Else it goes on to the function below. */
	if ((u32)ctx[3] & VM_FAULT_NOPAGE)
		fault(ctx, fault_mapping((void *)ctx[0]), &r, ~1ULL);
	return 0;
}

SEC("fentry/filemap_fault")
int cache_fault_function(u64 *ctx)
{
	struct vm_fault *vmf = (void *)ctx[0];
	struct range r = {vmf->pgoff, vmf->pgoff + 1};

	fault(ctx, fault_mapping(vmf), &r, r.first);
	return 0;
}

SEC("fentry/generic_perform_write")
int cache_write_function(u64 *ctx)
{
	struct kiocb *iocb = (void *)ctx[0];
	struct inode *inode = iocb->ki_filp->f_mapping->host;

	if (!has_write_events(inode) && inode->i_sb->s_magic != TMPFS_MAGIC)
		write_begins(ctx, iocb, (void *)ctx[1]);
	return 0;
}

#endif
