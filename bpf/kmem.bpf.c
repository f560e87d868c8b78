// SPDX-License-Identifier: GPL-2.0-only
/*
 * The kernel's memory: objects of slab caches, kmalloc's among them, and pages, each from its
 * allocation until it is freed. A cache's object has its address, pages that of their first struct
 * page. Pages that slabs are made of are both. Programs do not interrupt themselves: what the same
 * event had to say in an interrupt meanwhile is lost, and counted by the kernel.
 */
enum { STACK_OF_KMALLOC, STACK_OF_CACHE, STACK_OF_PAGE, OWN_STACKS };
#define STACK_OWN_SLOTS OWN_STACKS
#define NAME_OWN_SLOTS	OWN_STACKS
#include "bpf/kmem.h"
#include "bpf/measure_held.bpf.h"
#include "bpf/measure_names.bpf.h"

char LICENSE[] SEC("license") = "GPL";

struct kmem_cache {
	const char *name;
	unsigned int size, object_size;
} KERNEL_TYPE;

const volatile u32 page_bytes = 4096;

#define NO_OBJECT 16 /* NULL, and what kmalloc(0) returns */
#define BULK_MAX  4096

/* --- names --- */

#define TEXT_MAX 128

static __always_inline struct measure_name *name__new(u32 slot)
{
	struct measure_name *n = name__begin(NAME_SLOT_OWN + slot);

	if (n)
		__builtin_memset(n->text, 0, TEXT_MAX);
	return n;
}

/* The function that asked, by the address after its call. */
static __always_inline void name__site(u64 address, u32 slot, struct measure_stats *st)
{
	struct measure_name *n;

	if (!name__is_due(KMEM_LABEL_SITE, address, 0, 0))
		return;
	n = name__new(slot);
	if (!n)
		return;
	bpf_snprintf(n->text, TEXT_MAX, "%ps", &address, sizeof(address));
	name__send(n, KMEM_LABEL_SITE, address, TEXT_MAX - 1, 0, st);
}

/* kmalloc's have the names that slabinfo gives them. */
static __always_inline void name__cache(u64 cache, const char *name, u32 slot,
					struct measure_stats *st)
{
	struct measure_name *n;
	u64 bytes = cache & ~KMEM_KMALLOC, unit;

	if (!cache || !name__is_due(KMEM_LABEL_CACHE, cache, 0, 0))
		return;
	n = name__new(slot);
	if (!n)
		return;
	if (cache == KMEM_PAGES) {
		__builtin_memcpy(n->text, "[pages]", sizeof("[pages]"));
	} else if (name) {
		bpf_probe_read_kernel_str(n->text, TEXT_MAX, name);
	} else {
		unit = bytes >= 1024 ? 1024 : 1;
		bytes /= unit;
		bpf_snprintf(n->text, TEXT_MAX, unit > 1 ? "kmalloc-%lluk" : "kmalloc-%llu",
			     &bytes, sizeof(bytes));
	}
	name__send(n, KMEM_LABEL_CACHE, cache, TEXT_MAX - 1, 0, st);
}

/* --- allocations --- */

struct allocated {
	u64 address, bytes, wasted, kind, cache, site;
	const char *cache_name;
	u32 slot;
};

static __always_inline int allocated(void *ctx, const struct allocated *a)
{
	struct measure_acquired what = {
		.address = a->address,
		.size = a->bytes,
		.wasted = a->wasted,
		.labels = {a->kind, a->cache, a->site},
	};
	struct measure_stats *st = stats__get();
	u64 now;

	if (!st)
		return 0;
	if (a->address <= NO_OBJECT) {
		st->notes[KMEM_NOTE_FAILED] += !a->address;
		return 0;
	}
	now = run__begin(st);
	if (measure__acquire(ctx, bpf_get_current_task_btf(), STACK_SLOT_OWN + a->slot,
			     STACK_KERNEL | STACK_TRACED, &what, now, st)) {
		if (a->site)
			name__site(a->site, a->slot, st);
		name__cache(a->cache, a->cache_name, a->slot, st);
	}
	run__end(st, now);
	return 0;
}

extern int LINUX_KERNEL_VERSION __kconfig;
#define VOID_ARGUMENTS 0x61000 /* 6.16 */

