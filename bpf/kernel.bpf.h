/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The few kernel fields that proftop's programs read. Only names and types matter: CO-RE
 * finds the offsets in the running kernel's BTF, so nothing here depends on the kernel of
 * the machine that builds. Add a field when a program needs it, and nothing else.
 */
#ifndef BPF_KERNEL_BPF_H
#define BPF_KERNEL_BPF_H

#include <linux/bpf.h>
#include <linux/bpf_perf_event.h>
#include <linux/types.h>
#include <stdbool.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

typedef __u8 u8;
typedef __u16 u16;
typedef __u32 u32;
typedef __u64 u64;
typedef __s32 s32;
typedef __s64 s64;

#define KERNEL_TYPE __attribute__((preserve_access_index))

typedef struct {
	int counter;
} KERNEL_TYPE atomic_t;

struct kernfs_node {
	u64 id;
} KERNEL_TYPE;

/* The first member of struct cgroup, so a css of the default hierarchy is its cgroup. */
struct cgroup_subsys_state {
	struct cgroup_subsys_state *parent;
} KERNEL_TYPE;

struct cgroup {
	struct cgroup_subsys_state self;
	struct kernfs_node *kn;
} KERNEL_TYPE;

struct css_set {
	struct cgroup *dfl_cgrp;
} KERNEL_TYPE;

struct pid;
struct signal_struct {
	struct pid *pids[4]; /* PIDTYPE_x */
	atomic_t live; /* threads that have not begun to exit */
	int nr_threads;
} KERNEL_TYPE;

struct file;
struct fdtable {
	unsigned int max_fds;
	struct file **fd;
} KERNEL_TYPE;

struct files_struct {
	struct fdtable *fdt;
} KERNEL_TYPE;

/* The part of a thread's state that a switch saves. */
#if defined(__TARGET_ARCH_x86)
struct thread_struct {
	u64 sp;
} KERNEL_TYPE;
#define SAVED_SP(task) ((task)->thread.sp)
#elif defined(__TARGET_ARCH_arm64)
struct cpu_context {
	u64 sp;
} KERNEL_TYPE;
struct thread_struct {
	struct cpu_context cpu_context;
} KERNEL_TYPE;
#define SAVED_SP(task) ((task)->thread.cpu_context.sp)
#endif

struct sched_entity {
	u64 nr_migrations;
	u64 sum_exec_runtime; /* ns it had a CPU */
	u64 prev_sum_exec_runtime; /* that when it got its CPU last */
} KERNEL_TYPE;

struct sched_info {
	u64 run_delay;	  /* ns it waited for a CPU, up to when it got one last */
	u64 last_arrival; /* when it got its CPU, by the scheduler's clock */
	u64 last_queued;  /* when it began to wait for one; 0: it does not */
} KERNEL_TYPE;

typedef struct {
	u32 val;
} KERNEL_TYPE kuid_t;

struct cred {
	kuid_t euid;
} KERNEL_TYPE;

struct task_io_accounting {
	u64 syscr, syscw; /* system calls that read and write, counted when they end */
	u64 read_bytes, write_bytes; /* from and to storage */
} KERNEL_TYPE;

struct mm_struct;
struct files_struct;

struct hlist_node {
	struct hlist_node *next;
} KERNEL_TYPE;

struct hlist_head {
	struct hlist_node *first;
} KERNEL_TYPE;

struct upid {
	int nr;
} KERNEL_TYPE;

struct pid {
	struct hlist_head tasks[4]; /* PIDTYPE_x */
	struct upid numbers[1];
} KERNEL_TYPE;

struct list_head {
	struct list_head *next, *prev;
} KERNEL_TYPE;

struct task_struct {
	int pid;	      /* what user space calls the thread id */
	int tgid;	      /* and the process id */
	unsigned int __state; /* 5.14 on; task_struct___old before */
	int exit_state;
	unsigned int on_cpu; /* signed before it became a u8: only unsigned ones may change width */
	unsigned int flags;
	int prio, static_prio; /* 120: nice 0 */
	unsigned int rt_priority, policy; /* SCHED_x */
	unsigned in_iowait : 1;
	u64 utime, stime; /* ns, as sampled by the tick */
	unsigned long min_flt, maj_flt;
	u64 start_time, start_boottime; /* CLOCK_MONOTONIC, CLOCK_BOOTTIME */
	u64 self_exec_id; /* counts its execve calls; 32 bits wide before 5.7 */
	unsigned long nvcsw, nivcsw;
	struct task_struct *group_leader;
	struct task_struct *real_parent;
	struct list_head thread_node; /* in its process's list of threads */
	struct signal_struct *signal;
	struct mm_struct *mm; /* NULL: a kernel thread, or it ends */
	struct css_set *cgroups;
	const struct cred *cred;
	struct files_struct *files;
	struct task_io_accounting ioac;
	struct sched_entity se;
	struct sched_info sched_info;
	struct thread_struct thread;
	char comm[16];
} KERNEL_TYPE;

struct task_struct___old {
	long state;
} KERNEL_TYPE;

