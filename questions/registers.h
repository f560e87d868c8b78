/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Fields of events whose context is registers, where nothing is known of types:
 *	functions (uprobe, kprobe)	arg0 ... arg5, sp, ip; of what returns, ret; in Go (1.17 and later),
 *					goroutine: which one runs
 *	perf events			ip, addr, period, sp, and those of questions/sample_fields.h
 * All have 8 bytes, arguments and ret with sign; (s32)arg0 is what C calls int, (char *)arg0 a
 *string.
 */
#ifndef QUESTIONS_REGISTERS_H
#define QUESTIONS_REGISTERS_H

#include "questions/fields.h"

enum register_event {
	REGISTERS_ENTRY,	/* uprobe: what arguments point to is in user memory */
	REGISTERS_RETURN,	/* uretprobe */
	REGISTERS_KERNEL_ENTRY, /* kprobe */
	REGISTERS_KERNEL_RETURN,
	REGISTERS_PERF, /* of a perf event's program */
	REGISTERS_EVENTS,
};

/* Constant. */
const struct field_resolver *registers__fields(enum register_event event);
/* Where the i-th argument of a function is in the context, -1: on the stack. */
int registers__argument(u32 i);
/* Where a register is that assembler calls so, whatever part of it: "eax", "w3". -ENOENT. machine: of
 * ELF. */
int registers__named(u16 machine, const char *name, u32 *offset);
/* Where its result is, and where what does not fit there goes on. */
u32 registers__result(void);
u32 registers__second_result(void);
u32 registers__stack_pointer(void);
/* Where a general register is by its number in this machine's debug information; -1: it is none. */
int registers__numbered(u64 n);

#endif
