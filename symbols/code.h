/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A loaded object: its segments, functions and where their names are. Made and used by the
 * worker only. No ELF handle stays open: what is kept is the compact table.
 */
#ifndef SYMBOLS_CODE_H
#define SYMBOLS_CODE_H

#include <libelf.h>
#include <sys/stat.h>

#include "base/base.h"
#include "symbols/section.h"
#include "symbols/symtab.h"

struct segment {
	u64 offset, filesz, vaddr, memsz;
	bool exec;
};

#define CODE_SEGMENTS 16 /* loadable segments of a file that are looked at */

/* A file that names are read from: checked to be the same when it is opened again. */
struct code_file {
	dev_t dev;
	ino_t ino;
	off_t size;
	char *path; /* separate debug file only: where it is, below root */
	char *root;
};

struct code {
	bool is_elf;
	u16 machine;
	u32 nsegs;
	struct segment segs[CODE_SEGMENTS];
	struct symtab tab; /* by vaddr */
	char build_id[41];
	char source[24];
	char note[128];
	bool has_symtab, has_dwarf;
	u32 canonical; /* the object whose table and funcs are used; itself, or an equal one */
	struct code_file main, debug;
	/* String tables: offset and size in their file, per enum name_source. */
	struct {
		u64 offset, size;
	} strings[NAME_SOURCES];
	struct kallsyms *kallsyms; /* the kernel */
	struct perfmap *perfmap;   /* a JIT */
	u64 go_start, go_end;	   /* where Go's functions are: addresses; as far as there are any */
	u32 whole_func;		   /* what no symbol and no frame covers; 0 not made yet */
};

/* What load needs to know beside the file itself. */
struct code_origin {
	const char *path; /* as the process sees it: .gnu_debuglink neighbours */
	const char *root; /* "" or "/proc/PID/root" */
};

/*
 * Reads an ELF file: segments, build-id. Then, unless `same` says that an equal object is
 * known (returns its id, 0 none), functions from the best table there is. Never fails:
 * what is wrong ends up in note. fd stays the caller's.
 */
void code__load_elf(struct code *c, int fd, const struct code_origin *o,
		    u32 (*same)(void *ctx, const struct code *c), void *ctx);
struct debugfile;
/* Adds the functions that have names in a file, or in its debug file, which then stays open in *debug:
 * names point into both. c: as code__load_elf() leaves it. How many b has by then. */
u32 code__add_names(struct code *c, const struct debugfile *program, const struct code_origin *o,
		    struct debugfile *debug, struct symtab_builder *b);
/* The same from memory (the vdso). */
void code__load_image(struct code *c, const void *image, size_t size);
void code__fini(struct code *c);

/* Executable segments first, then any; the last page of a segment counts whole. */
bool code__vaddr(const struct code *c, u64 offset, u64 *vaddr);
bool code__offset(const struct code *c, u64 vaddr, u64 *offset);
bool code__same_segments(const struct code *a, const struct code *b);
/* The end of the executable segment around an address; the address when there is none. */
u64 code__exec_end(const struct code *c, u64 vaddr);

/* --- between the files that load --- */

/* Adds the functions of a .symtab or .dynsym to b; returns how many. Names point into the
 * string table (source), or into the pool when source is NAME_POOL. bias is added to each. */
u32 elf__add_symbols(Elf *elf, u32 section_type, enum name_source source, s64 bias,
		     const struct code *c, struct symtab_builder *b);
/* Starts of functions by .eh_frame_hdr, as RANK_FRAME. */
void frames__add(Elf *elf, const struct code *c, struct symtab_builder *b);
/* Entries of the PLT, by the import they jump to. */
void plt__add(Elf *elf, const struct code *c, struct symtab_builder *b);
/* What Go's runtime knows of its functions: where they are, and those `named` are added. Returns how
 * many that are. */
u32 go__add(Elf *elf, struct code *c, struct symtab_builder *b, bool named);
/* .gnu_debugdata: an xz-compressed ELF file with the local functions. Returns how many. */
u32 minidebug__add(Elf *elf, const struct code *c, struct symtab_builder *b);

#endif
