// SPDX-License-Identifier: GPL-2.0-only
/*
 * What programs hold of their heap: probes on the functions of an allocator, attached to single
 * processes by sources/heap.c. An allocation is known when its function returns; where it is not
 * sampled, that is decided at the begin and the return is not probed.
 */
#define OWN_STACKS	4
#define STACK_OWN_SLOTS OWN_STACKS
#include <linux/ptrace.h>

#define MEASURE_MOMENT MOMENT_USER
#include "bpf/heap_maps.bpf.h"
#include "bpf/heap_pages.bpf.h"
#include "bpf/heap_thread.bpf.h"

char LICENSE[] SEC("license") = "GPL";

/* --- allocations --- */

static __always_inline u64 product(u64 a, u64 b)
{
	return a * b;
}

static __always_inline u64 size_of_call(struct pt_regs *ctx, u32 call)
{
	switch (call) {
	case HEAP_CALLOC:
		return product(PT_REGS_PARM1(ctx), PT_REGS_PARM2(ctx));
	case HEAP_REALLOC:
	case HEAP_ALIGNED:
		return PT_REGS_PARM2(ctx);
	case HEAP_REALLOCARRAY:
		return product(PT_REGS_PARM2(ctx), PT_REGS_PARM3(ctx));
	case HEAP_POSIX_MEMALIGN:
		return PT_REGS_PARM3(ctx);
	default:
		return PT_REGS_PARM1(ctx);
	}
}

/* A function may end in a jump to another one of the table: both are one allocation, and what is drawn
 * last counts. */
static __always_inline bool is_jump(const struct heap_thread *t, u64 sp)
{
	return t && t->sp == sp;
}

/* What it maps meanwhile is the allocator's: until it returns its return address is there. */
static __always_inline void call_is_left_out(struct heap_thread *t, u64 sp)
{
	if (!t)
		t = bpf_task_storage_get(&threads, bpf_get_current_task_btf(), 0,
					 BPF_LOCAL_STORAGE_GET_F_CREATE);
	if (!t)
		return;
	t->out_sp = sp;
	t->out_ret = 0;
	bpf_probe_read_user(&t->out_ret, sizeof(t->out_ret), (void *)sp);
}

/* glibc frees what a thread's cache has, the cache itself among it, when the thread ends: what nobody holds, and what
 * malloc never gave. So of any thread but a process's first such releases count when it goes on, or when they are more. */
#define CACHED_MAX (64 * 7 + 1)

static __always_inline void unseen__settle(struct heap_thread *t, struct measure_stats *st)
{
	if (!t || !t->unseen)
		return;
	__sync_fetch_and_add(&st->unseen, t->unseen);
	t->unseen = 0;
}

static __always_inline void unseen__add(struct task_struct *task, struct heap_thread *t, struct measure_stats *st)
{
	if (++t->unseen > CACHED_MAX || task->tgid == task->pid)
		unseen__settle(t, st);
}

/* 1: nobody has to look at the end of the call. */
static __always_inline int call_begins(struct pt_regs *ctx, u64 cookie, struct measure_stats *st)
{
	struct task_struct *task = bpf_get_current_task_btf();
	u32 call = cookie & HEAP_CALL_MASK, weight;
	u64 sp = PT_REGS_SP(ctx), size = size_of_call(ctx, call);
	struct heap_thread *t = bpf_task_storage_get(&threads, task, 0, 0);

	if (is_inside(t, sp, task->self_exec_id))
		return 1;
	unseen__settle(t, st);
	if (call == HEAP_REALLOC || call == HEAP_REALLOCARRAY)
		release_old(task, PT_REGS_PARM1(ctx));
	weight = weight__draw(size);
	if (!weight && (cookie & HEAP_CALL_ALONE) && !is_jump(t, sp)) {
		call_is_left_out(t, sp);
		return 1;
	}
	if (!t)
		t = bpf_task_storage_get(&threads, task, 0, BPF_LOCAL_STORAGE_GET_F_CREATE);
	if (!t) {
		st->tasks_full++;
		return 1;
	}
	t->sp = sp;
	t->size = size;
	t->call = call;
	t->weight = weight;
	t->exec_id = task->self_exec_id;
	t->out = call == HEAP_POSIX_MEMALIGN ? PT_REGS_PARM1(ctx) : 0;
	return 0;
}

static __always_inline u64 address_of(struct pt_regs *ctx, const struct heap_thread *t)
{
	u64 address = PT_REGS_RC(ctx);

	if (t->call != HEAP_POSIX_MEMALIGN)
		return address;
	if ((u32)address || bpf_probe_read_user(&address, sizeof(address), (void *)t->out))
		return 0;
	return address;
}

