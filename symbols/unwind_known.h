/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Code that is rarely described but always the same: the procedure linkage table, and the return
 * from signal handlers. For the files of symbols/unwind_table.h.
 */
#ifndef SYMBOLS_UNWIND_KNOWN_H
#define SYMBOLS_UNWIND_KNOWN_H

#include <libelf.h>

#include "symbols/unwind_cfi.h"

/* Add ranges; what the index has at the same place goes before them. */
void unwind_known__add_plt(Elf *elf, struct cfi_index *x);
void unwind_known__add_sigreturn(Elf *elf, struct cfi_index *x);

#endif
