/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Pages, in the place of calls.
 *
 * Memory counts where a process touches it first, until the kernel frees it: no allocator is asked. A page is known by
 * the kernel's own address of it, so nobody has to follow what becomes of mappings.
 */
#ifndef BPF_HEAP_PAGES_BPF_H
#define BPF_HEAP_PAGES_BPF_H

#include "bpf/heap_thread.bpf.h"

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

#endif
