// SPDX-License-Identifier: GPL-2.0-only
/*
 * What programs hold of their heap: probes on the functions of an allocator, attached to single
 * processes by sources/heap.c. An allocation is known when its function returns; where it is not
 * sampled, that is decided at the begin and the return is not probed.
 */
#define OWN_STACKS	4
#define STACK_OWN_SLOTS OWN_STACKS
#include <linux/ptrace.h>

#include "bpf/heap.h"
#define MEASURE_MOMENT MOMENT_USER
#include "bpf/measure_held.bpf.h"
#include "bpf/own_slots.bpf.h"

char LICENSE[] SEC("license") = "GPL";

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

/* --- what a program maps itself --- */

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

/* --- pages, in the place of calls ---
 *
 * Memory counts where a process touches it first, until the kernel frees it: no allocator is asked. A page is known by
 * the kernel's own address of it, so nobody has to follow what becomes of mappings. */
#define MIGRATE_MOVABLE 1
#define COUNTER_ANON	1 /* MM_ANONPAGES */
#define MAPPING_ANON	1 /* of struct page.mapping */

const volatile u32 page_bytes = 4096;

struct page {
	void *mapping;
} KERNEL_TYPE;

static __always_inline bool is_anonymous(u64 page)
{
	return (u64)BPF_CORE_READ((struct page *)page, mapping) & MAPPING_ANON;
}

/* A write to what is there may be allowed without a copy; then the next page was for something else. */
static __always_inline void check_copy(struct heap_thread *t)
{
	if (t->copy && !is_anonymous(t->copy))
		held__take(held__key(0, t->copy));
	t->copy = 0;
}

/* In the place of a page that is shared since a fork, by which the number of pages does not change. */
static __always_inline void copied(void *ctx, struct task_struct *task, struct heap_thread *t, u64 page, u64 bytes)
{
	struct measure_stats *st = stats__get();
	u64 began;

	if (!st)
		return;
	began = run__begin(st);
	t->copies = t->pages[0].page = t->pages[1].page = 0;
	t->copy = page;
	got(ctx, task, 0, page, bytes, HEAP_PAGE, st);
	run__end(st, began);
}

SEC("raw_tp/mm_page_alloc")
int heap_page_got(struct bpf_raw_tracepoint_args *ctx)
{
	struct task_struct *task = bpf_get_current_task_btf();
	u32 order = ctx->args[1], migrate = ctx->args[3] & 0x7f, tgid = task->tgid;
	struct heap_thread *t;

	if (!ctx->args[0] || migrate != MIGRATE_MOVABLE || !bpf_map_lookup_elem(&executed, &tgid))
		return 0;
	t = bpf_task_storage_get(&threads, task, 0, BPF_LOCAL_STORAGE_GET_F_CREATE);
	if (!t)
		return 0;
	check_copy(t);
	if (t->copies) {
		copied(ctx, task, t, ctx->args[0], (u64)page_bytes << (order & 31));
		return 0;
	}
	t->pages[1] = t->pages[0];
	t->pages[0].page = ctx->args[0];
	t->pages[0].bytes = (u64)page_bytes << (order & 31);
	return 0;
}

#define ERROR_OF_COPY 3 /* of the processor's error: the page is there, and was written to */
#define AREA_SHARED   8 /* flags of mappings */

struct area_search {
	u64 pivots[MAPLE_PIVOTS];
};

PERCPU_MAP(area_searches, 1, struct area_search);

static __always_inline bool is_private(u64 address)
{
	struct area_search *s = map__only(&area_searches);
	u64 vma = s ? vma__find(address, s->pivots) : 0;

	return vma && !(BPF_CORE_READ((struct vm_area_struct___vma *)vma, vm_flags) & AREA_SHARED);
}

static __always_inline int fault_begins(u64 address, u64 error)
{
	struct task_struct *task = bpf_get_current_task_btf();
	u32 tgid = task->tgid;
	struct heap_thread *t;
	bool copies;

	if (!bpf_map_lookup_elem(&executed, &tgid))
		return 0;
	copies = (error & ERROR_OF_COPY) == ERROR_OF_COPY && is_private(address);
	t = bpf_task_storage_get(&threads, task, 0, copies ? BPF_LOCAL_STORAGE_GET_F_CREATE : 0);
	if (!t)
		return 0;
	check_copy(t);
	t->copies = copies;
	return 0;
}

SEC("tp_btf/page_fault_user")
int heap_fault_user(u64 *ctx)
{
	return fault_begins(ctx[0], ctx[2]);
}

SEC("tp_btf/page_fault_kernel")
int heap_fault_kernel(u64 *ctx)
{
	return fault_begins(ctx[0], ctx[2]);
}

/* A page of a file that was read meanwhile has its mapping. */
static __always_inline bool is_new(u64 page)
{
	u64 mapping = page ? (u64)BPF_CORE_READ((struct page *)page, mapping) : 0;

	return page && (!mapping || mapping & MAPPING_ANON);
}

SEC("tp_btf/rss_stat")
int heap_page_used(u64 *ctx)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct measure_stats *st = stats__get();
	struct heap_thread *t;
	u64 began, page;
	bool newer;

	if ((u32)ctx[1] != COUNTER_ANON || !st || task->flags & PF_MEMALLOC || as_number(task->mm) != ctx[0])
		return 0;
	t = bpf_task_storage_get(&threads, task, 0, 0);
	if (!t)
		return 0;
	began = run__begin(st);
	newer = is_new(t->pages[0].page);
	page = newer ? t->pages[0].page : t->pages[1].page;
	if (newer || is_new(page))
		got(ctx, task, 0, page, newer ? t->pages[0].bytes : t->pages[1].bytes, HEAP_PAGE, st);
	t->pages[0].page = t->pages[1].page = 0;
	run__end(st, began);
	return 0;
}

SEC("raw_tp/mm_page_free")
int heap_page_freed(struct bpf_raw_tracepoint_args *ctx)
{
	held__take(held__key(0, ctx->args[0]));
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
