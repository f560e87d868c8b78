/* SPDX-License-Identifier: GPL-2.0-only */
/* Memory of programs: words of labels, functions that are probed; shared by kernel and user side. */
#ifndef BPF_HEAP_H
#define BPF_HEAP_H

#include <linux/types.h>

/* enum heap_call | class of the size << 8; how often the process had executed, which is not shown. */
enum { HEAP_LABEL_CALL, HEAP_LABEL_EXEC };
#define HEAP_SIZE_SHIFT 8

/* Cookies of probes: how a function takes its size and gives its address. */
enum heap_call {
	HEAP_MALLOC,	     /* (size) */
	HEAP_CALLOC,	     /* (n, size) */
	HEAP_REALLOC,	     /* (old, size) */
	HEAP_REALLOCARRAY,   /* (old, n, size) */
	HEAP_ALIGNED,	     /* (alignment, size) */
	HEAP_POSIX_MEMALIGN, /* (&address, alignment, size) = 0 */
	HEAP_NEW,	     /* as malloc */
	HEAP_MMAP,	     /* of the system, without a file */
	HEAP_BRK,
	HEAP_PAGE, /* by none: memory that was touched first */
	HEAP_CALLS
};
#define HEAP_CALL_MASK 0xff
/* No other function of this table is called from within: whether it is sampled is decided at its
 * begin, and nobody looks at its end when it is not. */
#define HEAP_CALL_ALONE 0x100

#define HEAP_PROCESSES 1024

/* What is mapped by the allocator is not counted beside what it gives. */
enum { HEAP_NOTE_FAILED };

/* Records in the ring: a process that is new, or executes another program. */
enum { RECORD_HEAP_PROCESS = 32 };

struct heap_process_record {
	__u32 type, tgid;
	__u32 parent; /* it was forked from; 0: it executed */
	__u32 pad;
};

#endif
