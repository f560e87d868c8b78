/* SPDX-License-Identifier: GPL-2.0-only */
/* Records that programs send through a ring buffer; shared by kernel and user side. */
#ifndef BPF_STACK_H
#define BPF_STACK_H

#include <linux/types.h>

/* Frames per part; one less than a power of two, so that the verifier can bound by a mask.
 * kernel.perf_event_max_stack is 127 by default. */
#define STACK_DEPTH 127

/* What a program is to capture. */
#define STACK_KERNEL 1
#define STACK_USER   2
#define STACK_LEAF   4 /* no call chain: only the frame that was interrupted */
#define STACK_TRACED 8 /* without the first TRACER_FRAMES of the kernel's */
#define STACK_SKIP(n) ((n) << 8) /* and without so many more: of functions that the program calls */

/* The program's and the tracepoint's: not of the stack that it looks at. */
#define TRACER_FRAMES 2

enum record_type { RECORD_STACK = 1, RECORD_TASK = 2, RECORD_UNWIND = 3 };

/* A stack's frames, sent when its hash is first seen: kernel frames, then user frames, each
 * leaf first. Only the used part of ips is sent. */
struct stack_record {
	__u32 type; /* RECORD_STACK */
	__u32 tgid;
	__u64 hash;
	__u64 t_ns;
	__u16 nkernel, nuser;
	__u32 flags; /* STACK_RECORD_x */
	__u64 ips[2 * STACK_DEPTH];
};

#define STACK_RECORD_WHOLE 2 /* its last user frame is the outermost one: tables say so */
#define STACK_RECORD_INTERRUPT                                                                     \
	1 /* of an interrupt's own stack; what it interrupted is left out                          \
	   */

/* Of stacks that user space has: a line of the CPU's caches. */
#define STACK_BUCKET 8

struct stack_bucket {
	__u64 hashes[STACK_BUCKET];
};

/* A process that was not seen before: its maps should be read before it exits. */
struct task_record {
	__u32 type; /* RECORD_TASK */
	__u32 tgid, tid;
	__u32 pad;
	__u64 t_ns;
	char comm[16];
};

/* Per CPU; what the capture could not do. */
struct stack_stats {
	__u64 sent;	 /* stacks sent */
	__u64 ring_full; /* stacks not sent: no room in the ring */
	__u64 cut;	 /* captures that reached the depth limit */
	/* kernel stacks of stack_task.bpf.h: */
	__u64 walks;	/* walked */
	__u64 reused;	/* known again by their shape */
	__u64 checked;	/* of those: walked all the same ... */
	__u64 differed; /* ... and it was another */
	__u64 suspect;	/* scratch */
};

#endif
