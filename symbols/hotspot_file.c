// SPDX-License-Identifier: GPL-2.0-only
/* Whether a file is a HotSpot: by the symbols that it has for its own debugger. */
#include "symbols/elf.h"
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

struct taken {
	struct hotspot_file *file;
	u32 n;
};

static void take(void *ctx, const char *name, const GElf_Sym *sym)
{
	struct taken *t = ctx;

	if (strncmp(name, PREFIX, strlen(PREFIX)))
		return;
	for (u32 i = 0; i < ARRAY_SIZE(names); i++) {
		if (strcmp(name + strlen(PREFIX), names[i].name))
			continue;
		*(u64 *)((char *)t->file + names[i].at) = sym->st_value;
		t->n++;
	}
}

bool hotspot_file__read(int fd, struct hotspot_file *out)
{
	struct taken t = {.file = out};

	*out = (struct hotspot_file){0};
	elf__symbols(fd, SHT_DYNSYM, PREFIX, take, &t);
	return t.n == ARRAY_SIZE(names);
}
