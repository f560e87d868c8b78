/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Call frame information byte by byte, in an ELF file in memory that has just that: what no
 * compiler at hand writes, and what nobody should.
 */
#ifndef TESTS_LIB_CFI_BUILDER_H
#define TESTS_LIB_CFI_BUILDER_H

#include <dwarf.h>
#include <elf.h>
#include <stdio.h>

#include "symbols/unwind_table.h"

#define CFI_TEXT_SIZE 0x1000
#define CFI_GOT_AT    0x20000 /* from the text's address on */
#define CFI_FRAMES_AT 0x10000

struct cfi_builder {
	u16 machine;
	u64 text;	     /* address of the code */
	const char *section; /* of the frames, ".eh_frame" or ".debug_frame" */
	u64 claimed;	     /* size that the section claims to have; 0 its own */
	const char *code_section;
	u8 code[CFI_TEXT_SIZE];
	u8 frames[8192];
	size_t n;
	size_t cie, entry; /* offsets of the last ones */
	bool wide;	   /* lengths of 64 bits */
	u8 *image;
	size_t size;
};

static inline void cfi__init(struct cfi_builder *k, u16 machine)
{
	memset(k, 0, sizeof(*k));
	k->machine = machine;
	k->text = 0x1000;
	k->section = ".eh_frame";
	k->code_section = ".text";
}

static inline void cfi__put(struct cfi_builder *k, const void *p, size_t n)
{
	memcpy(k->frames + k->n, p, n);
	k->n += n;
}

#define CFI_PUT(k, ...)                                                                            \
	do {                                                                                       \
		const u8 bytes_[] = {__VA_ARGS__};                                                 \
		cfi__put(k, bytes_, sizeof(bytes_));                                               \
	} while (0)

static inline void cfi__num(struct cfi_builder *k, u64 v, size_t n)
{
	cfi__put(k, &v, n);
}

static inline void cfi__uleb(struct cfi_builder *k, u64 v)
{
	do {
		u8 byte = v & 0x7f;

		v >>= 7;
		cfi__num(k, v ? byte | 0x80 : byte, 1);
	} while (v);
}

static inline void cfi__begin(struct cfi_builder *k)
{
	k->entry = k->n;
	if (k->wide)
		cfi__num(k, UINT32_MAX, 4);
	cfi__num(k, 0, k->wide ? 8 : 4);
}

/* Fills the length in. */
static inline void cfi__end(struct cfi_builder *k)
{
	size_t at = k->entry + (k->wide ? 4 : 0), head = k->wide ? 8 : 4;
	u64 length = k->n - at - head;

	memcpy(k->frames + at, &length, head);
}

static inline bool cfi__is_eh(const struct cfi_builder *k)
{
	return !strcmp(k->section, ".eh_frame");
}

/* Up to the augmentation's data; then come its size and data, the program and cfi__end. */
static inline void cfi__begin_cie(struct cfi_builder *k, u8 version, const char *augmentation,
				  u8 code_align)
{
	cfi__begin(k);
	k->cie = k->entry;
	cfi__num(k, cfi__is_eh(k) ? 0 : UINT64_MAX, k->wide ? 8 : 4);
	cfi__num(k, version, 1);
	cfi__put(k, augmentation, strlen(augmentation) + 1);
	if (version >= 4)
		CFI_PUT(k, 8, 0);
	/* Data are counted in -8, the return address's register. */
	CFI_PUT(k, code_align, 0x78, k->machine == EM_X86_64 ? 16 : 30);
}

/* With everything as compilers have it, and FDEs' pointers of an encoding. */
static inline void cfi__cie(struct cfi_builder *k, u8 encoding)
{
	cfi__begin_cie(k, 1, "zR", 1);
	CFI_PUT(k, 1, encoding);
	if (k->machine == EM_X86_64)
		CFI_PUT(k, DW_CFA_def_cfa, 7, 8, DW_CFA_offset | 16, 1);
	else
		CFI_PUT(k, DW_CFA_def_cfa, 31, 0);
	cfi__end(k);
}

/* Up to the pointers. */
static inline void cfi__begin_fde(struct cfi_builder *k)
{
	cfi__begin(k);
	cfi__num(k, cfi__is_eh(k) ? k->n - k->cie : k->cie, k->wide ? 8 : 4);
}

/* Of a CIE by cfi__cie(DW_EH_PE_udata4), up to the program. */
static inline void cfi__fde(struct cfi_builder *k, u32 start, u32 size)
{
	cfi__begin_fde(k);
	cfi__num(k, k->text + start, 4);
	cfi__num(k, size, 4);
	CFI_PUT(k, 0);
}

#define CFI_FDE(k, start, size, ...)                                                               \
	do {                                                                                       \
		cfi__fde(k, start, size);                                                          \
		CFI_PUT(k, __VA_ARGS__);                                                           \
		cfi__end(k);                                                                       \
	} while (0)

/* --- the file --- */

struct cfi_layout {
	Elf64_Ehdr eh;
	Elf64_Phdr ph;
	Elf64_Shdr sh[5];
	char names[64];
	u8 code[CFI_TEXT_SIZE];
	u8 frames[8192];
};

