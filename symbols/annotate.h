/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The annotated code of one function: disassembly by capstone (AT&T syntax on x86, as perf
 * and objdump show it), names of direct jump and call targets, source lines, the source's
 * text. Worker thread only.
 *
 * Targets in the text: `call malloc@plt`, `jmp handler+0x1f` for other functions; within the
 * function the offset as in annotated_insn.offset and how far into the function that is:
 * `jne 1174 (+0x34)`.
 */
#ifndef SYMBOLS_ANNOTATE_H
#define SYMBOLS_ANNOTATE_H

#include "symbols/debuginfo.h"
#include "symbols/sym.h"

struct arena;
struct sources;

#define ANNOTATE_MAX_CODE  (1u << 20) /* bytes of a function; the rest is cut, and note says so */
#define ANNOTATE_MAX_INSNS (1u << 18)

/* Never NULL: one reference, and the reason in note when there is no code. */
struct annotation *annotate__build(struct symbols *s, u32 func);

/* Code to annotate, wherever it came from: what annotate__build gathers. */
struct annotate_code {
	u16 machine;	   /* EM_... */
	u64 offset, vaddr; /* of its first byte */
	const u8 *bytes;
	size_t size;
	struct debuginfo *debuginfo; /* NULL none */
	struct sources *sources;     /* NULL none */
	/* Names a place outside: fills name, and its offset in the object (0: in another one). */
	bool (*name)(void *ctx, u64 vaddr, u64 *offset, char *name, size_t size);
	void *ctx;
};

/* Lines of a file in the place of instructions: their offsets are the lines' numbers. */
struct annotation *annotate__lines(u32 func, const char *file, u32 first, u32 n, struct sources *sources);

struct annotation *annotate__code(u32 func, const struct annotate_code *c);

/* Without instructions, one reference; what they point to is of the arena, which lives as long as it does. */
struct annotation *annotation__new(u32 func, struct arena **arena);

#endif
