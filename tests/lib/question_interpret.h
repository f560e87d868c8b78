/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The same in user space, of checked expressions over an event's bytes: what the code of
 * questions/generate.h has to agree with.
 */
#ifndef TESTS_LIB_QUESTION_INTERPRET_H
#define TESTS_LIB_QUESTION_INTERPRET_H

#include "questions/generate.h"

struct interpret_memory {
	/* 0 or -EFAULT, with all of buf filled. */
	int (*read)(void *ctx, bool user, u64 addr, void *buf, u32 size);
	/* Copies up to size - 1 bytes of a string and a NUL; its length, or -EFAULT. */
	int (*read_text)(void *ctx, bool user, u64 addr, char *buf, u32 size);
	void *ctx;
};

struct interpret_event {
	const void *context; /* as a program gets it: a tracepoint's record, registers, arguments */
	u32 size;	     /* bytes of it; reads beyond are faults */
	const struct interpret_memory *memory; /* NULL: every read is a fault */
};

/* Whether the event passes, with keys and values in the frame, whose inputs are the caller's. */
bool interpret__run(const struct eval_unit *unit, const struct interpret_event *event,
		    struct question_frame *frame);

/* One number. */
u64 interpret__number(const struct checked *e, const struct interpret_event *event,
		      struct question_frame *frame);

#endif