static inline Elf64_Shdr cfi__shdr(u32 name, u64 flags, u64 addr, size_t offset, size_t size)
{
	return (Elf64_Shdr){.sh_name = name,
			    .sh_type = SHT_PROGBITS,
			    .sh_flags = flags,
			    .sh_addr = addr,
			    .sh_offset = offset,
			    .sh_size = size,
			    .sh_addralign = 1};
}

static inline void cfi__layout(const struct cfi_builder *k, struct cfi_layout *f)
{
	size_t code = offsetof(struct cfi_layout, code),
	       frames = offsetof(struct cfi_layout, frames),
	       names = offsetof(struct cfi_layout, names);

	memset(f, 0, sizeof(*f));
	f->eh = (Elf64_Ehdr){
		.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB,
			    EV_CURRENT},
		.e_type = ET_DYN,
		.e_machine = k->machine,
		.e_version = EV_CURRENT,
		.e_phoff = offsetof(struct cfi_layout, ph),
		.e_shoff = offsetof(struct cfi_layout, sh),
		.e_ehsize = sizeof(Elf64_Ehdr),
		.e_phentsize = sizeof(Elf64_Phdr),
		.e_phnum = 1,
		.e_shentsize = sizeof(Elf64_Shdr),
		.e_shnum = 5,
		.e_shstrndx = 4,
	};
	f->ph = (Elf64_Phdr){.p_type = PT_LOAD,
			     .p_flags = PF_R | PF_X,
			     .p_offset = code,
			     .p_vaddr = k->text,
			     .p_paddr = k->text,
			     .p_filesz = CFI_TEXT_SIZE,
			     .p_memsz = CFI_TEXT_SIZE,
			     .p_align = 1};
	snprintf(f->names + 1, 16, "%s", k->code_section);
	snprintf(f->names + 17, 16, "%s", k->section);
	snprintf(f->names + 33, 24, ".got");
	f->sh[1] = cfi__shdr(1, SHF_ALLOC | SHF_EXECINSTR, k->text, code, CFI_TEXT_SIZE);
	f->sh[2] = cfi__shdr(17, SHF_ALLOC, k->text + CFI_FRAMES_AT, frames,
			     k->claimed ? k->claimed : k->n);
	f->sh[3] = cfi__shdr(33, SHF_ALLOC, k->text + CFI_GOT_AT, names, 8);
	f->sh[4] = cfi__shdr(0, 0, 0, names, sizeof(f->names));
	f->sh[4].sh_type = SHT_STRTAB;
	memcpy(f->code, k->code, sizeof(f->code));
	memcpy(f->frames, k->frames, sizeof(f->frames));
}

static inline int cfi__read(const struct cfi_builder *k, struct unwind_table *t)
{
	struct cfi_layout f;

	cfi__layout(k, &f);
	return unwind_table__read_memory(&f, sizeof(f), t, NULL);
}

/* --- rows as text --- */

static inline int cfi__say_cfa(const struct unwind_row *r, char *out, size_t size)
{
	static const char *const names[] = {"none", "sp",  "fp",     "plt",
					    "*fp",  "*sp", "signal", "end"};
	u8 cfa = r->rule & UNWIND_CFA;
	bool counts = cfa != UNWIND_CFA_PLT && cfa < UNWIND_CFA_SIGNAL;

	if (cfa == UNWIND_CFA_NONE)
		return r->cfa ? snprintf(out, size, "bx%+d", 8 * r->cfa)
			      : snprintf(out, size, "none");
	if (cfa == UNWIND_CFA_DEREF_FP || cfa == UNWIND_CFA_DEREF_SP)
		return snprintf(out, size, UNWIND_DEREF_ADDS(r->cfa) > 0 ? "%s%+d%+d" : "%s%+d",
				names[cfa], 8 * UNWIND_DEREF_WORDS(r->cfa),
				UNWIND_DEREF_ADDS(r->cfa));
	return counts ? snprintf(out, size, "%s%+d", names[cfa], 8 * r->cfa)
		      : snprintf(out, size, "%s", names[cfa]);
}

static inline int cfi__say_others(const struct unwind_row *r, char *out, size_t size)
{
	static const char *const fp[] = {"", " fp%+d", " fp*%+d", " fp^%+d"};
	static const char *const ra[] = {"", " ra", " lr", " ra%+d"};
	u8 of_fp = (r->rule & UNWIND_FP) >> 3, of_ra = (r->rule & UNWIND_RA) >> 5;
	int n = of_fp ? snprintf(out, size, fp[of_fp], 8 * r->fp) : 0;

	return n + (of_ra ? snprintf(out + n, size - (size_t)n, ra[of_ra], 8 * r->fp) : 0);
}

/* "PC CFA [fp OFFSET] [RA]; ..." in bytes, the pc in hex. */
static inline const char *cfi__say(const struct unwind_table *t)
{
	static char text[4096];
	size_t n = 0;

	text[0] = '\0';
	for (u32 i = 0; i < t->nrows && n + 64 < sizeof(text); i++) {
		n += (size_t)snprintf(text + n, 32, "%s%x ", i ? "; " : "", t->rows[i].pc);
		n += (size_t)cfi__say_cfa(&t->rows[i], text + n, 16);
		n += (size_t)cfi__say_others(&t->rows[i], text + n, 32);
	}
	return text;
}

#endif
