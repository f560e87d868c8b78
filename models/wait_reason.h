/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a thread waits for, told from where it waits. Functions of the kernel say most; which
 * use of a futex it is, only the callers in user space or the operation do; the rest is told
 * by the system call and the state. Pure functions, any thread.
 *
 * Names of functions are as in kallsyms: `.constprop.0` and the like and the prefixes of
 * system calls' entries do not matter. Tables for kernels 5.10 to 7.x, x86-64 and arm64.
 */
#ifndef MODELS_WAIT_REASON_H
#define MODELS_WAIT_REASON_H

#include "models/waits.h"
#include "samples/sched.h"

/* Frames of either side that are looked at, from the leaf. */
#define WAIT_KERNEL_FRAMES 128
#define WAIT_USER_FRAMES   64
#define WAIT_FUTEX_FRAMES  12 /* of those, where the use of a futex shows */

/* What kernel frames tell. */
struct wait_clue {
	enum wait_reason reason; /* WAIT_REASONS: they tell none */
	bool futex;		 /* a futex, whatever it is used as */
	bool working;		 /* a worker of the kernel that has got something to do */
	bool interrupt;		 /* one of these frames is an interrupt's entry */
	bool shallow;		 /* nothing above the function that a kernel thread runs */
	u32 tracer; /* so many frames from the leaf are those of whoever looks */
	u32 passed; /* so many frames from the leaf are in every wait or lock: none to name it by */
};

/* Leaf first; NULL: a name that is not known. */
void wait_clue__read(struct wait_clue *c, const char *const *names, u32 n);
/* LOCK or CONDITION, from the callers of a futex in user space, leaf first; WAIT_REASONS: they
 * do not tell. */
enum wait_reason wait_futex__use(const char *const *names, u32 n);

/* What else is known of a wait. */
struct wait_context {
	enum task_state state;
	bool kthread;
	u32 syscall, futex_op;
	enum wait_reason use; /* of a futex; WAIT_REASONS: not known */
};

/* c: NULL when the kernel's frames are not known. */
enum wait_reason wait_reason__judge(const struct wait_clue *c, const struct wait_context *ctx);

/* What the rows of models/wait_reason_names.def say. */
enum wait_says {
	SAYS_NOTHING,
	SAYS_PASS,   /* in every wait: says nothing, and names none */
	SAYS_HINT,   /* this reason, unless a caller says another; names none */
	SAYS_REASON, /* this reason, unless what it called said one */
	SAYS_LOCK,   /* the same; the wait is named by who takes the lock */
	SAYS_FUTEX,
	SAYS_WORK, /* a worker that has got something to do */
};

#endif
