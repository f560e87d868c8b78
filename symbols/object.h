/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the worker knows of an object's file. For the symbols layer only (annotate,
 * worker.c); worker thread only, except where it says otherwise.
 *
 * Two address spaces:
 *   offset  as in struct sym_loc and sym_func.start. ELF objects: offset in the file. Kernel,
 *	     modules, BPF and JIT code: the absolute address. vdso: offset in its image.
 *   vaddr   as in the ELF file's symbols and program headers (p_vaddr space), what objdump
 *	     and DWARF speak of. Objects that are no ELF file: the same as offset.
 * object__vaddr and object__offset convert; both know executable PT_LOAD segments first.
 */
#ifndef SYMBOLS_OBJECT_H
#define SYMBOLS_OBJECT_H

#include <sys/types.h>

#include "base/base.h"
#include "symbols/debuginfo.h"
#include "symbols/sym.h"

/* False when no segment holds it or the object could not be read. */
bool object__vaddr(struct symbols *s, u32 object, u64 offset, u64 *vaddr);
bool object__offset(struct symbols *s, u32 object, u64 vaddr, u64 *offset);

/* Bytes of the object's code at an offset: from its file, the vdso, /proc/kcore, or a live
 * JIT process's memory, if whoever called us may read that. Returns how many were read (may be
 * fewer than size), or -errno. */
ssize_t object__read_code(struct symbols *s, u32 object, u64 offset, void *buf, size_t size);

/* ELF machine (EM_X86_64 ...) of the code; the running machine's for the kernel and JITs. */
u16 object__machine(struct symbols *s, u32 object);

/* Source lines and inline chains: borrowed, valid until the next call (a few are kept open).
 * NULL when there are none; then note says why. */
struct debuginfo *object__debuginfo(struct symbols *s, u32 object, char *note, size_t note_size);

/* The function at an offset, as a loc there would resolve: to name call targets. Never 0
 * for a known object. */
u32 object__func_at(struct symbols *s, u32 object, u64 offset);

#endif
