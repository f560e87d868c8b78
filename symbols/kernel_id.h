/* SPDX-License-Identifier: GPL-2.0-only */
/* Which kernel runs here, and where something of it is. Any thread. */
#ifndef SYMBOLS_KERNEL_ID_H
#define SYMBOLS_KERNEL_ID_H

#include <stdio.h>

#include "base/base.h"

/* The build-id of the kernel that runs here, hex, "" unknown. */
const char *kernel__build_id(char *hex, size_t size);
/* Where one of its symbols is; 0: hidden, or there is none of that name. */
u64 kernel__address_of(const char *symbol);
/* What these two read: ELF notes, aligned to 4, and /proc/kallsyms. */
void kernel__read_notes(const u8 *notes, size_t n, char *hex, size_t size);
u64 kernel__find_address(FILE *kallsyms, const char *symbol);

#endif
