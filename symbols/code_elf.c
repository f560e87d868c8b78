// SPDX-License-Identifier: GPL-2.0-only
/* Reads the functions of ELF files. */
#include <elfutils/libdwelf.h>
#include <gelf.h>
#include <stdio.h>
#include <unistd.h>

#include "base/arena.h"
#include "symbols/code.h"
#include "symbols/debugfile.h"
#include "symbols/elf.h"

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

static u64 last_exec_end(const struct code *c)
{
	u64 end = 0;

	for (u32 i = 0; i < c->nsegs; i++)
		if (c->segs[i].exec)
			end = MAX(end, c->segs[i].vaddr + c->segs[i].memsz);
	return end;
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

u32 code__add_names(struct code *c, const struct debugfile *program, const struct code_origin *o,
		    struct debugfile *debug, struct symtab_builder *b)
{
	u32 n = add_symtab(c, program, o, debug, b);

	n += go__add(program->elf, c, b, !n);
	c->has_symtab = n > 0;
	if (!n && (n = minidebug__add(program->elf, c, b)))
		snprintf(c->source, sizeof(c->source), "debugdata");
	if (elf__add_symbols(program->elf, SHT_DYNSYM, NAME_DYN, 0, c, b) && !n)
		snprintf(c->source, sizeof(c->source), "dynsym");
	note_strings(c, program->elf, SHT_DYNSYM, NAME_DYN);
	return b->n;
}

/* The best table there is, the exports, and what can be said without names. */
static void load_functions(struct code *c, const struct debugfile *program,
			   const struct code_origin *o)
{
	struct debugfile debug = DEBUGFILE_NONE;
	struct symtab_builder b;
	Elf *elf = program->elf;

	symtab_builder__init(&b);
	b.budget = elf__budget();
	code__add_names(c, program, o, &debug, &b);
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
