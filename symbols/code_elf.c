// SPDX-License-Identifier: GPL-2.0-only
#include <elfutils/libdwelf.h>
#include <gelf.h>
#include <stdio.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/memory.h"
#include "symbols/code.h"
#include "symbols/debugfile.h"

#define BYTES_MAX (512u << 20)
#define NOTES_MAX (16u << 20)
#define PAGE_MASK 4095ull

bool elf__sane(int fd, off_t size)
{
	union {
		unsigned char ident[EI_NIDENT];
		Elf64_Ehdr e64;
		Elf32_Ehdr e32;
	} h;
	u64 shoff;
	u32 shnum, phnum;

	if (size < (off_t)sizeof(h) || pread(fd, &h, sizeof(h), 0) != sizeof(h) ||
	    memcmp(h.ident, ELFMAG, SELFMAG))
		return false;
	if (h.ident[EI_CLASS] == ELFCLASS64) {
		shoff = h.e64.e_shoff;
		shnum = h.e64.e_shnum;
		phnum = h.e64.e_phnum;
	} else {
		shoff = h.e32.e_shoff;
		shnum = h.e32.e_shnum;
		phnum = h.e32.e_phnum;
	}
	/* No section count beside a table means: look in section 0, up to 2^32 of them. No
	 * linked program has as many; libelf would allocate for all. */
	return phnum != PN_XNUM && (shnum || !shoff);
}

/* Notes one after the other until one is a build-id; links by any of the names that libdw knows. */
static bool is_read_unasked(const struct elf_section *s)
{
	return s->shdr.sh_type == SHT_NOTE ||
	       (s->name && strstr(s->name, "gnu_debug") && strcmp(s->name, ".gnu_debugdata"));
}

/* They are looked at where there are no sections. */
static bool note_segments_bounded(Elf *elf)
{
	struct byte_budget budget = {.left = NOTES_MAX};
	GElf_Phdr ph;
	size_t n;

	if (elf_getphdrnum(elf, &n))
		n = 0;
	for (size_t i = 0; i < n; i++)
		if (gelf_getphdr(elf, (int)i, &ph) && ph.p_type == PT_NOTE &&
		    !byte_budget__take(&budget, ph.p_filesz))
			return false;
	return true;
}

/* libelf unpacks packed names too, a thousand times what they are; nobody writes such. */
static bool names_bounded(Elf *elf)
{
	Elf_Scn *scn;
	size_t names;
	GElf_Shdr sh;

	if (elf_getshdrstrndx(elf, &names))
		names = 0;
	scn = elf_getscn(elf, names);
	return !scn || !gelf_getshdr(scn, &sh) ||
	       (sh.sh_size <= NOTES_MAX && !(sh.sh_flags & SHF_COMPRESSED));
}

bool elf__bounded(Elf *elf)
{
	struct byte_budget budget = {.left = NOTES_MAX};
	struct elf_section s = {0};

	if (!names_bounded(elf))
		return false;
	while (elf_section__next(elf, &s))
		if (s.broken ||
		    (is_read_unasked(&s) && !byte_budget__take(&budget, s.shdr.sh_size)))
			return false;
	return note_segments_bounded(elf);
}

struct byte_budget elf__budget(void)
{
	return (struct byte_budget){.left = memory__share(BYTES_MAX)};
}

Elf_Data *elf__bytes(Elf_Scn *scn, struct byte_budget *budget)
{
	GElf_Shdr sh;
	Elf_Data *d;

	if (!scn || !gelf_getshdr(scn, &sh) || sh.sh_type == SHT_NOBITS || !sh.sh_size ||
	    (sh.sh_flags & SHF_COMPRESSED) || !byte_budget__take(budget, sh.sh_size))
		return NULL;
	d = elf_getdata(scn, NULL);
	return d && d->d_buf && d->d_size ? d : NULL;
}

static void elf__build_id(Elf *elf, char hex[41])
{
	const void *bytes;
	ssize_t n = dwelf_elf_gnu_build_id(elf, &bytes);

	hex[0] = '\0';
	for (ssize_t i = 0; i < MIN(n, 20); i++)
		snprintf(hex + i * 2, 3, "%02x", ((const u8 *)bytes)[i]);
}

static void load_segments(struct code *c, Elf *elf)
{
	size_t n;

	if (elf_getphdrnum(elf, &n))
		return;
	for (size_t i = 0; i < n && c->nsegs < CODE_SEGMENTS; i++) {
		GElf_Phdr ph;

		if (!gelf_getphdr(elf, (int)i, &ph) || ph.p_type != PT_LOAD)
			continue;
		if (ph.p_vaddr + ph.p_memsz < ph.p_vaddr || ph.p_offset + ph.p_filesz < ph.p_offset)
			continue;
		c->segs[c->nsegs++] = (struct segment){.offset = ph.p_offset,
						       .filesz = ph.p_filesz,
						       .vaddr = ph.p_vaddr,
						       .memsz = ph.p_memsz,
						       .exec = ph.p_flags & PF_X};
	}
}

