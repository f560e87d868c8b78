/* SPDX-License-Identifier: GPL-2.0-only */
/* What of a task tells what it has and did; as in bpf/kernel.bpf.h. */
#ifndef BPF_PROCS_KERNEL_BPF_H
#define BPF_PROCS_KERNEL_BPF_H

#include "bpf/kernel.bpf.h"

#define EXIT_ZOMBIE 0x20

struct signal_struct___exec {
	struct task_struct *group_exec_task;
} KERNEL_TYPE;

struct signal_struct___exit { /* up to 5.16 */
	struct task_struct *group_exit_task;
} KERNEL_TYPE;

/* Who executes, while the other threads of its process have to end; NULL: nobody does. */
static __always_inline struct task_struct *executing(struct task_struct *task)
{
	struct signal_struct___exec *now = (void *)task->signal;
	struct signal_struct___exit *old = (void *)task->signal;

	if (bpf_core_field_exists(now->group_exec_task))
		return now->group_exec_task;
	return bpf_core_field_exists(old->group_exit_task) ? old->group_exit_task : NULL;
}

/* struct mm_struct's counts of pages, MM_FILEPAGES and so on; summed over CPUs since 6.2. */
enum { RSS_FILE, RSS_ANON, RSS_SWAP, RSS_SHMEM, RSS_COUNTS };

struct percpu_counter {
	s64 count;
} KERNEL_TYPE;

struct mm_struct___percpu {
	struct percpu_counter rss_stat[RSS_COUNTS];
} KERNEL_TYPE;

typedef struct {
	s64 counter;
} KERNEL_TYPE atomic_long;

struct mm_rss_stat {
	atomic_long count[RSS_COUNTS];
} KERNEL_TYPE;

struct mm_struct___atomic {
	struct mm_rss_stat rss_stat;
} KERNEL_TYPE;

static __always_inline u64 pages(s64 n)
{
	return n > 0 ? (u64)n : 0;
}

static __always_inline u64 mm__rss(struct mm_struct *mm)
{
	struct mm_struct___percpu *now = (void *)mm;
	struct mm_struct___atomic *old = (void *)mm;

	if (bpf_core_field_exists(old->rss_stat.count))
		/* Verifiers up to 6.1 do not look into an array of these. */
		return pages(BPF_CORE_READ(old, rss_stat.count[RSS_FILE].counter)) +
		       pages(BPF_CORE_READ(old, rss_stat.count[RSS_ANON].counter)) +
		       pages(BPF_CORE_READ(old, rss_stat.count[RSS_SHMEM].counter));
	return pages(now->rss_stat[RSS_FILE].count) + pages(now->rss_stat[RSS_ANON].count) +
	       pages(now->rss_stat[RSS_SHMEM].count);
}

struct fdtable___bits {
	unsigned int max_fds;
	unsigned long *open_fds; /* a bit per descriptor */
} KERNEL_TYPE;

struct files_struct___bits {
	struct fdtable___bits *fdt;
} KERNEL_TYPE;

#define FDS_WORDS 1024 /* 65,536 descriptors; who may have more has an unknown number */

static __always_inline u32 count_bits(u64 w)
{
	w -= (w >> 1) & 0x5555555555555555ULL;
	w = (w & 0x3333333333333333ULL) + ((w >> 2) & 0x3333333333333333ULL);
	w = (w + (w >> 4)) & 0x0f0f0f0f0f0f0f0fULL;
	return (w * 0x0101010101010101ULL) >> 56;
}

/* Open descriptors; ~0u: not known. A global function, which the verifier looks at once. */
__noinline u32 files__count(u64 address)
{
	struct files_struct___bits *files = (void *)address;
	struct fdtable___bits *fdt = BPF_CORE_READ(files, fdt);
	unsigned long *bits = BPF_CORE_READ(fdt, open_fds);
	u32 words = (BPF_CORE_READ(fdt, max_fds) + 63) / 64, n = 0;
	u64 w;

	if (!files || words > FDS_WORDS)
		return ~0u;
	for (u32 i = 0; i < FDS_WORDS && i < words; i++) {
		if (bpf_probe_read_kernel(&w, sizeof(w), &bits[i]))
			return ~0u;
		n += count_bits(w);
	}
	return n;
}

#define HAS_IO_COUNTS bpf_core_field_exists(((struct task_struct *)0)->ioac.read_bytes)

#endif
