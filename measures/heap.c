// SPDX-License-Identifier: GPL-2.0-only
/* Memory of programs: what malloc and the like gave and nobody has freed. */
#include <stdio.h>

#include "bpf/heap.h"
#include "samples/measure.h"

enum { BY_CALL, BY_SIZE, BY_PID, BY_COMM, BY_CGROUP, BY_STACK, LABELS };

static void call_text(u64 call, char *buf, size_t size)
{
	static const char *const names[HEAP_CALLS] = {
		[HEAP_MALLOC] = "malloc",	      [HEAP_CALLOC] = "calloc",
		[HEAP_REALLOC] = "realloc",	      [HEAP_REALLOCARRAY] = "reallocarray",
		[HEAP_ALIGNED] = "aligned_alloc",     [HEAP_POSIX_MEMALIGN] = "posix_memalign",
		[HEAP_NEW] = "new",		      [HEAP_MMAP] = "mmap",
		[HEAP_BRK] = "brk",		      [HEAP_PAGE] = "page",
	};

	copy_str(buf, size, call < HEAP_CALLS ? names[call] : "?");
}

static void size_text(u64 class, char *buf, size_t size)
{
	static const char units[] = "BKMGT";
	u64 most = 16ull << MIN(class, (u64)40);
	u32 unit = 0;

	while (most >= 1024 && unit < 4) {
		most /= 1024;
		unit++;
	}
	snprintf(buf, size, "<=%llu%c", (unsigned long long)most, units[unit]);
}

static const struct measure_label labels[LABELS] = {
	[BY_CALL] = {.name = "call", .title = "Call", .width = 14,
		     .help = "function that gave it: malloc, calloc, realloc, new, mmap, brk and the like; page: none "
			     "was asked",
		     .word = HEAP_LABEL_CALL, .bits = 8, .text = call_text},
	[BY_SIZE] = {.name = "size", .title = "Size", .width = 7, .help = "bytes of each, at most",
		     .word = HEAP_LABEL_CALL, .shift = HEAP_SIZE_SHIFT, .bits = 8,
		     .text = size_text},
	[BY_PID] = {PID_LABEL("process that holds it")},
	[BY_COMM] = {COMM_LABEL("name of the thread")},
	[BY_CGROUP] = {CGROUP_LABEL},
	[BY_STACK] = {STACK_LABEL("Allocated in", "stack of the allocation")},
};

static const char *const allocators[] = {
	"malloc", "calloc", "realloc", "memalign", "posix_memalign", "aligned_alloc", "operator new",
	"xmalloc", "xcalloc", "xrealloc", "xstrdup", "strdup", "__strdup", "strndup", "__strndup",
	"g_malloc*", "g_realloc*", "g_slice_alloc*", "g_strdup*", "__gnu_cxx::new_allocator*",
	"std::allocator*", "std::__new_allocator*", "__rust_alloc", "__rust_realloc", "__rdl_*", "__rg_*", "alloc::*", "<alloc::*",
	"hashbrown::*", "<hashbrown::*", "runtime.*", "__libc_malloc", "__libc_calloc", "__libc_realloc",
	"__GI___libc_malloc", "__GI___libc_realloc", "_int_malloc", "_int_realloc", "_int_memalign", "sysmalloc",
	"__memset_*", "__memcpy_*", "__memmove_*", NULL,
};

const struct measure measure_heap = {
	MEASURE_HERE,
	.name = "heap",
	.noun = "objects",
	.event = "malloc, mmap and the like",
	.shape = MEASURE_SHAPE_HOLDING,
	.labels = labels,
	.nlabels = LABELS,
	.by = 1u << BY_STACK,
	.drills = (const u32[]){1u << BY_STACK, 0},
	.stacks = 100000,
	.sample_bytes = 512 * 1024,
	.replaces = true,
	.innermost = allocators,
	.notes = {[HEAP_NOTE_FAILED] = "allocations failed"},
	.optional = "heap_fault_user heap_fault_kernel",
	.unseen = "held: since watching began",
};
