/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Frames whose CFA is counted from rbx, at the calls they make. Rows know no rbx, but whom such a
 * frame calls keeps it where its own description says, and its caller's stack pointer is known
 * then: so the CFA is a word in memory, and something more. This is how glibc's
 * _dl_runtime_resolve_* are walked, below which all of lazy binding runs. For the files of
 * symbols/unwind_table.h.
 */
#ifndef SYMBOLS_UNWIND_CALLS_H
#define SYMBOLS_UNWIND_CALLS_H

#include "symbols/unwind_cfi.h"

#define UNWIND_CALLS 8 /* of a range; others are left out */

struct unwind_call {
	u32 at; /* the last byte of the call: by which return addresses are looked up */
	struct cfi_state state;
};

/* The calls between from and to, where s, of CFA_BX, holds, of a sorted index; how many. Reads at
 * most 4 KiB of code. */
u32 unwind_calls__find(const struct cfi_index *x, u32 from, u32 to, const struct cfi_state *s,
		       struct unwind_call out[UNWIND_CALLS]);

#endif
