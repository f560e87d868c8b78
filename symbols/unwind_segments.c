// SPDX-License-Identifier: GPL-2.0-only
#include "symbols/unwind_segments.h"

#include <gelf.h>

#define PAGE 4096

u32 unwind_segments__read(Elf *elf, u64 base, struct unwind_segment out[UNWIND_SEGMENTS])
{
	GElf_Phdr ph;
	size_t n = 0;
	u32 found = 0;

	if (!elf || elf_getphdrnum(elf, &n))
		return 0;
	for (size_t i = 0; i < n && found <= UNWIND_SEGMENTS; i++) {
		if (!gelf_getphdr(elf, (int)i, &ph) || ph.p_type != PT_LOAD || !(ph.p_flags & PF_X))
			continue;
		if (found < UNWIND_SEGMENTS)
			out[found] = (struct unwind_segment){
				.offset = ph.p_offset,
				.end = ph.p_offset + ph.p_filesz,
				.pc = (s64)(ph.p_vaddr - ph.p_offset - base),
			};
		found++;
	}
	return found;
}

bool unwind_segments__bias(int fd, u64 offset, u64 start, u64 *bias)
{
	size_t n = 0;
	bool found = false;
	GElf_Phdr ph;
	Elf *elf;

	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	if (!elf || elf_getphdrnum(elf, &n))
		n = 0;
	for (size_t i = 0; i < n && !found; i++) {
		if (!gelf_getphdr(elf, (int)i, &ph) || ph.p_type != PT_LOAD || !(ph.p_flags & PF_X))
			continue;
		found = offset + PAGE > ph.p_offset && offset < ph.p_offset + ph.p_filesz;
		*bias = start - (ph.p_vaddr - ph.p_offset + offset);
	}
	elf_end(elf);
	return found;
}
