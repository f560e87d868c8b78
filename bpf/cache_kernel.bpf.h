/* SPDX-License-Identifier: GPL-2.0-only */
/* The page cache's fields that are read, in the manner of bpf/kernel.bpf.h. Types that end in
 * ___x are the same type as other kernels have it, or with other fields. */
#ifndef BPF_CACHE_KERNEL_BPF_H
#define BPF_CACHE_KERNEL_BPF_H

#include "bpf/vfs_kernel.bpf.h"

struct address_space {
	struct inode *host;
} KERNEL_TYPE;

/* 5.16 on; before, it is a page. */
struct folio {
	struct address_space *mapping;
	unsigned long index;
	unsigned int _nr_pages; /* 6.14 on */
} KERNEL_TYPE;

struct folio___old {
	unsigned int _folio_nr_pages; /* up to 6.13 */
} KERNEL_TYPE;

struct page {
	unsigned long flags;
	struct address_space *mapping;
	unsigned long index;
	unsigned int compound_nr; /* of the second one; up to 6.2 */
} KERNEL_TYPE;

enum pageflags { PG_head };

struct task_struct___cache {
	struct files_struct *files;
	struct task_io_accounting ioac;
	unsigned long min_flt, maj_flt; /* counted when a fault is done with */
} KERNEL_TYPE;

struct kiocb {
	struct file *ki_filp;
	s64 ki_pos;
} KERNEL_TYPE;

struct iov_iter {
	unsigned long count;
} KERNEL_TYPE;

struct vm_area_struct {
	struct file *vm_file;
} KERNEL_TYPE;

struct vm_fault {
	struct vm_area_struct *vma;
	unsigned long pgoff;
} KERNEL_TYPE;

#define PF_KSWAPD    0x00020000
#define PF_MEMALLOC  0x00000800
#define PF_EXITING   0x00000004
#define BDEVFS_MAGIC 0x62646576
#define PAGE_SHIFT   page_shift

/* Calls that put pages into the cache for later, and those whose place in the file is known. */
#if defined(__TARGET_ARCH_x86)
#define CALL_READ      0
#define CALL_PREAD     17
#define CALL_MADVISE   28
#define CALL_READAHEAD 187
#define CALL_FADVISE   221
struct pt_regs___arguments {
	u64 di, si, dx, r10;
} KERNEL_TYPE;
#define REGS_ARG1(r) (((struct pt_regs___arguments *)(r))->di)
#define REGS_ARG4(r) (((struct pt_regs___arguments *)(r))->r10)
#elif defined(__TARGET_ARCH_arm64)
#define CALL_READ      63
#define CALL_PREAD     67
#define CALL_READAHEAD 213
#define CALL_FADVISE   223
#define CALL_MADVISE   233
struct user_pt_regs___arguments {
	u64 orig_x0;
} KERNEL_TYPE;
struct pt_regs___arguments {
	u64 orig_x0;
} KERNEL_TYPE;
#define REGS_ARG1(r)   (((struct pt_regs___arguments *)(r))->orig_x0)
#define REGS_ARG4(r)   ((r)->regs[3])
#endif
#define CALL_IO_URING_ENTER 426
#define CALL_NONE	    (~0u)

#endif
