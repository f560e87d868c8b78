/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The code of a BPF program that is loaded, with the source lines that its types have: as the kernel has rewritten
 * it, and as it was compiled for the machine. Worker thread only.
 */
#ifndef SYMBOLS_BPF_CODE_H
#define SYMBOLS_BPF_CODE_H

#include "symbols/sym.h"

struct symbols;

#define BPF_CODE_MAX (8u << 20) /* bytes of either code that are looked at */

/* Of bytecode `offset` is an instruction's number; of machine code where it is, from the program's first byte.
 * `inlined` is the function that it is in. loaded_ns: when it was loaded, so that it is that program. Never NULL: one
 * reference each, and the reason in note where there is no code. */
void bpf_code__build(struct symbols *s, u32 prog, u64 loaded_ns, struct annotation *out[BPF_CODES]);

#endif
