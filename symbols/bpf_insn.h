/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Instructions of BPF programs in words, as bpftool and the kernel's verifier write them: `r6 = *(u64 *)(r1 +8)`,
 * `if r0 == 0x0 goto pc+4`. Pure; any thread.
 */
#ifndef SYMBOLS_BPF_INSN_H
#define SYMBOLS_BPF_INSN_H

#include <linux/bpf.h>

#include "base/base.h"

/* Whether it takes the place of two: the second has the upper half of its number. */
static inline bool bpf_insn__is_wide(const struct bpf_insn *insn)
{
	return insn->code == (BPF_LD | BPF_IMM | BPF_DW);
}

/* insn: behind a wide one the next is looked at, too. name: of what is called, or of the map; "" it has none. */
void bpf_insn__text(const struct bpf_insn *insn, const char *name, char *buf, size_t size);

#endif
