/* SPDX-License-Identifier: GPL-2.0-only */
/* For walks of user stacks (bpf/unwind.bpf.h): reading a frame, and going to the caller's. */
#ifndef BPF_UNWIND_FRAME_BPF_H
#define BPF_UNWIND_FRAME_BPF_H

#include "bpf/unwind_stack.bpf.h"

#define USER_STACK_SIZE (1ULL << 26) /* frames further up than this are none */

/* A frame as frame pointers link them. */
struct user_frame {
	u64 next, ret;
};

static __always_inline bool user_read(struct unwind_state *s, u64 *to, u64 from)
{
	if (!unwind__read(s->slot, from, 1))
		return false;
	*to = s->read[0];
	return true;
}

static __always_inline bool user_read_frame(struct unwind_state *s, struct user_frame *f, u64 from)
{
	if (!unwind__read(s->slot, from, 2))
		return false;
	f->next = s->read[0];
	f->ret = s->read[1];
	return true;
}

/* The address itself. */
static __always_inline u64 unsigned_return(u64 ret)
{
#if defined(__TARGET_ARCH_arm64)
	return ret & ~UNWIND_SIGNATURE;
#else
	return ret;
#endif
}

/* Frames lie above the stack pointer, and not far. Where frame pointers are not kept the
 * register holds anything, and trying to read there costs a page fault. */
static __always_inline bool is_frame(u64 fp, u64 sp)
{
	return fp - sp < USER_STACK_SIZE && !(fp & 7);
}

static __always_inline int return_to(struct unwind_state *s, u64 sp, const struct user_frame *f)
{
	s->sp = sp;
	s->fp = f->next;
	s->ip = unsigned_return(f->ret);
	s->lr = 0;
	s->exact = 0;
	return s->ip ? UNWIND_GOES_ON : UNWIND_WHOLE;
}

#endif