#define PF_IO_WORKER   0x00000010
#define PF_USER_WORKER 0x00004000
#define PF_FORKNOEXEC  0x00000040
#define PF_MEMALLOC    0x00000800
#define PF_KTHREAD     0x00200000

#define TASK_INTERRUPTIBLE   0x0001
#define TASK_UNINTERRUPTIBLE 0x0002
#define TASK_STOPPED	     0x0004
#define TASK_TRACED	     0x0008
#define TASK_DEAD	     0x0080
#define TASK_NOLOAD	     0x0400

/* Registers with which a thread entered the kernel. Not named for the machine: libbpf's headers
 * do that. */
#if defined(__TARGET_ARCH_x86)
struct pt_regs___entry {
	u64 ip, sp, bp, bx, r13, ax, di, si, dx, r10, r8, r9, orig_ax;
} KERNEL_TYPE;
#define REGS_TYPE	struct pt_regs___entry
#define REGS_IP(r)	((r)->ip)
#define REGS_SP(r)	((r)->sp)
#define REGS_FP(r)	((r)->bp)
#define REGS_LR(r)	0
#define REGS_BX(r)	((r)->bx)
#define REGS_BCP(r)	((r)->r13) /* HotSpot's interpreter: where it is in the bytecodes */
#define REGS_RETURN(r)	((r)->ax)
#define REGS_SYSCALL(r) ((u32)(r)->orig_ax)
#define REGS_ARG2(r)	((r)->si)
#define REGS_ARG3(r)	((r)->dx)
#elif defined(__TARGET_ARCH_arm64)
struct pt_regs___entry {
	u64 regs[31];
	u64 sp, pc;
	u64 orig_x0;
	s32 syscallno;
} KERNEL_TYPE;
#define REGS_TYPE	struct pt_regs___entry
#define REGS_IP(r)	((r)->pc)
#define REGS_SP(r)	((r)->sp)
#define REGS_FP(r)	((r)->regs[29])
#define REGS_LR(r)	((r)->regs[30])
#define REGS_BX(r)	0
#define REGS_BCP(r)	((r)->regs[22])
#define REGS_RETURN(r)	((r)->regs[0])
#define REGS_SYSCALL(r) ((u32)(r)->syscallno)
#define REGS_ARG2(r)	((r)->regs[1])
#define REGS_ARG3(r)	((r)->regs[2])
#endif

/*
 * Whether what futex() waits on is a lock that is held, by the value there: mutexes of glibc, Go and
 * Rust have 2 while others wait, rwlocks 3 as well, those of musl and robust ones the upper bit beside a
 * count or a thread's id. (-1 is neither: qemu's events.) Those with priority inheritance have operations of
 * their own: FUTEX_LOCK_PI and FUTEX_LOCK_PI2.
 */
#define FUTEX_HELD    0x80000000u
#define FUTEX_HOLDER  0x3fffffffu
#define THREADS_LIMIT (1u << 22) /* PID_MAX_LIMIT of the kernel */

static __always_inline bool futex__is_lock(REGS_TYPE *regs)
{
	u32 op = (u32)REGS_ARG2(regs) & 0x7f, value = (u32)REGS_ARG3(regs);

	if (op == 6 || op == 13 || (value & ~1u) == 2)
		return true;
	return (value & FUTEX_HELD) && (value & FUTEX_HOLDER) < THREADS_LIMIT;
}

/* To the verifier a pointer is no number, and only numbers may be passed to global functions. */
static __always_inline u64 as_number(const void *p)
{
	u64 n = 0;

	bpf_probe_read_kernel(&n, sizeof(n), &p);
	return n;
}

enum bpf_func_id___regs { BPF_FUNC_task_pt_regs___regs = 175 };
/* bpf_task_pt_regs() is there, 5.15 on. */
#define HAS_TASK_PT_REGS                                                                           \
	bpf_core_enum_value_exists(enum bpf_func_id___regs, BPF_FUNC_task_pt_regs___regs)

static __always_inline bool has_user_part(struct task_struct *task)
{
	return !(task->flags & (PF_KTHREAD | PF_IO_WORKER | PF_USER_WORKER));
}

/* The call it is in, as its registers were when it entered the kernel; -1: none. */
static __always_inline u32 task__syscall(struct task_struct *task)
{
	REGS_TYPE *regs;

	if (!has_user_part(task))
		return ~0u;
	regs = (void *)bpf_task_pt_regs(task);
	return (s32)REGS_SYSCALL(regs) < 0 ? ~0u : REGS_SYSCALL(regs);
}

static __always_inline u64 task__state(struct task_struct *task)
{
	if (bpf_core_field_exists(task->__state))
		return task->__state;
	return BPF_CORE_READ((struct task_struct___old *)task, state);
}

static __always_inline bool task__in_iowait(struct task_struct *task)
{
	return BPF_CORE_READ_BITFIELD(task, in_iowait);
}

struct seq_file;

struct bpf_iter_meta {
	struct seq_file *seq;
	u64 session_id; /* another one for each run */
	u64 seq_num; /* of what is visited, from 0 on */
} KERNEL_TYPE;

struct bpf_iter__task {
	struct bpf_iter_meta *meta;
	struct task_struct *task;
} KERNEL_TYPE;

#endif
