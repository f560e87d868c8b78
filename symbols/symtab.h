/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A compact table of functions by address: 4 to 7 bytes a symbol, names where they lie (a string
 * table within a file, read when a function is first shown) or in a small pool of its own.
 * One thread at a time; const once finished.
 */
#ifndef SYMBOLS_SYMTAB_H
#define SYMBOLS_SYMTAB_H

#include "base/base.h"
#include "symbols/section.h"

/* Where a symbol's name is. The string tables of files are at struct code's places. */
enum name_source {
	NAME_NONE,  /* a function without a name: known from .eh_frame only */
	NAME_MAIN,  /* .strtab of the object's own file */
	NAME_DYN,   /* .dynstr of the object's own file */
	NAME_DEBUG, /* .strtab of its separate debug file */
	NAME_PLT,   /* as NAME_DYN, of a PLT entry */
	NAME_GO,    /* .gopclntab of the object's own file */
	NAME_POOL,  /* symtab.pool */
	NAME_SOURCES
};

#define NAME_SHIFT  29
#define NAME_OFFSET ((1u << NAME_SHIFT) - 1)

struct symbol {
	u32 start, size; /* start counts from symtab.base */
	u32 name;	 /* enum name_source << NAME_SHIFT | offset */
};

/* Some symbols that follow each other, packed. */
struct symtab_block {
	u32 start; /* of the first */
	u32 at;	   /* in symtab.packed */
};

struct symtab {
	u64 base;
	u32 n;
	struct symtab_block *blocks; /* by start; each start once */
	u8 *packed;
	size_t packed_size;
	char *pool;
	size_t pool_size;
};

/* How much a symbol is to be trusted with its address; higher wins. */
enum symbol_rank { RANK_FRAME, RANK_LABEL, RANK_LOCAL, RANK_WEAK, RANK_GLOBAL };

struct raw_symbol {
	u64 start, size; /* size 0: up to the next one */
	u32 name;
	enum symbol_rank rank;
};

#define SYMTAB_MAX (4u << 20) /* symbols of one object; the rest are left out */

struct symtab_builder {
	struct raw_symbol *raw;
	u32 n, cap;
	/* The string tables while symbols are added: aliases are chosen by name too. */
	struct {
		const char *data;
		size_t size;
	} names[NAME_SOURCES];
	char *pool;
	size_t pool_used, pool_cap;
	struct byte_budget budget; /* of who adds from ELF files; none to begin with */
};

void symtab_builder__init(struct symtab_builder *b);
void symtab_builder__fini(struct symtab_builder *b);
/* The offset of a string added to the pool, or 0 when the pool is full (offset 0 is ""). */
u32 symtab_builder__pool(struct symtab_builder *b, const char *s, size_t len);
void symtab_builder__add(struct symtab_builder *b, u64 start, u64 size, enum name_source source,
			 u64 name_offset, enum symbol_rank rank);
/* The name of one of raw, as long as its string table is there. */
const char *symtab_builder__name(const struct symtab_builder *b, const struct raw_symbol *s);
/* Sorts, chooses among aliases, drops labels within functions, gives symbols without a size
 * theirs (at most up to `end`). The builder is left empty but for names[]. */
void symtab_builder__finish(struct symtab_builder *b, u64 end, struct symtab *out);

void symtab__fini(struct symtab *t);
/* The innermost function around an address; false: none. */
bool symtab__find(const struct symtab *t, u64 addr, struct symbol *out);
size_t symtab__bytes(const struct symtab *t);

static inline enum name_source symbol__source(const struct symbol *s)
{
	return (enum name_source)(s->name >> NAME_SHIFT);
}

/* Is name a better than b for one address? Fewer leading underscores, then what is
 * better known (free, not cfree; open, not open64), then the longer, then by bytes: deterministic.
 * <0 a, >0 b. */
int symbol_name__prefer(const char *a, const char *b);

#endif
