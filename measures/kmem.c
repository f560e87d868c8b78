// SPDX-License-Identifier: GPL-2.0-only
/* The kernel's memory: who keeps how much of which cache, since when, and from where. */
#include <unistd.h>

#include "bpf/kmem.h"
#include "samples/measure.h"

enum {
	BY_CACHE, BY_KIND, BY_SITE, BY_ORDER, BY_MIGRATE, BY_PID, BY_COMM, BY_CGROUP, BY_STACK,
	LABELS,
};

static void kind_text(u64 kind, char *buf, size_t size)
{
	copy_str(buf, size, kind == KMEM_PAGE ? "page" : "slab");
}

/* As enum migratetype has them. */
static void migrate_text(u64 type, char *buf, size_t size)
{
	static const char *const names[] = {"unmovable", "movable", "reclaimable", "highatomic"};

	if (type == KMEM_MIGRATE_NONE)
		*buf = '\0';
	else
		copy_str(buf, size, type < ARRAY_SIZE(names) ? names[type] : "cma or isolated");
}

static const struct measure_label labels[LABELS] = {
	[BY_CACHE] = {.name = "cache", .title = "Cache", .width = 20,
		      .help = "slab cache, as in /proc/slabinfo; [pages]: those that a caller asked for",
		      .word = KMEM_LABEL_CACHE, .bits = 64},
	[BY_KIND] = {.name = "kind", .title = "Kind", .width = 4,
		     .help = "slab: objects of caches; page: pages, those of slabs among them",
		     .word = KMEM_LABEL_KIND, .bits = 8, .text = kind_text},
	[BY_SITE] = {.name = "site", .title = "Allocated by", .width = 24,
		     .help = "function that asked for it; none of pages",
		     .word = KMEM_LABEL_SITE, .bits = 64},
	[BY_ORDER] = {.name = "order", .title = "Order", .width = 5,
		      .help = "of pages: two to the power of so many, side by side",
		      .word = KMEM_LABEL_KIND, .shift = KMEM_ORDER_SHIFT, .bits = 8,
		      .text = label__number},
	[BY_MIGRATE] = {.name = "migrate", .title = "Migrate", .width = 11,
			.help = "of pages: what may become of them when memory is compacted",
			.word = KMEM_LABEL_KIND, .shift = KMEM_MIGRATE_SHIFT, .bits = 8,
			.text = migrate_text},
	[BY_PID] = {PID_LABEL("process in whose context it was; interrupts are anybody's")},
	[BY_COMM] = {COMM_LABEL("name of the thread")},
	[BY_CGROUP] = {CGROUP_LABEL},
	[BY_STACK] = {STACK_LABEL("Allocated from", "kernel stack of the allocation")},
};

static void setup(struct measure_setup *s)
{
	u32 page = (u32)sysconf(_SC_PAGESIZE);

	measure_setup__set(s, "page_bytes", &page, sizeof(page));
}

static const char *const allocators[] = {
	"kmem_cache_alloc*", "__kmem_cache_alloc*", "kmalloc*",   "__kmalloc*", "kvmalloc*",
	"__kvmalloc*",	    "krealloc*",		  "kmemdup*",   "kstrdup*",   "mempool_alloc*",
	"___slab_alloc*",    "__slab_alloc*",	  "new_slab*",  "allocate_slab*", "refill_*",
	"alloc_pages*",	    "__alloc_pages*",	  "__alloc_frozen*", "alloc_frozen*", "folio_alloc*",
	"__folio_alloc*",    "vma_alloc_folio*",	  "get_zeroed_page*", "__get_free_page*", "get_free_page*",
	"alloc_from_pcs*",   "__pcs_replace*",	  "alloc_empty_sheaf*", NULL,
};

const struct measure measure_kmem = {
	MEASURE_HERE,
	.name = "kmem",
	.noun = "objects",
	.event = "kmalloc, kmem_cache_alloc, mm_page_alloc",
	.shape = MEASURE_SHAPE_HOLDING,
	.kernel_stacks = true,
	.labels = labels,
	.nlabels = LABELS,
	.by = 1u << BY_STACK,
	.drills = (const u32[]){1u << BY_STACK, 0},
	.setup = setup,
	.levels = {[KMEM_LEVEL_FREE] = {"free_bytes", "free", VALUE_BYTES},
		   [KMEM_LEVEL_FREE_SMALL] = {"free_small_bytes", "in small pieces", VALUE_BYTES},
		   [KMEM_LEVEL_SLAB] = {"slab_bytes", "slabs", VALUE_BYTES},
		   [KMEM_LEVEL_SLAB_KEPT] = {"slab_unreclaimable_bytes", "unreclaimable", VALUE_BYTES}},
	.innermost = allocators,
	.wastes = true,
	.notes = {[KMEM_NOTE_FAILED] = "allocations failed",
		  [KMEM_NOTE_IN_INTERRUPT] = "frees came in interrupts"},
	.optional = "kmem_free_bulk",
	.unseen = "held: since watching began; what is freed in bulk is seen to be when its place is "
		  "used again",
};