/* 0: exactly within; 1: within its pages; nothing: not there. */
static bool covers(u64 start, u64 size, u64 at, bool pages)
{
	u64 end = start + size;

	if (pages) {
		start &= ~PAGE_MASK;
		end = (end + PAGE_MASK) & ~PAGE_MASK;
	}
	return at >= start && at < end;
}

bool code__vaddr(const struct code *c, u64 offset, u64 *vaddr)
{
	for (int pass = 0; pass < 4; pass++) {
		for (u32 i = 0; i < c->nsegs; i++) {
			const struct segment *s = &c->segs[i];

			if (s->exec != (pass < 2) ||
			    !covers(s->offset, s->filesz, offset, pass & 1))
				continue;
			*vaddr = s->vaddr + (offset - s->offset);
			return true;
		}
	}
	return false;
}

bool code__offset(const struct code *c, u64 vaddr, u64 *offset)
{
	for (int pass = 0; pass < 4; pass++) {
		for (u32 i = 0; i < c->nsegs; i++) {
			const struct segment *s = &c->segs[i];

			if (s->exec != (pass < 2) || !covers(s->vaddr, s->filesz, vaddr, pass & 1))
				continue;
			*offset = s->offset + (vaddr - s->vaddr);
			return true;
		}
	}
	return false;
}

bool code__same_segments(const struct code *a, const struct code *b)
{
	if (a->nsegs != b->nsegs || a->machine != b->machine)
		return false;
	for (u32 i = 0; i < a->nsegs; i++) {
		const struct segment *x = &a->segs[i], *y = &b->segs[i];

		if (x->exec != y->exec || x->vaddr != y->vaddr ||
		    (x->exec && (x->offset != y->offset || x->filesz != y->filesz)))
			return false;
	}
	return true;
}

u64 code__exec_end(const struct code *c, u64 vaddr)
{
	for (u32 i = 0; i < c->nsegs; i++)
		if (c->segs[i].exec && covers(c->segs[i].vaddr, c->segs[i].memsz, vaddr, false))
			return c->segs[i].vaddr + c->segs[i].memsz;
	return vaddr;
}

bool elf__text_addr(Elf *elf, u64 *addr)
{
	struct elf_section s = {0};

	while (elf_section__next(elf, &s)) {
		if (!(s.shdr.sh_flags & SHF_EXECINSTR) || !(s.shdr.sh_flags & SHF_ALLOC))
			continue;
		*addr = s.shdr.sh_addr;
		return true;
	}
	return false;
}

static u64 last_exec_end(const struct code *c)
{
	u64 end = 0;

	for (u32 i = 0; i < c->nsegs; i++)
		if (c->segs[i].exec)
			end = MAX(end, c->segs[i].vaddr + c->segs[i].memsz);
	return end;
}

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

static void note_strings(struct code *c, Elf *elf, u32 section_type, enum name_source source)
{
	Elf_Scn *scn = elf__section(elf, NULL, section_type);
	GElf_Shdr sh;

	if (!scn || !gelf_getshdr(scn, &sh) || !(scn = elf_getscn(elf, sh.sh_link)) ||
	    !gelf_getshdr(scn, &sh))
		return;
	c->strings[source].offset = sh.sh_offset;
	c->strings[source].size = sh.sh_size;
}

static bool has_dwarf(Elf *elf)
{
	Elf_Scn *scn = elf__section(elf, ".debug_info", 0);
	GElf_Shdr sh;

	return scn && gelf_getshdr(scn, &sh) && sh.sh_type != SHT_NOBITS;
}

/* Symbols of the separate debug file, which stays open: b points into it. */
static u32 add_debug_file(struct code *c, Elf *elf, const struct debugfile *debug,
			  struct symtab_builder *b)
{
	bool by_id = strstr(debug->path, "/.build-id/");
	u64 here, there;
	s64 bias = 0;
	u32 n;

	if (elf__text_addr(elf, &here) && elf__text_addr(debug->elf, &there))
		bias = (s64)(here - there);
	n = elf__add_symbols(debug->elf, SHT_SYMTAB, NAME_DEBUG, bias, c, b);
	note_strings(c, debug->elf, SHT_SYMTAB, NAME_DEBUG);
	if (n)
		snprintf(c->source, sizeof(c->source), by_id ? "build-id" : "debuglink");
	return n;
}

/* Finds the separate debug file; false when there is none. */
static bool open_debug(struct code *c, const struct debugfile *program, const struct code_origin *o,
		       struct debugfile *debug)
{
	struct stat st;

	*debug = DEBUGFILE_NONE;
	if (!o || debugfile__find_separate(program, o->root, o->path, debug))
		return false;
	if (fstat(debug->fd, &st)) {
		debugfile__close(debug);
		return false;
	}
	c->debug = (struct code_file){.dev = st.st_dev,
				      .ino = st.st_ino,
				      .size = st.st_size,
				      .path = xstrdup(debug->path),
				      .root = xstrdup(o->root)};
	return true;
}

