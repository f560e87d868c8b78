/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What is mapped at an address of the current process, from the kernel's own tree of mappings:
 * for processes that user space has not told of. Most of those that a build starts are over
 * before it could.
 *
 * The tree is read without its lock, which a sample must not wait for: what is read may be torn
 * while a thread of the process maps something. Reading what is gone is harmless (it fails or
 * gives old bytes), the answer counts only when the address is within it, and what it names is a
 * file that user space knows, or nothing. So at worst one stack ends early.
 *
 * The tree is a maple tree (lib/maple_tree.c of Linux 6.1 on), or an rb tree of mappings by their
 * start (mm_struct.mm_rb, before).
 */
#ifndef BPF_UNWIND_VMA_BPF_H
#define BPF_UNWIND_VMA_BPF_H

#include "bpf/kernel.bpf.h"
#include "bpf/unwind.h"

struct rb_node___vma {
	struct rb_node___vma *rb_left, *rb_right;
} KERNEL_TYPE;

struct rb_root___vma {
	struct rb_node___vma *rb_node;
} KERNEL_TYPE;

struct maple_tree___vma {
	void *ma_root;
} KERNEL_TYPE;

struct maple_range_64___vma {
	unsigned long pivot[15];
	void *slot[16];
} KERNEL_TYPE;

struct maple_arange_64___vma {
	unsigned long pivot[9];
	void *slot[10];
} KERNEL_TYPE;

typedef struct {
	void *vdso;
} KERNEL_TYPE mm_context_t___vma;

struct mm_struct___vma {
	struct maple_tree___vma mm_mt;
	mm_context_t___vma context;
} KERNEL_TYPE;

struct seqcount___vma {
	u32 sequence;
} KERNEL_TYPE;

/* Linux 6.13 on; the one below from 6.4 on. */
struct mm_struct___seqcount {
	struct seqcount___vma mm_lock_seq;
} KERNEL_TYPE;

struct mm_struct___seq {
	int mm_lock_seq;
} KERNEL_TYPE;

struct mm_struct___rb {
	struct rb_root___vma mm_rb;
} KERNEL_TYPE;

struct super_block___vma {
	u32 s_dev;
} KERNEL_TYPE;

struct timespec64___vma {
	s64 tv_sec;
} KERNEL_TYPE;

struct inode___vma {
	struct super_block___vma *i_sb;
	unsigned long i_ino;
	s64 i_size;
	s64 i_mtime_sec; /* 6.11 on; the two below before */
	u32 i_generation;
} KERNEL_TYPE;

struct inode___6_7 {
	struct timespec64___vma __i_mtime;
} KERNEL_TYPE;

struct inode___old {
	struct timespec64___vma i_mtime;
} KERNEL_TYPE;

struct file___vma {
	struct inode___vma *f_inode;
} KERNEL_TYPE;

struct vm_area_struct___vma {
	unsigned long vm_start, vm_end;
	unsigned long vm_flags;
	unsigned long vm_pgoff;
	struct file___vma *vm_file;
} KERNEL_TYPE;

struct vm_area_struct___rb {
	struct rb_node___vma vm_rb;
} KERNEL_TYPE;

#define VMA_EXEC 0x4 /* VM_EXEC */

#define HAS_MAPLE_TREE bpf_core_field_exists(((struct mm_struct___vma *)0)->mm_mt)
#define HAS_RB_TREE    bpf_core_field_exists(((struct mm_struct___rb *)0)->mm_rb)
#define HAS_VMAS       (HAS_MAPLE_TREE || HAS_RB_TREE)

/* A mapping of the current process. */
struct vma {
	u64 at; /* of the kernel's own structure */
	u64 start, end;
	u64 page;		 /* in the file, of start */
	struct unwind_file file; /* ino 0: none */
};

/* --- a maple tree --- */

#define MAPLE_DEPTH	 6 /* 10^5 ranges; the kernel allows of 65530 mappings */
#define MAPLE_PIVOTS	 15
#define MAPLE_UNIT	 12 /* ranges begin at multiples of 4 KiB, or of more */
#define MAPLE_LEAF	 1  /* enum maple_type */
#define MAPLE_ARANGE	 3
#define MAPLE_TYPE(n)	 (((n) >> 3) & 15)
#define MAPLE_NODE(n)	 ((n) & ~255ULL)
#define MAPLE_IS_NODE(n) (((n)&3) == 2 && (n) > 4096) /* of the root: else it is an entry */
#define MAPLE_AT(s, f)	 (bpf_core_field_offset(((struct s *)0)->f))

/* The entry of a node that the address is in. Pivots are the last addresses of the ranges, and 0
 * where there are no more. No branches, so that the verifier has one path: verifiers up to 6.1
 * never take two paths for the same where a program has functions. */
