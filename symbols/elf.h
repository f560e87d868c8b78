/* SPDX-License-Identifier: GPL-2.0-only */
/* ELF files that anybody may have made: whether libelf may be let near one, and how much of it may
 * be read. */
#ifndef SYMBOLS_ELF_H
#define SYMBOLS_ELF_H

#include <gelf.h>
#include <sys/types.h>

#include "symbols/section.h"

/* Is the header sane enough to hand the file to libelf? Its sections' number is bounded. */
bool elf__sane(int fd, off_t size);
/* The same of a file in memory; 64-bit only. */
bool elf__sane_image(const void *image, size_t size);
/* Are what libelf, libdwelf and libdw read whole on their own (notes, names, links to debug files)
 * of a sane size, all of them together? A sparse file can promise gigabytes of them. */
bool elf__bounded(Elf *elf);
/* For all that is read of an object and of its debug file: 512 MiB, or this process's share. */
struct byte_budget elf__budget(void);
/* A section's bytes, NULL when there are none or more than is left. Owned by the Elf. */
Elf_Data *elf__bytes(Elf_Scn *scn, struct byte_budget *budget);
/* Calls fn for each symbol that a file defines in its tables of that type, unless the names there do
 * not have the text in them: most files are seen at once to be of no interest. */
void elf__symbols(int fd, u32 type, const char *text,
		  void (*fn)(void *ctx, const char *name, const GElf_Sym *sym), void *ctx);
/* Address of the first executable section: tells by how much prelink moved a file. */
bool elf__text_addr(Elf *elf, u64 *addr);

#endif
