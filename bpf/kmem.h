/* SPDX-License-Identifier: GPL-2.0-only */
/* The kernel's memory: words of labels; shared by kernel and user side. */
#ifndef BPF_KMEM_H
#define BPF_KMEM_H

/* kind | order << 8 | migrate type << 16; the cache; the call site. */
enum { KMEM_LABEL_KIND, KMEM_LABEL_CACHE, KMEM_LABEL_SITE };
enum { KMEM_SLAB, KMEM_PAGE, KMEM_KINDS };
#define KMEM_ORDER_SHIFT 8
#define KMEM_MIGRATE_SHIFT 16
#define KMEM_MIGRATE_NONE  0xff
#define KMEM_PAGES	 (1ULL << 61) /* in the word of the cache: none, but pages */
#define KMEM_KMALLOC	 (1ULL << 62) /* in the word of the cache: one of kmalloc's, by its size */

/* What the programs note: allocations that failed, frees in interrupts. */
enum { KMEM_NOTE_FAILED, KMEM_NOTE_IN_INTERRUPT };
/* What user space reads of the machine's memory: free, of that in pieces below a huge page; slabs, of those what
 * cannot be reclaimed. */
enum { KMEM_LEVEL_FREE, KMEM_LEVEL_FREE_SMALL, KMEM_LEVEL_SLAB, KMEM_LEVEL_SLAB_KEPT };

#endif