static __always_inline u64 maple_entry(u64 entry, u64 ip, u64 pivots[MAPLE_PIVOTS])
{
	bool arange = MAPLE_TYPE(entry) == MAPLE_ARANGE;
	u64 node = MAPLE_NODE(entry), slots, next = 0;
	u32 at = 0;

	if (arange) {
		__builtin_memset(pivots, 0, MAPLE_PIVOTS * sizeof(u64));
		bpf_probe_read_kernel(pivots, sizeof(((struct maple_arange_64___vma *)0)->pivot),
				      (void *)node + MAPLE_AT(maple_arange_64___vma, pivot));
		slots = MAPLE_AT(maple_arange_64___vma, slot);
	} else {
		bpf_probe_read_kernel(pivots, MAPLE_PIVOTS * sizeof(u64),
				      (void *)node + MAPLE_AT(maple_range_64___vma, pivot));
		slots = MAPLE_AT(maple_range_64___vma, slot);
	}
#pragma unroll
	for (u32 i = 0; i < MAPLE_PIVOTS; i++) {
		s64 below = (s64)((pivots[i] - 1) >> MAPLE_UNIT) - (s64)(ip >> MAPLE_UNIT);

		barrier_var(below); /* or it is compared and branched on */
		at += (u32)((u64)below >> 63);
	}
	bpf_probe_read_kernel(&next, sizeof(next), (void *)node + slots + at * sizeof(u64));
	return next;
}

static __always_inline u64 maple_find(struct mm_struct___vma *mm, u64 ip, u64 pivots[MAPLE_PIVOTS])
{
	u64 entry = (u64)BPF_CORE_READ(mm, mm_mt.ma_root);

	if (!MAPLE_IS_NODE(entry))
		return 0;
	for (u32 i = 0; i < MAPLE_DEPTH; i++) {
		bool leaf = MAPLE_TYPE(entry) == MAPLE_LEAF;

		entry = maple_entry(entry, ip, pivots);
		if (leaf)
			return entry;
	}
	return 0;
}

/* --- an rb tree --- */

#define RB_DEPTH 32 /* twice the logarithm of how many mappings there may be */

static __always_inline u64 rb_find(struct mm_struct___rb *mm, u64 ip)
{
	struct rb_node___vma *node = BPF_CORE_READ(mm, mm_rb.rb_node);
	u64 to_vma = bpf_core_field_offset(((struct vm_area_struct___rb *)0)->vm_rb);

	for (u32 i = 0; i < RB_DEPTH && node; i++) {
		struct vm_area_struct___vma *vma = (void *)node - to_vma;

		if (ip < BPF_CORE_READ(vma, vm_start))
			node = BPF_CORE_READ(node, rb_left);
		else if (ip >= BPF_CORE_READ(vma, vm_end))
			node = BPF_CORE_READ(node, rb_right);
		else
			return (u64)vma;
	}
	return 0;
}

/* --- what it is --- */

static __always_inline u64 inode_mtime(struct inode___vma *inode)
{
	struct inode___6_7 *newer = (void *)inode;
	struct inode___old *old = (void *)inode;

	if (bpf_core_field_exists(inode->i_mtime_sec))
		return BPF_CORE_READ(inode, i_mtime_sec);
	if (bpf_core_field_exists(newer->__i_mtime))
		return BPF_CORE_READ(newer, __i_mtime.tv_sec);
	return BPF_CORE_READ(old, i_mtime.tv_sec);
}

static __always_inline void vma_file(struct mm_struct___vma *mm, struct file___vma *file,
				     struct vma *out)
{
	struct inode___vma *inode = BPF_CORE_READ(file, f_inode);

	if (!file) {
		bool vdso = out->start == (u64)BPF_CORE_READ(mm, context.vdso);

		out->file.ino = vdso ? UNWIND_FILE_VDSO : 0;
		return;
	}
	out->file.ino = BPF_CORE_READ(inode, i_ino);
	out->file.size = BPF_CORE_READ(inode, i_size);
	out->file.mtime = inode_mtime(inode);
	out->file.dev = BPF_CORE_READ(inode, i_sb, s_dev);
	out->file.generation = BPF_CORE_READ(inode, i_generation);
}

static __always_inline struct mm_struct___vma *current_mm(void)
{
	struct task_struct *task = (void *)bpf_get_current_task();

	return (void *)BPF_CORE_READ(task, mm);
}

/* What the kernel counts whenever the process maps something; false: it does not. */
static __always_inline bool mm__version(void *mm, u32 *version)
{
	struct mm_struct___seqcount *newer = mm;
	struct mm_struct___seq *older = mm;

	if (bpf_core_field_exists(newer->mm_lock_seq.sequence))
		*version = BPF_CORE_READ(newer, mm_lock_seq.sequence);
	else if (bpf_core_field_exists(older->mm_lock_seq))
		*version = BPF_CORE_READ(older, mm_lock_seq);
	else
		return false;
	return true;
}

/* The kernel's mapping at an address, 0: none. pivots: room for work. */
static __always_inline u64 vma__find(u64 ip, u64 pivots[MAPLE_PIVOTS])
{
	struct mm_struct___vma *mm = current_mm();

	return HAS_MAPLE_TREE ? maple_find(mm, ip, pivots) : rb_find((void *)mm, ip);
}

/* Reads the one at out->at. False: there is no code. out is all zero else. */
static __always_inline bool vma__read(u64 ip, struct vma *out)
{
	struct vm_area_struct___vma *vma = (void *)out->at;

	out->start = BPF_CORE_READ(vma, vm_start);
	out->end = BPF_CORE_READ(vma, vm_end);
	if (ip - out->start >= out->end - out->start || !(BPF_CORE_READ(vma, vm_flags) & VMA_EXEC))
		return false;
	out->page = BPF_CORE_READ(vma, vm_pgoff);
	vma_file(current_mm(), BPF_CORE_READ(vma, vm_file), out);
	return true;
}

#endif
