/* SPDX-License-Identifier: GPL-2.0-only */
/* The state that a CPU is in when a program runs: how long its run queue is, whether its task is to give it
 * up, whether interrupts are off. sources/moment.h says which of it this kernel tells. */
#ifndef BPF_MOMENT_BPF_H
#define BPF_MOMENT_BPF_H

#include "bpf/kernel.bpf.h"
#include "bpf/moment.h"
#include "bpf/scope.bpf.h"

/* TIF_NEED_RESCHED and its lazy kind as bits of thread_info.flags: no types tell them. 0: not known. */
const volatile u64 need_resched_flags = 0;

/* Of the current task: its CPU's. */
struct rq___moment {
	unsigned int nr_running;
} KERNEL_TYPE;
struct cfs_rq___moment {
	struct rq___moment *rq;
} KERNEL_TYPE;
struct sched_entity___moment {
	struct cfs_rq___moment *cfs_rq;
} KERNEL_TYPE;
struct thread_info___moment {
	unsigned long flags;
} KERNEL_TYPE;
struct task_struct___moment {
	struct thread_info___moment thread_info;
	struct sched_entity___moment se;
} KERNEL_TYPE;

static __always_inline u64 task__nr_running(struct task_struct *task)
{
	if (!bpf_core_field_exists(((struct cfs_rq___moment *)0)->rq))
		return 0;
	return BPF_CORE_READ((struct task_struct___moment *)task, se.cfs_rq, rq, nr_running);
}

static __always_inline u64 task__need_resched(struct task_struct *task)
{
	return (BPF_CORE_READ((struct task_struct___moment *)task, thread_info.flags) &
		need_resched_flags) != 0;
}

#ifdef __TARGET_ARCH_x86
#define INTERRUPT_FLAG 0x200
#else
#define INTERRUPT_FLAG 0
#endif

/* Of what a perf event or a kprobe interrupted: both contexts begin with its registers. */
static __always_inline u64 regs__irqs_disabled(void *ctx)
{
#ifdef __TARGET_ARCH_x86
	return !(((struct pt_regs *)ctx)->eflags & INTERRUPT_FLAG);
#else
	return 0;
#endif
}

/* Of the kernel, from 6.14 on. As __ksym libbpf would read all of the kernel's types for each object, so user
 * space puts the calls in (moment__put_calls() in sources/moment.h). */
static void (*const bpf_local_irq_save)(unsigned long *flags) = (void *)MOMENT_IRQ_SAVE;
static void (*const bpf_local_irq_restore)(unsigned long *flags) = (void *)MOMENT_IRQ_RESTORE;

/* Of a tracepoint, which runs its programs as it was: what the kernel saves says it. Programs may not
 * look at that, but for reading it as any memory. */
static __always_inline u64 cpu__irqs_disabled(void)
{
	unsigned long saved, flags = INTERRUPT_FLAG;

	bpf_local_irq_save(&saved);
	bpf_probe_read_kernel(&flags, sizeof(flags), &saved);
	bpf_local_irq_restore(&saved);
	return !(flags & INTERRUPT_FLAG);
}

#define MODE_USER   0
#define MODE_KERNEL 1
#define MODE_GUEST  2
#define PF_VCPU	    1 /* runs a guest, as time is accounted: until the interrupt that ended it is over */

/* The terms of a scope that are about the moment: of the current task, and of what a program knows of
 * interrupts and of the mode. A global function, as scope__judge(). */
__noinline bool scope__judge_moment(u64 address, u32 irqs_disabled, u32 mode)
{
	struct task_struct *task = (void *)address;
	struct scope_bpf_levels *l = scope__levels(scope_state);
	u64 running = task__nr_running(task);

	if (running > SCOPE_BPF_RUNNING_MAX)
		running = SCOPE_BPF_RUNNING_MAX;
	if (BPF_CORE_READ(task, flags) & PF_VCPU)
		mode = MODE_GUEST;
	return l && scope__level(l, SCOPE_BPF_NR_RUNNING, running) &&
	       scope__level(l, SCOPE_BPF_IRQS_DISABLED, irqs_disabled) &&
	       scope__level(l, SCOPE_BPF_MODE, mode) &&
	       scope__level(l, SCOPE_BPF_NEED_RESCHED, task__need_resched(task));
}

static __always_inline u32 moment__irqs_disabled(void *ctx, u32 at)
{
	if (at == MOMENT_REGISTERS)
		return regs__irqs_disabled(ctx);
	return at == MOMENT_SAVED ? cpu__irqs_disabled() : 0;
}

static __always_inline u32 moment__mode(void *ctx, u32 at)
{
	if (at == MOMENT_REGISTERS)
		return (s64)PT_REGS_IP((struct pt_regs *)ctx) < 0 ? MODE_KERNEL : MODE_USER;
	return at == MOMENT_USER ? MODE_USER : MODE_KERNEL;
}

/* Of an event of the kernel, here and now; a global function, as scope__judge(). */
__noinline bool scope__judge_now(void)
{
	return scope__judge_moment(bpf_get_current_task(), cpu__irqs_disabled(), MODE_KERNEL);
}

static __always_inline bool moment__passes_now(void)
{
	return !((u32)scope_state & SCOPE_BPF_MOMENT) || scope__judge_now();
}

static __always_inline bool moment__passes(void *ctx, struct task_struct *task, u32 at)
{
	return !((u32)scope_state & SCOPE_BPF_MOMENT) ||
	       scope__judge_moment(as_number(task), moment__irqs_disabled(ctx, at), moment__mode(ctx, at));
}

#endif