static void say_what_is_missing(struct code *c, const struct byte_budget *budget)
{
	const char *found = c->source[0] ? c->source : "nothing";

	if (budget->over) {
		snprintf(c->note, sizeof(c->note),
			 "names from %s only: its tables of symbols take more memory than they may",
			 found);
		return;
	}
	if (c->has_symtab || !strcmp(c->source, "debugdata"))
		return;
	snprintf(c->note, sizeof(c->note),
		 "stripped, names from %s only: install its -dbgsym package (build-id %.12s)",
		 found, c->build_id[0] ? c->build_id : "none");
}

/* Own symbols, else those of the debug file. */
static u32 add_symtab(struct code *c, const struct debugfile *program, const struct code_origin *o,
		      struct debugfile *debug, struct symtab_builder *b)
{
	u32 n = elf__add_symbols(program->elf, SHT_SYMTAB, NAME_MAIN, 0, c, b);

	note_strings(c, program->elf, SHT_SYMTAB, NAME_MAIN);
	if (n)
		snprintf(c->source, sizeof(c->source), "symtab");
	c->has_dwarf = has_dwarf(program->elf);
	if ((!n || !c->has_dwarf) && open_debug(c, program, o, debug)) {
		c->has_dwarf |= has_dwarf(debug->elf);
		if (!n)
			n = add_debug_file(c, program->elf, debug, b);
	}
	return n;
}

/* The best table there is, the exports, and what can be said without names. */
static void load_functions(struct code *c, const struct debugfile *program,
			   const struct code_origin *o)
{
	struct debugfile debug = DEBUGFILE_NONE;
	struct symtab_builder b;
	Elf *elf = program->elf;
	u32 n;

	symtab_builder__init(&b);
	b.budget = elf__budget();
	n = add_symtab(c, program, o, &debug, &b);
	c->has_symtab = n > 0;
	if (!n && (n = minidebug__add(elf, c, &b)))
		snprintf(c->source, sizeof(c->source), "debugdata");
	if (elf__add_symbols(elf, SHT_DYNSYM, NAME_DYN, 0, c, &b) && !n)
		snprintf(c->source, sizeof(c->source), "dynsym");
	note_strings(c, elf, SHT_DYNSYM, NAME_DYN);
	plt__add(elf, c, &b);
	frames__add(elf, c, &b);
	symtab_builder__finish(&b, last_exec_end(c), &c->tab);
	symtab_builder__fini(&b);
	debugfile__close(&debug);
	say_what_is_missing(c, &b.budget);
}

static void load(struct code *c, int fd, Elf *elf, const struct code_origin *o,
		 u32 (*same)(void *ctx, const struct code *c), void *ctx)
{
	struct debugfile program = {.fd = fd, .elf = elf, .path = o ? (char *)o->path : ""};
	GElf_Ehdr eh;
	u32 twin;

	if (!elf || elf_kind(elf) != ELF_K_ELF || !gelf_getehdr(elf, &eh) || !elf__bounded(elf)) {
		snprintf(c->note, sizeof(c->note), "not a readable ELF file");
		return;
	}
	c->is_elf = true;
	c->machine = eh.e_machine;
	load_segments(c, elf);
	elf__build_id(elf, c->build_id);
	c->has_symtab = elf__section(elf, NULL, SHT_SYMTAB);
	twin = same ? same(ctx, c) : 0;
	if (twin)
		c->canonical = twin;
	else
		load_functions(c, &program, o);
}

void code__load_elf(struct code *c, int fd, const struct code_origin *o,
		    u32 (*same)(void *ctx, const struct code *c), void *ctx)
{
	struct stat st;
	Elf *elf;

	elf_version(EV_CURRENT);
	if (fstat(fd, &st) || !elf__sane(fd, st.st_size)) {
		snprintf(c->note, sizeof(c->note), "not an ELF file, or a broken one");
		return;
	}
	c->main.dev = st.st_dev;
	c->main.ino = st.st_ino;
	c->main.size = st.st_size;
	/* Read, not mapped: a file cut short while it is read must not raise SIGBUS. */
	elf = elf_begin(fd, ELF_C_READ, NULL);
	load(c, fd, elf, o, same, ctx);
	if (elf)
		elf_end(elf);
}

void code__load_image(struct code *c, const void *image, size_t size)
{
	Elf *elf;

	elf_version(EV_CURRENT);
	elf = elf_memory((char *)image, size);
	load(c, -1, elf, NULL, NULL, NULL);
	c->note[0] = '\0';
	if (elf)
		elf_end(elf);
}

void code__fini(struct code *c)
{
	symtab__fini(&c->tab);
	free(c->debug.path);
	free(c->debug.root);
}
