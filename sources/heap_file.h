/* SPDX-License-Identifier: GPL-2.0-only */
/* Where the functions of allocators are in the files that processes map: glibc's, musl's,
 * jemalloc's, tcmalloc's and mimalloc's, in a library or in the program itself. */
#ifndef SOURCES_HEAP_FILE_H
#define SOURCES_HEAP_FILE_H

#include "base/base.h"

#define HEAP_FILE_CALLS 48
#define HEAP_FILE_FREES 32

struct heap_file {
	u64 dev, ino;
	u32 ncalls, nfrees;				      /* 0: it is no allocator */
	u64 calls[HEAP_FILE_CALLS], cookies[HEAP_FILE_CALLS]; /* enum heap_call */
	u64 frees[HEAP_FILE_FREES];
};

/* path: where it can be read; name: as it is mapped. */
void heap_file__look(struct heap_file *f, const char *path, const char *name);

#endif
