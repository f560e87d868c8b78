// SPDX-License-Identifier: GPL-2.0-only
/* The functions of a .symtab or .dynsym. */
#include "symbols/code.h"
#include "symbols/elf.h"

static enum symbol_rank rank_of(const GElf_Sym *sym)
{
	if (GELF_ST_TYPE(sym->st_info) == STT_NOTYPE)
		return RANK_LABEL;
	switch (GELF_ST_BIND(sym->st_info)) {
	case STB_LOCAL:
		return RANK_LOCAL;
	case STB_WEAK:
		return RANK_WEAK;
	default:
		return RANK_GLOBAL;
	}
}

/* Functions, and labels that hand-written assembly gives to its functions. */
static bool is_function(const GElf_Sym *sym, const char *name)
{
	u32 type = GELF_ST_TYPE(sym->st_info);

	if (sym->st_shndx == SHN_UNDEF || !name || !name[0])
		return false;
	if (type == STT_FUNC || type == STT_GNU_IFUNC)
		return true;
	/* $x and $d mark code and data on Arm; .L is the compiler's own. */
	return type == STT_NOTYPE && sym->st_shndx < SHN_LORESERVE && name[0] != '$' &&
	       name[0] != '.';
}

static const char *string_at(const Elf_Data *strings, size_t offset)
{
	return offset < strings->d_size ? (const char *)strings->d_buf + offset : NULL;
}

static void add_symbol(const GElf_Sym *sym, const Elf_Data *strings, enum name_source source,
		       s64 bias, const struct code *c, struct symtab_builder *b)
{
	const char *name = string_at(strings, sym->st_name);
	u64 start = sym->st_value + (u64)bias, end = code__exec_end(c, start), at = sym->st_name;

	if (!is_function(sym, name) || end == start)
		return;
	if (source == NAME_POOL)
		at = symtab_builder__pool(b, name, strlen(name));
	if (at)
		symtab_builder__add(b, start, MIN(sym->st_size, end - start), source, at,
				    rank_of(sym));
}

u32 elf__add_symbols(Elf *elf, u32 section_type, enum name_source source, s64 bias,
		     const struct code *c, struct symtab_builder *b)
{
	Elf_Scn *scn = elf__section(elf, NULL, section_type), *str;
	Elf_Data *data = elf__bytes(scn, &b->budget), *strings;
	u32 before = b->n;
	GElf_Shdr sh;
	GElf_Sym sym;

	if (!data || !gelf_getshdr(scn, &sh) || !sh.sh_entsize)
		return 0;
	str = elf_getscn(elf, sh.sh_link);
	strings = elf__bytes(str, &b->budget);
	/* Every string must end within the table. */
	if (!strings || ((char *)strings->d_buf)[strings->d_size - 1])
		return 0;
	if (source != NAME_POOL) {
		b->names[source].data = strings->d_buf;
		b->names[source].size = strings->d_size;
	}
	for (u32 i = 1; i < data->d_size / sh.sh_entsize && gelf_getsym(data, (int)i, &sym); i++)
		add_symbol(&sym, strings, source, bias, c, b);
	return b->n - before;
}
