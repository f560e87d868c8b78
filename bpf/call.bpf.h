/* SPDX-License-Identifier: GPL-2.0-only */
/* System calls: number, table and arguments of the one that a task is in. */
#ifndef BPF_CALL_BPF_H
#define BPF_CALL_BPF_H

#include "bpf/kernel.bpf.h"
#include "bpf/measure.h"
#include "bpf/syscalls.h"

#if defined(__TARGET_ARCH_x86)
struct thread_info___x86 {
	u32 status;
} KERNEL_TYPE;
struct task_struct___info {
	struct thread_info___x86 thread_info;
} KERNEL_TYPE;
#define TS_COMPAT 2

static __always_inline bool is_compat(struct task_struct *task)
{
	return ((struct task_struct___info *)task)->thread_info.status & TS_COMPAT;
}

struct pt_regs___compat {
	u64 bx, cx, dx, si, di, bp;
} KERNEL_TYPE;

static __always_inline void read_args(REGS_TYPE *r, bool compat, u64 *args)
{
	struct pt_regs___compat *c = (void *)r;

	if (compat) {
		args[0] = (u32)c->bx, args[1] = (u32)c->cx, args[2] = (u32)c->dx;
		args[3] = (u32)c->si, args[4] = (u32)c->di, args[5] = (u32)c->bp;
	} else {
		args[0] = r->di, args[1] = r->si, args[2] = r->dx;
		args[3] = r->r10, args[4] = r->r8, args[5] = r->r9;
	}
}
#elif defined(__TARGET_ARCH_arm64)
struct thread_info___arm64 {
	unsigned long flags;
} KERNEL_TYPE;
struct task_struct___info {
	struct thread_info___arm64 thread_info;
} KERNEL_TYPE;
#define TIF_32BIT 22

static __always_inline bool is_compat(struct task_struct *task)
{
	return ((struct task_struct___info *)task)->thread_info.flags & (1UL << TIF_32BIT);
}

struct pt_regs___first {
	u64 orig_x0;
} KERNEL_TYPE;

static __always_inline void read_args(REGS_TYPE *r, bool compat, u64 *args)
{
	args[0] = ((struct pt_regs___first *)r)->orig_x0;
	for (int i = 1; i < MEASURE_ARGS; i++)
		args[i] = compat ? (u32)r->regs[i] : r->regs[i];
}
#endif

static __always_inline u64 call__label(u32 nr, bool compat)
{
	return (nr & 0xffff) | (u64)compat << SYSCALL_ABI_SHIFT;
}

/* Of what is known by number: tables of both kinds, one behind the other. */
static __always_inline u32 call__index(u64 label)
{
	u32 nr = label & 0xffff;

	if (nr >= SYSCALLS_MAX)
		nr = SYSCALLS_MAX - 1; /* nobody's */
	if ((label >> SYSCALL_ABI_SHIFT) & 1)
		nr += SYSCALLS_MAX;
	return nr & (2 * SYSCALLS_MAX - 1);
}

static __always_inline u64 arg__at(const u64 *args, u32 i)
{
	return i == 0 ? args[0] : i == 1 ? args[1] : i == 2 ? args[2] : i == 3 ? args[3] : args[4];
}

static __always_inline bool is_error(s64 result)
{
	return result < 0 && result >= -4095;
}

/* Whether it sleeps in a call, and which; others may be on their way out of it. */
static __always_inline bool sleeps_in_call(struct task_struct *task, u32 *nr)
{
	if (task->on_cpu || !(task__state(task) & (TASK_INTERRUPTIBLE | TASK_UNINTERRUPTIBLE)))
		return false;
	*nr = task__syscall(task);
	return *nr != ~0u;
}

#endif
