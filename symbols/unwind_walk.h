/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Walks a copy of a user stack by unwind tables, and by frame pointers where there are none, as
 * bpf/unwind.bpf.h does with the stack itself. Nothing but the copy is read. Any thread.
 */
#ifndef SYMBOLS_UNWIND_WALK_H
#define SYMBOLS_UNWIND_WALK_H

#include "samples/walk.h"
#include "symbols/unwind_table.h"

/* The table of an object and which of its file is code. */
struct unwind_code {
	struct unwind_table table; /* no rows: there is none */
	struct unwind_segment segments[UNWIND_SEGMENTS];
	u32 nsegments;
};

/* fd stays the caller's. root: as in symbols/debugfile.h. Without a table: to be walked by frame
 * pointers. */
void unwind_code__read(struct unwind_code *c, int fd, const char *root, const char *path);
/* Of this kernel's vdso. */
void unwind_code__read_vdso(struct unwind_code *c);
void unwind_code__fini(struct unwind_code *c);

struct unwind_walk {
	struct user_regs regs;
	u16 machine;	 /* EM_X86_64 or EM_AARCH64 */
	const u8 *stack; /* what lay from stack_at on */
	u64 stack_at, nstack;
	/* The object at an address and the offset in its file; NULL: none is known there. */
	const struct unwind_code *(*code_at)(void *ctx, u64 ip, u64 *offset);
	void *ctx;
	u64 *sps; /* NULL, or takes the stack pointer of each frame */
	/* The walk's own: */
	bool no_sp;	   /* frame pointers do not tell where the caller's is: aarch64 */
	bool by_fp;	   /* the last step was by frame pointers ... */
	enum walk_end why; /* ... for this reason: what it means when they lead no further */
	bool beyond;	   /* something above the copy was wanted */
};

/* Fills ips, leaf first; returns how many, at least one (max is not 0). */
u32 unwind_walk__frames(struct unwind_walk *w, u64 *ips, u32 max, enum walk_end *end);

#endif
