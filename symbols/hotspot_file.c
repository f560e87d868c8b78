// SPDX-License-Identifier: GPL-2.0-only
/* Whether a file is a HotSpot: by the symbols that it has for its own debugger. */
#include <gelf.h>
#include <libelf.h>

#include "symbols/hotspot.h"

#define PREFIX "gHotSpotVM"

struct named {
	const char *name; /* behind the prefix */
	size_t at;
};

#define PLACE(table, part) offsetof(struct hotspot_file, table.part)

static const struct named names[] = {
	{"Structs", PLACE(structs, at)},
	{"StructEntryArrayStride", PLACE(structs, stride)},
	{"StructEntryTypeNameOffset", PLACE(structs, type)},
	{"StructEntryFieldNameOffset", PLACE(structs, name)},
	{"StructEntryIsStaticOffset", PLACE(structs, is_static)},
	{"StructEntryOffsetOffset", PLACE(structs, offset)},
	{"StructEntryAddressOffset", PLACE(structs, address)},
	{"Types", PLACE(types, at)},
	{"TypeEntryArrayStride", PLACE(types, stride)},
	{"TypeEntryTypeNameOffset", PLACE(types, name)},
	{"TypeEntrySizeOffset", PLACE(types, value)},
	{"IntConstants", PLACE(ints, at)},
	{"IntConstantEntryArrayStride", PLACE(ints, stride)},
	{"IntConstantEntryNameOffset", PLACE(ints, name)},
	{"IntConstantEntryValueOffset", PLACE(ints, value)},
};

static u32 take(struct hotspot_file *f, const char *name, u64 value)
{
	if (strncmp(name, PREFIX, strlen(PREFIX)))
		return 0;
	for (u32 i = 0; i < ARRAY_SIZE(names); i++) {
		if (strcmp(name + strlen(PREFIX), names[i].name))
			continue;
		memcpy((char *)f + names[i].at, &value, sizeof(value));
		return 1;
	}
	return 0;
}

/* Most files have no such name at all: that is seen at once. */
static bool names_it(Elf *elf, size_t strings)
{
	Elf_Scn *scn = elf_getscn(elf, strings);
	Elf_Data *data = scn ? elf_getdata(scn, NULL) : NULL;

	return data && data->d_buf && memmem(data->d_buf, data->d_size, PREFIX, strlen(PREFIX));
}

static u32 read_symbols(Elf *elf, Elf_Scn *scn, const GElf_Shdr *sh, struct hotspot_file *f)
{
	Elf_Data *data = elf_getdata(scn, NULL);
	u64 n = data && sh->sh_entsize ? data->d_size / sh->sh_entsize : 0;
	u32 found = 0;
	GElf_Sym sym;

	for (u64 i = 0; i < n && i < INT32_MAX; i++) {
		const char *name = gelf_getsym(data, (int)i, &sym)
					   ? elf_strptr(elf, sh->sh_link, sym.st_name)
					   : NULL;

		if (name && sym.st_shndx != SHN_UNDEF)
			found += take(f, name, sym.st_value);
	}
	return found;
}

bool hotspot_file__read(int fd, struct hotspot_file *out)
{
	Elf_Scn *scn = NULL;
	u32 found = 0;
	GElf_Shdr sh;
	Elf *elf;

	*out = (struct hotspot_file){0};
	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	while (elf && (scn = elf_nextscn(elf, scn)))
		if (gelf_getshdr(scn, &sh) && sh.sh_type == SHT_DYNSYM && names_it(elf, sh.sh_link))
			found += read_symbols(elf, scn, &sh, out);
	elf_end(elf);
	return found == ARRAY_SIZE(names);
}