/* The second argument: verifiers before let programs have a pointer to const void only by reading it. */
static __always_inline u64 object_of(u64 *ctx)
{
	u64 object = 0, *at = ctx;

	if (LINUX_KERNEL_VERSION >= VOID_ARGUMENTS)
		return ctx[1];
	/* Or address and load are shared with the line above, which verifiers refuse. */
	barrier_var(at);
	bpf_probe_read_kernel(&object, sizeof(object), &at[1]);
	barrier_var(object);
	return object;
}

SEC("tp_btf/kmalloc")
int kmem_kmalloc(u64 *ctx)
{
	const struct allocated a = {.address = object_of(ctx),
				    .bytes = ctx[3],
				    .wasted = ctx[3] - ctx[2],
				    .kind = KMEM_SLAB | KMEM_MIGRATE_NONE << KMEM_MIGRATE_SHIFT,
				    .cache = KMEM_KMALLOC | ctx[3],
				    .site = ctx[0],
				    .slot = STACK_OF_KMALLOC};

	return allocated(ctx, &a);
}

/* Before 6.1 the third argument is no cache: this is refused there. */
SEC("tp_btf/kmem_cache_alloc")
int kmem_cache_alloc(u64 *ctx)
{
	struct kmem_cache *cache = (void *)ctx[2];
	const struct allocated a = {.address = object_of(ctx),
				    .bytes = cache->size,
				    .wasted = cache->size - cache->object_size,
				    .kind = KMEM_SLAB | KMEM_MIGRATE_NONE << KMEM_MIGRATE_SHIFT,
				    .cache = as_number(cache),
				    .cache_name = cache->name,
				    .site = ctx[0],
				    .slot = STACK_OF_CACHE};

	return allocated(ctx, &a);
}

SEC("raw_tp/mm_page_alloc")
int kmem_page_alloc(struct bpf_raw_tracepoint_args *ctx)
{
	u32 order = ctx->args[1], migrate = ctx->args[3] & 0x7f;
	const struct allocated a = {.address = ctx->args[0],
				    .bytes = (u64)page_bytes << (order & 31),
				    .kind = KMEM_PAGE | order << KMEM_ORDER_SHIFT |
					    migrate << KMEM_MIGRATE_SHIFT,
				    .cache = KMEM_PAGES,
				    .slot = STACK_OF_PAGE};

	return allocated(ctx, &a);
}

/* --- frees --- */

struct task_struct___kernel_stack {
	void *stack;
} KERNEL_TYPE;

#define TASK_STACK_BYTES 32768 /* or less */

/* Interrupts have stacks of their own: what the event has handed over lies on none of the task's. */
static __always_inline bool is_in_interrupt(const void *ctx)
{
	struct task_struct___kernel_stack *task = (void *)bpf_get_current_task_btf();

	return as_number(ctx) - (u64)BPF_CORE_READ(task, stack) >= TASK_STACK_BYTES;
}

static __always_inline int freed(const void *ctx, u64 address)
{
	struct measure_stats *st = stats__get();
	u64 now;

	if (!st || address <= NO_OBJECT)
		return 0;
	now = run__begin(st);
	st->notes[KMEM_NOTE_IN_INTERRUPT] += is_in_interrupt(ctx);
	measure__release(0, address, st);
	run__end(st, now);
	return 0;
}

SEC("raw_tp/kfree")
int kmem_kfree(struct bpf_raw_tracepoint_args *ctx)
{
	return freed(ctx, ctx->args[1]);
}

SEC("raw_tp/kmem_cache_free")
int kmem_cache_free(struct bpf_raw_tracepoint_args *ctx)
{
	return freed(ctx, ctx->args[1]);
}

SEC("raw_tp/mm_page_free")
int kmem_page_free(struct bpf_raw_tracepoint_args *ctx)
{
	return freed(ctx, ctx->args[0]);
}

struct bulk {
	u64 objects;
	const void *ctx;
};

static long free_one(u32 i, struct bulk *bulk)
{
	u64 address = 0;

	bpf_probe_read_kernel(&address, sizeof(address), (void *)(bulk->objects + i * sizeof(u64)));
	freed(bulk->ctx, address);
	return 0;
}

/* kfree_rcu frees many at once, with no event for each. */
SEC("raw_tp/rcu_invoke_kfree_bulk_callback")
int kmem_free_bulk(struct bpf_raw_tracepoint_args *ctx)
{
	struct bulk bulk = {ctx->args[2], ctx};
	u32 n = ctx->args[1];

	bpf_loop(n < BULK_MAX ? n : BULK_MAX, free_one, &bulk, 0);
	return 0;
}
