// SPDX-License-Identifier: GPL-2.0-only
#include "symbols/section.h"

bool byte_budget__take(struct byte_budget *b, u64 bytes)
{
	if (bytes > b->left) {
		b->over = true;
		return false;
	}
	b->left -= bytes;
	return true;
}

bool elf_section__next(Elf *elf, struct elf_section *s)
{
	Elf_Scn *scn = elf_nextscn(elf, s->scn);
	size_t names;

	*s = (struct elf_section){.scn = scn};
	if (!scn)
		return false;
	s->broken = !gelf_getshdr(scn, &s->shdr);
	if (!s->broken && !elf_getshdrstrndx(elf, &names))
		s->name = elf_strptr(elf, names, s->shdr.sh_name);
	return true;
}

Elf_Scn *elf__section(Elf *elf, const char *name, u32 type)
{
	struct elf_section s = {0};

	while (elf_section__next(elf, &s))
		if (!s.broken && (!type || s.shdr.sh_type == type) &&
		    (!name || (s.name && !strcmp(s.name, name))))
			return s.scn;
	return NULL;
}
