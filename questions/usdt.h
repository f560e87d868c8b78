/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Static probes of user programs (USDT): what the notes of section .note.stapsdt say, and where the
 * arguments of a probe are. Pure; notes are anybody's.
 */
#ifndef QUESTIONS_USDT_H
#define QUESTIONS_USDT_H

#include "questions/fields.h"

#define USDT_ARGS 12
#define USDT_NAME 128

struct usdt_note {
	u64 pc, base, semaphore; /* addresses as when it was linked; semaphore 0: none */
	const char *provider, *name, *arguments; /* in the notes */
};

/* Notes of 64-bit files, in the machine's own byte order. What is broken ends the walk. Returns how
 * many were handed out. */
u32 usdt_notes__each(const void *notes, size_t size,
		     void (*emit)(void *ctx, const struct usdt_note *note), void *ctx);

/* Where an argument is. */
struct usdt_arg {
	bool known; /* false: in a way that programs cannot have it */
	u8 size;
	bool is_signed;
	struct field field;
};

/* Fields arg1 ... argN, and sp and ip. */
struct usdt_probe {
	struct field_resolver resolver;
	u32 nargs;
	struct usdt_arg args[USDT_ARGS];
	char name[2 * USDT_NAME];
};

/* From the text of a note ("8@%rdi -4@16(%rsp)"), for an ELF machine. Arguments beyond USDT_ARGS are
 * left out. */
void usdt_probe__init(struct usdt_probe *p, const char *name, const char *arguments, u16 machine);

#endif
