/* SPDX-License-Identifier: GPL-2.0-only */
/* What a program maps itself, without a file, and its break: not its allocator, which is known by the call that it is
 * in. */
#ifndef BPF_HEAP_MAPS_BPF_H
#define BPF_HEAP_MAPS_BPF_H

#include "bpf/heap_thread.bpf.h"

struct syscall_begin {
	u64 common;
	long id;
	u64 args[6];
};

struct syscall_end {
	u64 common;
	long id;
	long ret;
};

#define PROTECTION_NONE	  0
#define MAP_WITHOUT_FILE 0x20 /* MAP_ANONYMOUS */

/* False: the process is not looked at, or its allocator is at work. */
static __always_inline bool is_own_call(struct task_struct *task, bpf_user_pt_regs_t *regs,
					struct measure_stats *st)
{
	struct heap_thread *t;
	u32 tgid = task->tgid;
	u64 word = 0;

	if (!st || !HAS_TASK_PT_REGS || !bpf_map_lookup_elem(&executed, &tgid) ||
	    bpf_probe_read_kernel(regs, sizeof(*regs), (void *)bpf_task_pt_regs(task)))
		return false;
	t = bpf_task_storage_get(&threads, task, 0, 0);
	if (!t)
		return true;
	if (is_inside(t, PT_REGS_SP(regs), task->self_exec_id))
		return false;
	if (!t->out_sp || PT_REGS_SP(regs) >= t->out_sp ||
	    bpf_probe_read_user(&word, sizeof(word), (void *)t->out_sp))
		return true;
	/* Whoever has a probe on the function, of another process, too, has its return probed. */
	return word != t->out_ret && word != probed_return_of(task);
}

static __always_inline void mapped(void *ctx, struct task_struct *task, u64 address, u64 size, u32 call,
				   struct measure_stats *st)
{
	got(ctx, task, space_of(task), address, size, call, st);
}

static __always_inline bool is_error(long ret)
{
	return (u64)ret > -4096ULL;
}

/* Address space that is reserved is no memory; what has a file is in the page cache. A function of its
 * own, so that the registers are not on the stack beside walks. */
static __noinline bool maps_memory(struct task_struct *task, struct measure_stats *st, u64 *size)
{
	bpf_user_pt_regs_t regs;

	if (!is_own_call(task, &regs, st) || !(PT_REGS_PARM4_SYSCALL(&regs) & MAP_WITHOUT_FILE) ||
	    PT_REGS_PARM3(&regs) == PROTECTION_NONE)
		return false;
	*size = PT_REGS_PARM2(&regs);
	return true;
}

SEC("tp/syscalls/sys_exit_mmap")
int heap_mmap(struct syscall_end *ctx)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct measure_stats *st = stats__get();
	u64 size = 0;

	if (!st || !maps_memory(task, st, &size))
		return 0;
	if (is_error(ctx->ret))
		st->notes[HEAP_NOTE_FAILED]++;
	else
		mapped(ctx, task, ctx->ret, size, HEAP_MMAP, st);
	return 0;
}

/* As with free: afterwards somebody else may have its place. */
SEC("tp/syscalls/sys_enter_munmap")
int heap_munmap(struct syscall_begin *ctx)
{
	struct task_struct *task = bpf_get_current_task_btf();
	bpf_user_pt_regs_t regs;

	if (is_own_call(task, &regs, stats__get()))
		release_old(task, ctx->args[0]);
	return 0;
}

/* What is moved was followed, or is not. */
SEC("tp/syscalls/sys_enter_mremap")
int heap_moves(struct syscall_begin *ctx)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct heap_thread *t;
	bpf_user_pt_regs_t regs;

	if (!is_own_call(task, &regs, stats__get()))
		return 0;
	t = bpf_task_storage_get(&threads, task, 0, BPF_LOCAL_STORAGE_GET_F_CREATE);
	if (t)
		t->moves = held__take(held__key(space_of(task), ctx->args[0])) ? ctx->args[2] : 0;
	return 0;
}

SEC("tp/syscalls/sys_exit_mremap")
int heap_moved(struct syscall_end *ctx)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct heap_thread *t = bpf_task_storage_get(&threads, task, 0, 0);
	struct measure_stats *st = stats__get();
	u64 size = t ? t->moves : 0;

	if (!size || !st)
		return 0;
	t->moves = 0;
	if (!is_error(ctx->ret))
		mapped(ctx, task, ctx->ret, size, HEAP_MMAP, st);
	return 0;
}

struct mm_struct___brk {
	unsigned long brk;
} KERNEL_TYPE;

struct task_struct___brk {
	struct mm_struct___brk *mm;
} KERNEL_TYPE;

SEC("tp/syscalls/sys_enter_brk")
int heap_brk_begins(struct syscall_begin *ctx)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct heap_thread *t;
	bpf_user_pt_regs_t regs;

	if (!is_own_call(task, &regs, stats__get()))
		return 0;
	t = bpf_task_storage_get(&threads, task, 0, BPF_LOCAL_STORAGE_GET_F_CREATE);
	if (t)
		t->brk = BPF_CORE_READ((struct task_struct___brk *)task, mm, brk);
	return 0;
}

/* A piece that is given back counts as released when it is as the last one that was added. */
SEC("tp/syscalls/sys_exit_brk")
int heap_brk(struct syscall_end *ctx)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct heap_thread *t = bpf_task_storage_get(&threads, task, 0, 0);
	struct measure_stats *st = stats__get();
	u64 before = t ? t->brk : 0, after = ctx->ret;

	if (!before || !st)
		return 0;
	t->brk = 0;
	if (after > before)
		mapped(ctx, task, before, after - before, HEAP_BRK, st);
	else if (after < before)
		release_old(task, after);
	return 0;
}

#endif
