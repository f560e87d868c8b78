// SPDX-License-Identifier: GPL-2.0-only
/*
 * The PLT has no symbols: an entry is named after the import whose address it jumps to. On
 * x86 the jump itself says which slot of the GOT that is (ff 25 disp32: jmp *disp(%rip)); on
 * Arm64 entries stand in the order of their relocations, after a header of 32 bytes.
 */
#include <gelf.h>

#include "base/arena.h"
#include "symbols/code.h"
#include "symbols/elf.h"

#define PLT_ENTRY  16
#define PLT_MAX	   65536 /* imports that are looked at */
#define ARM64_HEAD 32

struct slot {
	u64 got;
	u32 name;
};

struct slots {
	struct slot *v;
	u32 n;
};

static int by_got(const void *a, const void *b)
{
	u64 x = ((const struct slot *)a)->got, y = ((const struct slot *)b)->got;

	return x < y ? -1 : x > y;
}

static void take_relocs(Elf_Data *data, u64 entsize, Elf_Data *syms, struct slots *out)
{
	u32 n = (u32)MIN(data->d_size / entsize, (u64)PLT_MAX);

	for (u32 i = 0; i < n && out->n < PLT_MAX; i++) {
		GElf_Rela r;
		GElf_Sym sym;

		if (!gelf_getrela(data, (int)i, &r) || !GELF_R_SYM(r.r_info) ||
		    !gelf_getsym(syms, (int)GELF_R_SYM(r.r_info), &sym) ||
		    sym.st_name > NAME_OFFSET)
			continue;
		out->v[out->n++] = (struct slot){r.r_offset, sym.st_name};
	}
}

/* The GOT slots that relocations of a section fill with the addresses of imports. */
static void add_relocs(Elf *elf, const char *section, struct byte_budget *budget, struct slots *out)
{
	Elf_Scn *scn = elf__section(elf, section, SHT_RELA);
	Elf_Data *data = elf__bytes(scn, budget), *syms;
	GElf_Shdr sh;

	if (!data || !gelf_getshdr(scn, &sh) || !sh.sh_entsize)
		return;
	syms = elf__bytes(elf__section(elf, NULL, SHT_DYNSYM), budget);
	if (syms)
		take_relocs(data, sh.sh_entsize, syms, out);
}

static const struct slot *find_slot(const struct slots *s, u64 got)
{
	struct slot key = {.got = got};

	return bsearch(&key, s->v, s->n, sizeof(key), by_got);
}

/* The slot that the jump in an x86 entry of len bytes goes through, 0 none. */
static u64 x86_slot(const u8 *p, u32 len, u64 addr)
{
	for (u32 i = 0; i + 6 <= len; i++) {
		s32 disp;

		if (p[i] != 0xff || p[i + 1] != 0x25)
			continue;
		memcpy(&disp, p + i + 2, sizeof(disp));
		return addr + i + 6 + (u64)(s64)disp;
	}
	return 0;
}

static void add_x86(const Elf_Data *code, u64 addr, u32 entry, const struct slots *slots,
		    struct symtab_builder *b)
{
	for (u64 i = 0; i + entry <= code->d_size; i += entry) {
		const struct slot *s =
			find_slot(slots, x86_slot((const u8 *)code->d_buf + i, entry, addr + i));

		if (s)
			symtab_builder__add(b, addr + i, entry, NAME_PLT, s->name, RANK_LOCAL);
	}
}

static void add_arm64(const Elf_Data *code, u64 addr, const struct slots *slots,
		      struct symtab_builder *b)
{
	for (u32 i = 0; i < slots->n && ARM64_HEAD + (i + 1ull) * PLT_ENTRY <= code->d_size; i++)
		symtab_builder__add(b, addr + ARM64_HEAD + (u64)i * PLT_ENTRY, PLT_ENTRY, NAME_PLT,
				    slots->v[i].name, RANK_LOCAL);
}

static void add_section(Elf *elf, const struct code *c, const char *name, u32 entry,
			const struct slots *slots, struct symtab_builder *b)
{
	Elf_Scn *scn = elf__section(elf, name, SHT_PROGBITS);
	Elf_Data *data = elf__bytes(scn, &b->budget);
	GElf_Shdr sh;
	u32 rest;

	if (!data || !gelf_getshdr(scn, &sh) || code__exec_end(c, sh.sh_addr) == sh.sh_addr)
		return;
	if (c->machine == EM_X86_64)
		add_x86(data, sh.sh_addr, entry, slots, b);
	else if (c->machine == EM_AARCH64)
		add_arm64(data, sh.sh_addr, slots, b);
	rest = symtab_builder__pool(b, "[plt]", 5);
	if (rest)
		symtab_builder__add(b, sh.sh_addr, 0, NAME_POOL, rest, RANK_LABEL);
}

static bool entry_size(Elf *elf, const char *name, u32 *size)
{
	Elf_Scn *scn = elf__section(elf, name, SHT_PROGBITS);
	GElf_Shdr sh;

	if (!scn || !gelf_getshdr(scn, &sh))
		return false;
	*size = sh.sh_entsize == 8 ? 8 : PLT_ENTRY;
	return true;
}

void plt__add(Elf *elf, const struct code *c, struct symtab_builder *b)
{
	static const char *const sections[] = {".plt", ".plt.sec", ".plt.got"};
	struct slots slots = {.v = xmalloc(sizeof(struct slot) * PLT_MAX)};
	u32 entry;

	add_relocs(elf, ".rela.plt", &b->budget, &slots);
	if (c->machine == EM_X86_64) {
		add_relocs(elf, ".rela.dyn", &b->budget, &slots);
		if (slots.n)
			qsort(slots.v, slots.n, sizeof(*slots.v), by_got);
	}
	for (u32 i = 0; slots.n && i < ARRAY_SIZE(sections); i++)
		if (entry_size(elf, sections[i], &entry))
			add_section(elf, c, sections[i], entry, &slots, b);
	free(slots.v);
}
