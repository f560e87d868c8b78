/* SPDX-License-Identifier: GPL-2.0-only */
/* What the programs of bpf/heap.bpf.c share: what a thread is at, and what is acquired. */
#ifndef BPF_HEAP_THREAD_BPF_H
#define BPF_HEAP_THREAD_BPF_H

#include "bpf/heap.h"
#include "bpf/measure_held.bpf.h"
#include "bpf/own_slots.bpf.h"

/* The call that a thread is in; calls from within are of the same object. */
struct heap_thread {
	u64 sp;	       /* at its begin; 0: it is in none */
	u64 size, out; /* out: where the address will be, of HEAP_POSIX_MEMALIGN */
	u64 freed;     /* last, where all are followed */
	u32 call, weight, exec_id;
	u32 unseen; /* so many releases in a row of what was not held are not counted yet */
	/* Of the last call that nobody looks at the end of: where its return address lies, and that. */
	u64 out_sp, out_ret;
	/* That were taken last for user space, the newer one first: what is copied from a file may have to be read
	 * after there is room for it. 0: it is used already. */
	struct {
		u64 page, bytes;
	} pages[2];
	u64 brk, moves; /* of the call that it is in: what it was before; the size of what is moved */
	u64 copies;	/* 1: it writes to private memory that is there: the page that it gets next is a copy */
	u64 copy;	/* that page, until it is seen to be one */
};

TASK_MAP(threads, struct heap_thread);

/* How often each process that is probed has executed, from its first time on. */
HASH_MAP(executed, HEAP_PROCESSES, u32, u32);

/* 0: up to 16 bytes, 1: up to 32 and so on. */
static __always_inline u32 class_of(u64 size)
{
	u32 class = 0;

	for (u64 most = 16; most < size && class < 32; most <<= 1)
		class ++;
	return class;
}

/* Whether a thread is in a call that has not ended. One that an exception or a jump ended lies
 * deeper than where the thread is now. */
static __always_inline bool is_inside(const struct heap_thread *t, u64 sp, u32 exec_id)
{
	return t && t->sp && t->exec_id == exec_id && sp < t->sp;
}

static __always_inline u64 space_of(const struct task_struct *task)
{
	return address_space_id(task->tgid);
}

/* What is reallocated is released when that begins: afterwards somebody else may have its place. */
static __always_inline void release_old(struct task_struct *task, u64 old)
{
	if (old)
		held__take(held__key(space_of(task), old));
}

static __always_inline void got(void *ctx, struct task_struct *task, u64 space, u64 address, u64 size, u32 call,
				struct measure_stats *st)
{
	struct measure_acquired what = {.space = space, .address = address, .size = size};
	u32 *flag, slot = own_slot__take(&flag);

	what.labels[HEAP_LABEL_CALL] = call | class_of(size) << HEAP_SIZE_SHIFT;
	what.labels[HEAP_LABEL_EXEC] = (u32)task->self_exec_id;
	measure__acquire(ctx, task, slot, flag ? STACK_USER : 0, &what, bpf_ktime_get_ns(), st);
	if (flag)
		*flag = 0;
}

#endif
