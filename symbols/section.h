/* SPDX-License-Identifier: GPL-2.0-only */
/* The sections of an ELF file, whatever its headers say. */
#ifndef SYMBOLS_SECTION_H
#define SYMBOLS_SECTION_H

#include <gelf.h>

#include "base/base.h"

struct elf_section {
	Elf_Scn *scn;
	GElf_Shdr shdr;	  /* zero when it cannot be read */
	const char *name; /* NULL when there is none; the Elf's */
	bool broken;	  /* its header cannot be read */
};

/* What may still be read whole. libelf keeps every section that was read until elf_end(), and one
 * hole in a sparse file can be any number of large sections. */
struct byte_budget {
	u64 left;
	bool over; /* there was too little left for something */
};

/* False, and nothing is taken, when that is more than is left. */
bool byte_budget__take(struct byte_budget *b, u64 bytes);

/* The section after s, the first one when s is zero; false at the end. Names are looked up only
 * where the file's table of them is there. */
bool elf_section__next(Elf *elf, struct elf_section *s);
/* The first section of a name (NULL any) and type (0 any). */
Elf_Scn *elf__section(Elf *elf, const char *name, u32 type);

#endif