static __always_inline void call_ends(struct pt_regs *ctx, struct measure_stats *st)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct heap_thread *t = bpf_task_storage_get(&threads, task, 0, 0);
	struct measure_acquired what = {};
	u32 *flag, slot;

	/* Of a call from within the stack pointer is lower yet. */
	if (!t || !t->sp || t->exec_id != (u32)task->self_exec_id || PT_REGS_SP(ctx) < t->sp)
		return;
	t->sp = 0;
	if (!t->weight)
		return;
	what.address = address_of(ctx, t);
	if (!what.address) {
		st->notes[HEAP_NOTE_FAILED] += t->size != 0;
		return;
	}
	what.space = space_of(task);
	what.size = t->size;
	what.weight = t->weight;
	what.labels[HEAP_LABEL_CALL] = t->call | class_of(t->size) << HEAP_SIZE_SHIFT;
	what.labels[HEAP_LABEL_EXEC] = (u32)task->self_exec_id;
	slot = own_slot__take(&flag);
	measure__acquire(ctx, task, slot, flag ? STACK_USER : 0, &what, bpf_ktime_get_ns(), st);
	if (flag)
		*flag = 0;
}

/* At the begin of a function its address is where the thread is. */
static __always_inline int call(struct pt_regs *ctx)
{
	struct measure_stats *st = stats__get();
	int ret = 0;
	u64 began;

	if (!st)
		return 0;
	began = run__begin_rarely(st);
	if (PT_REGS_IP(ctx) == bpf_get_func_ip(ctx))
		ret = call_begins(ctx, bpf_get_attach_cookie(ctx), st);
	else
		call_ends(ctx, st);
	run__end(st, began);
	return ret;
}

/* One probe for begin and end, where the kernel has such (6.13 on). */
SEC("kprobe")
int heap_session(struct pt_regs *ctx)
{
	return call(ctx);
}

/* On begin and end, as two probes. */
SEC("kprobe")
int heap_call(struct pt_regs *ctx)
{
	call(ctx);
	return 0;
}

/* What was released is not of before when it is freed by allocators within one another: operator
 * delete through free, a wrapper through what it wraps. */
static __always_inline void release(struct pt_regs *ctx, u64 address, struct measure_stats *st)
{
	struct task_struct *task = bpf_get_current_task_btf();
	bool held = held__take(held__key(space_of(task), address));
	struct heap_thread *t;

	if (!held__has_all() || !held__in_scope(ctx, task))
		return;
	t = bpf_task_storage_get(&threads, task, 0, BPF_LOCAL_STORAGE_GET_F_CREATE);
	if (!t)
		return;
	if (held)
		unseen__settle(t, st);
	else if (t->freed != address && !is_inside(t, PT_REGS_SP(ctx), task->self_exec_id))
		unseen__add(task, t, st);
	t->freed = address;
}

SEC("kprobe")
int heap_free(struct pt_regs *ctx)
{
	struct measure_stats *st = stats__get();
	u64 address = PT_REGS_PARM1(ctx), began;

	if (!st || !address)
		return 0;
	began = run__begin_rarely(st);
	release(ctx, address, st);
	run__end(st, began);
	return 0;
}

/* --- processes --- */

static __always_inline void process__send(u32 tgid, u32 parent)
{
	struct heap_process_record r = {RECORD_HEAP_PROCESS, tgid, parent, 0};
	struct measure_stats *st = stats__get();

	if (bpf_ringbuf_output(&records, &r, sizeof(r), BPF_RB_FORCE_WAKEUP) && st)
		st->slow_lost++;
}

SEC("raw_tp/sched_process_exec")
int heap_exec(struct bpf_raw_tracepoint_args *ctx)
{
	struct task_struct *task = bpf_get_current_task_btf();
	u32 tgid = task->tgid, times = task->self_exec_id;

	bpf_map_update_elem(&executed, &tgid, &times, BPF_EXIST);
	if (task__in_scope(task))
		process__send(tgid, 0);
	return 0;
}

SEC("raw_tp/sched_process_fork")
int heap_fork(struct bpf_raw_tracepoint_args *ctx)
{
	struct task_struct *parent = bpf_get_current_task_btf(), *child = (void *)ctx->args[1];
	u32 tgid = BPF_CORE_READ(child, tgid);

	if (tgid == (u32)BPF_CORE_READ(child, pid) && task__in_scope(parent))
		process__send(tgid, parent->tgid);
	return 0;
}
