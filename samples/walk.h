/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Between who has copies of user stacks (a source) and who can walk them (symbols): a copy is
 * walked by the unwind tables of what was mapped in the process then.
 */
#ifndef SAMPLES_WALK_H
#define SAMPLES_WALK_H

#include "base/base.h"

/* At the entry to the kernel; lr: aarch64. */
struct user_regs {
	u64 ip, sp, fp, lr;
};

/* What lay from regs.sp on; borrowed. */
struct stack_copy {
	u32 tgid;
	u32 tid;    /* of a thread that sleeps, whose process may be looked into; 0: it may run */
	u32 nstack; /* bytes */
	u64 t_ns;
	struct user_regs regs;
	const u8 *stack;
};

/* Why a walk ended. */
enum walk_end {
	WALK_WHOLE,	/* the outermost frame */
	WALK_GUESSED,	/* the same, but by frame pointers: they may have led astray */
	WALK_CUT,	/* the limit of frames */
	WALK_COPY_ENDS, /* the stack goes on above what was copied */
	WALK_UNKNOWN,	/* what is mapped there is not known */
	WALK_NO_ROW,	/* the table says nothing of that place */
	WALK_BAD_STACK, /* a frame that is not above the last one */
	WALK_FP_END,	/* frame pointers, of code without a table, led no further */
	WALK_ENDS,
};

/* What is mapped in a process; immutable, counted references. */
struct stack_space;

struct stack_walker {
	/* The collector thread: a reference to what was mapped at a time, and back. */
	struct stack_space *(*space)(const struct stack_walker *w, u32 tgid, u64 t_ns);
	void (*put_space)(const struct stack_walker *w, struct stack_space *s);
	/* Any thread. Fills ips, leaf first; returns how many, at least one (max is not 0). Reads
	 * tables of files that were not met before, which takes its time. Of a thread that sleeps there may be words of
	 * interpreted functions among them, with a check word at the end (bpf/script.h): they hold if it sleeps still. */
	u32 (*walk)(const struct stack_walker *w, const struct stack_space *s,
		    const struct stack_copy *copy, u64 *ips, u32 max, enum walk_end *end);
};

#endif
