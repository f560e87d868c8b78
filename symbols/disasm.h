/* SPDX-License-Identifier: GPL-2.0-only */
/* Instructions one by one, by capstone. One thread at a time. */
#ifndef SYMBOLS_DISASM_H
#define SYMBOLS_DISASM_H

#include "base/base.h"

struct disasm;

struct disasm_insn {
	u64 addr;
	u32 size;
	const char *mnemonic, *operands; /* valid until the next call */
	bool branch;			 /* a jump or call whose target is known: then */
	bool returns;			 /* control never goes on to the next instruction */
	u64 target;			 /* its address, and */
	u32 before; /* how many bytes of operands come before it ("x0, " of "x0, #0x40") */
	u64 data;   /* the address that a %rip-relative operand means; 0 none */
};

/* machine: an ELF machine (EM_X86_64 ...). NULL when there is no disassembler for it, or no
 * library, which the log says. */
struct disasm *disasm__new(u16 machine);
void disasm__free(struct disasm *d);
/* The instruction at *code; moves on behind it. Bytes that are none come out as ".byte".
 * False at the end. */
bool disasm__next(struct disasm *d, const u8 **code, size_t *size, u64 *addr,
		  struct disasm_insn *out);

#endif
