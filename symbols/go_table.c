// SPDX-License-Identifier: GPL-2.0-only
/*
 * Numbers that change along a function's code (its line, its file, what is inlined) are pairs of
 * differences: of the number, and of the address up to which it holds. What is inlined is a number of
 * an entry in a tree, which lies elsewhere, where only the runtime's description of the program
 * (moduledata) says: that is found by its first word, which is where the table is.
 */
#include "symbols/go_table.h"

#include <gelf.h>

#include "base/arena.h"
#include "base/bisect.h"
#include "symbols/bytes.h"
#include "symbols/elf.h"
#include "symbols/symtab.h"

/* How a version lays things out. */
struct layout {
	u32 magic;
	u16 func_bytes, func_ndata; /* of a function: its size, and where the number of its data is */
	u16 inlined_bytes, inlined_name, inlined_place;
	bool has_parents;  /* of what is inlined; else the place of the call tells */
	u16 module_inlined; /* in the module's description, in words */
};

/* clang-format off */
static const struct layout layouts[] = {
	{.magic = 0xfffffff0, .func_bytes = 40, .func_ndata = 39, /* 1.18 */
	 .inlined_bytes = 20, .inlined_name = 12, .inlined_place = 16, .has_parents = true, .module_inlined = 38},
	{.magic = 0xfffffff1, .func_bytes = 44, .func_ndata = 43, /* 1.20 */
	 .inlined_bytes = 16, .inlined_name = 4, .inlined_place = 8, .module_inlined = 40},
};
/* clang-format on */

/* In the header, which ends with where its parts begin. */
#define HEADER_FUNCTIONS 8
#define HEADER_TEXT	 24
#define HEADER_PARTS	 32
#define HEADER_BYTES	 72

/* Of a function. */
enum { FUNC_NAME = 4, FUNC_DEPTH = 16, FUNC_FILE = 20, FUNC_LINE = 24, FUNC_NPLACES = 28, FUNC_UNIT = 32 };
#define FUNC_FLAGS     -2 /* from the number of its data on */
#define IS_OUTERMOST   1
#define PLACES_INLINED 2 /* which of its numbers by place, and of its data, are what is inlined */
#define DATA_INLINED   3
#define DATA_NONE      UINT32_MAX
#define FILE_NONE      UINT32_MAX

#define MODULE_TEXT 22 /* where the functions begin, in words */
#define TEXT_MAX    8192
#define LOOKED_AT   64 /* entries that have to be sound before the tree is believed */

struct part {
	u64 address, offset; /* where it is mapped, and where it is in the file */
	const u8 *p;
	size_t n;
};

struct go_table {
	const struct layout *layout;
	struct part all;
	struct part names, units, files, places, functions;
	struct part inlined; /* n is 0: there is none */
	u64 text;
	u32 nfunctions, quantum;
};

static bool take_u32(const struct part *p, u64 at, u32 *value)
{
	if (at > p->n || p->n - at < sizeof(*value))
		return false;
	memcpy(value, p->p + at, sizeof(*value));
	return true;
}

static bool take_u64(const struct part *p, u64 at, u64 *value)
{
	if (at > p->n || p->n - at < sizeof(*value))
		return false;
	memcpy(value, p->p + at, sizeof(*value));
	return true;
}

/* NULL: it has no end, or is empty. */
static const char *take_text(const struct part *p, u64 at)
{
	if (at >= p->n || !p->p[at] || !memchr(p->p + at, '\0', MIN(p->n - at, (size_t)TEXT_MAX)))
		return NULL;
	return (const char *)p->p + at;
}

static bool part_from(const struct part *p, u64 at, struct part *out)
{
	if (at > p->n)
		return false;
	*out = (struct part){p->address + at, p->offset + at, p->p + at, p->n - at};
	return true;
}

/* --- functions --- */

struct function {
	u64 start, end;
	struct part at; /* what is known of it */
};

/* The i-th; false: it is not there. */
static bool function_at(const struct go_table *t, u32 i, struct function *f)
{
	u32 start, at, end;

	if (!take_u32(&t->functions, 8ull * i, &start) ||
	    !take_u32(&t->functions, 8ull * i + 4, &at) ||
	    !take_u32(&t->functions, 8ull * i + 8, &end) || end < start ||
	    !part_from(&t->functions, at, &f->at) || f->at.n < t->layout->func_bytes)
		return false;
	f->start = t->text + start;
	f->end = t->text + end;
	return true;
}

static u32 start_of(const struct go_table *t, u32 i)
{
	u32 start = UINT32_MAX;

	take_u32(&t->functions, 8ull * i, &start);
	return start;
}

static bool find_function(const struct go_table *t, u64 vaddr, struct function *f)
{
	u32 n;

	BISECT(n, 0, t->nfunctions, i, start_of(t, i) <= vaddr - t->text);
	return n && vaddr >= t->text && function_at(t, n - 1, f) && vaddr < f->end;
}

void go_table__each(const struct go_table *t, void (*fn)(void *ctx, u64 start, u64 size, u32 name),
		    void *ctx)
{
	struct function f;
	u32 name;

	for (u32 i = 0; i < t->nfunctions; i++)
		if (function_at(t, i, &f) && take_u32(&f.at, FUNC_NAME, &name) &&
		    take_text(&t->names, name))
			fn(ctx, f.start, f.end - f.start, name);
}

void go_table__range(const struct go_table *t, u64 *start, u64 *end)
{
	struct function f;

	*start = *end = 0;
	if (!t->nfunctions || !function_at(t, t->nfunctions - 1, &f))
		return;
	*start = t->text + start_of(t, 0);
	*end = f.end;
}

void go_table__names(const struct go_table *t, u64 *offset, u64 *size, const char **names)
{
	*offset = t->names.offset;
	*size = t->names.n;
	*names = (const char *)t->names.p;
}

/* --- numbers by place --- */

static s32 difference(u64 packed)
{
	u32 n = (u32)packed;

	return (s32)(n >> 1 ^ -(n & 1));
}

/* Where one holds; begins before the first one. */
struct numbers {
	struct bytes rest;
	u64 from, to;
	s32 number;
	bool begun;
};

static struct numbers numbers__of(const struct go_table *t, const struct function *f, u32 at)
{
	struct numbers n = {.rest = {t->places.p, t->places.n}, .to = f->start, .number = -1};

	if (!at || !bytes__skip(&n.rest, at))
		n.rest.n = 0;
	return n;
}

/* False: there are no more. */
static bool numbers__next(struct numbers *n, u32 quantum)
{
	u64 change, length;

	if (!bytes__uleb(&n->rest, &change) || (!change && n->begun) ||
	    !bytes__uleb(&n->rest, &length) || !(u32)length)
		return false;
	n->begun = true;
	n->number = (s32)((u32)n->number + (u32)difference(change));
	n->from = n->to;
	n->to += (u64)(u32)length * quantum;
	return true;
}

/* False: there is none. */
static bool number_at(const struct go_table *t, const struct function *f, u32 at, u64 vaddr, s32 *number)
{
	struct numbers n = numbers__of(t, f, at);

	while (numbers__next(&n, t->quantum)) {
		if (vaddr >= n.to)
			continue;
		*number = n.number;
		return *number >= 0;
	}
	return false;
}

/* Up to where the numbers are: what comes before the next function is padding. */
static u64 end_of(const struct go_table *t, const struct function *f, u32 at)
{
	struct numbers n = numbers__of(t, f, at);

	while (numbers__next(&n, t->quantum) && n.to < f->end)
		;
	return MIN(n.to, f->end);
}

void go_table__depths(const struct go_table *t, const struct go_depths *to, void *ctx)
{
	struct function f;
	const char *name;
	struct numbers n;
	u32 at, of;

	for (u32 i = 0; i < t->nfunctions; i++) {
		if (!function_at(t, i, &f) || !take_u32(&f.at, FUNC_DEPTH, &at) || !at ||
		    !take_u32(&f.at, FUNC_NAME, &of))
			continue;
		name = take_text(&t->names, of);
		to->function(ctx, f.start, end_of(t, &f, at) - f.start, name ? name : "",
			     f.at.p[t->layout->func_ndata + FUNC_FLAGS] & IS_OUTERMOST);
		n = numbers__of(t, &f, at);
		while (numbers__next(&n, t->quantum) && n.from < f.end)
			to->depth(ctx, n.from, n.number);
	}
}

static const char *find_file(const struct go_table *t, const struct function *f, u32 number)
{
	u32 unit, at;

	if (!take_u32(&f->at, FUNC_UNIT, &unit) ||
	    !take_u32(&t->units, 4 * ((u64)unit + number), &at) || at == FILE_NONE)
		return NULL;
	return take_text(&t->files, at);
}

bool go_table__line(const struct go_table *t, u64 vaddr, const char **file, u32 *line)
{
	u32 files, lines;
	struct function f;
	s32 number;

	if (!find_function(t, vaddr, &f) || !take_u32(&f.at, FUNC_FILE, &files) ||
	    !take_u32(&f.at, FUNC_LINE, &lines) || !number_at(t, &f, files, vaddr, &number))
		return false;
	*file = find_file(t, &f, (u32)number);
	if (!*file || !number_at(t, &f, lines, vaddr, &number) || !number)
		return false;
	*line = (u32)number;
	return true;
}

/* --- what is inlined --- */

/* Its tree, and the numbers that lead into it; false: it has none. */
static bool find_tree(const struct go_table *t, const struct function *f, struct part *tree, u32 *places)
{
	u32 nplaces, at;

	if (!take_u32(&f->at, FUNC_NPLACES, &nplaces) || nplaces <= PLACES_INLINED ||
	    f->at.p[t->layout->func_ndata] <= DATA_INLINED ||
	    !take_u32(&f->at, t->layout->func_bytes + 4 * PLACES_INLINED, places) ||
	    !take_u32(&f->at, t->layout->func_bytes + 4 * ((u64)nplaces + DATA_INLINED), &at))
		return false;
	return at != DATA_NONE && part_from(&t->inlined, at, tree);
}

struct inlined {
	const char *name;
	u32 place; /* of the call, from the function's start on */
	s32 parent;
};

static bool inlined_at(const struct go_table *t, const struct part *tree, u32 i, struct inlined *out)
{
	const struct layout *l = t->layout;
	struct part entry;
	u32 name, first;

	if (!part_from(tree, (u64)i * l->inlined_bytes, &entry) || !take_u32(&entry, 0, &first) ||
	    !take_u32(&entry, l->inlined_name, &name) ||
	    !take_u32(&entry, l->inlined_place, &out->place))
		return false;
	out->name = take_text(&t->names, name);
	out->parent = (int16_t)first;
	return out->name && name && !out->name[-1];
}

/* The number of the entry that it is in; below 0: none. */
static s32 next_inlined(const struct go_table *t, const struct function *f, u32 places,
			const struct inlined *in)
{
	s32 number;

	if (t->layout->has_parents)
		return in->parent;
	return number_at(t, f, places, f->start + in->place, &number) ? number : -1;
}

int go_table__inlined(const struct go_table *t, u64 vaddr, const char **names, int max)
{
	struct inlined in;
	struct function f;
	struct part tree;
	u32 places;
	s32 number;
	int n = 0;

	if (!find_function(t, vaddr, &f) || !find_tree(t, &f, &tree, &places) ||
	    !number_at(t, &f, places, vaddr, &number))
		return 0;
	for (; n < max && number >= 0; number = next_inlined(t, &f, places, &in)) {
		if (!inlined_at(t, &tree, (u32)number, &in))
			return 0;
		names[n++] = in.name;
	}
	return n;
}

/* Whether trees are where they are said to be: the first ones that there are have names, and places
 * within their functions. */
static bool trees_are_sound(const struct go_table *t)
{
	struct function f;
	struct inlined in;
	struct part tree;
	u32 n = 0, places;

	for (u32 i = 0; i < t->nfunctions && n < LOOKED_AT; i++) {
		if (!function_at(t, i, &f) || !find_tree(t, &f, &tree, &places))
			continue;
		if (!inlined_at(t, &tree, 0, &in) || in.place > f.end - f.start)
			return false;
		n++;
	}
	return n;
}

/* --- the module's description --- */

static bool read_section(const struct elf_section *s, struct byte_budget *budget, struct part *out)
{
	Elf_Data *d = s->shdr.sh_type == SHT_NOBITS ? NULL : elf__bytes(s->scn, budget);

	if (d)
		*out = (struct part){s->shdr.sh_addr, s->shdr.sh_offset, d->d_buf, d->d_size};
	return d;
}

/* The section that has an address. */
static bool section_at(Elf *elf, struct byte_budget *budget, u64 address, struct part *out)
{
	struct elf_section s = {0};

	while (elf_section__next(elf, &s))
		if (s.shdr.sh_flags & SHF_ALLOC && address - s.shdr.sh_addr < s.shdr.sh_size)
			return read_section(&s, budget, out);
	return false;
}

/* Words that depend on where the program is loaded are in its relocations: in that of the first one
 * (at is 0), or in the one of a place. */
static bool in_relocations(const struct part *p, u64 at, u64 *value, u64 *place)
{
	Elf64_Rela r;

	for (u64 i = 0; p->n - i >= sizeof(r); i += sizeof(r)) {
		memcpy(&r, p->p + i, sizeof(r));
		if (at ? r.r_offset == at : (u64)r.r_addend == *value) {
			*value = (u64)r.r_addend;
			*place = r.r_offset;
			return true;
		}
	}
	return false;
}

static bool search_relocations(Elf *elf, struct byte_budget *budget, u64 at, u64 *value, u64 *place)
{
	struct elf_section s = {0};
	struct part p;

	while (elf_section__next(elf, &s))
		if (s.shdr.sh_type == SHT_RELA && s.shdr.sh_flags & SHF_ALLOC &&
		    read_section(&s, budget, &p) && in_relocations(&p, at, value, place))
			return true;
	return false;
}

static bool search_words(Elf *elf, struct byte_budget *budget, u64 value, u64 *place)
{
	struct elf_section s = {0};
	struct part p;
	u64 word;

	while (elf_section__next(elf, &s)) {
		if (!(s.shdr.sh_flags & SHF_ALLOC) || !(s.shdr.sh_flags & SHF_WRITE) ||
		    !read_section(&s, budget, &p))
			continue;
		for (u64 at = 0; take_u64(&p, at, &word); at += sizeof(word)) {
			if (word != value)
				continue;
			*place = p.address + at;
			return true;
		}
	}
	return false;
}

/* A word of it. */
static bool module_word(Elf *elf, struct byte_budget *budget, u64 module, u32 word, u64 *value)
{
	u64 at = module + 8ull * word, place;
	struct part p;

	if (!section_at(elf, budget, at, &p) || !take_u64(&p, at - p.address, value))
		return false;
	return *value || search_relocations(elf, budget, at, value, &place);
}

static void find_trees(struct go_table *t, Elf *elf, struct byte_budget *budget, u64 module)
{
	struct part section;
	u64 trees;

	if (module_word(elf, budget, module, t->layout->module_inlined, &trees) &&
	    section_at(elf, budget, trees, &section) &&
	    part_from(&section, trees - section.address, &t->inlined) && !trees_are_sound(t))
		t->inlined.n = 0;
}

/* Where the code begins: position-independent programs have it there alone. False: not known. */
static bool find_module(struct go_table *t, Elf *elf, struct byte_budget *budget, bool inlined)
{
	u64 table = t->all.address, module, text;

	if (t->text && !inlined)
		return true;
	if ((!search_words(elf, budget, table, &module) &&
	     !search_relocations(elf, budget, 0, &table, &module)) ||
	    !module_word(elf, budget, module, MODULE_TEXT, &text))
		return t->text;
	if (!t->text)
		t->text = text;
	if (text == t->text)
		find_trees(t, elf, budget, module);
	return t->text;
}

/* --- opening --- */

static const struct layout *find_layout(const struct part *all)
{
	u32 magic, sizes;

	/* Behind it are two zeros, the unit of code and the size of a pointer. */
	if (!take_u32(all, 0, &magic) || !take_u32(all, 4, &sizes) || (sizes & 0xffff) || sizes >> 24 != 8)
		return NULL;
	for (u32 i = 0; i < ARRAY_SIZE(layouts); i++)
		if (layouts[i].magic == magic)
			return &layouts[i];
	return NULL;
}

static bool read_header(struct go_table *t)
{
	struct part *const parts[] = {&t->names, &t->units, &t->files, &t->places, &t->functions};
	u64 n, at;

	t->layout = find_layout(&t->all);
	if (!t->layout || t->all.n < HEADER_BYTES || !take_u64(&t->all, HEADER_FUNCTIONS, &n) ||
	    n > SYMTAB_MAX || !take_u64(&t->all, HEADER_TEXT, &t->text))
		return false;
	for (u32 i = 0; i < ARRAY_SIZE(parts); i++)
		if (!take_u64(&t->all, HEADER_PARTS + 8 * i, &at) || !part_from(&t->all, at, parts[i]))
			return false;
	t->names.n = MIN(t->names.n, t->units.offset - t->names.offset);
	t->quantum = t->all.p[6];
	t->nfunctions = (u32)n;
	return true;
}

static bool find_section(struct go_table *t, Elf *elf, struct byte_budget *budget)
{
	struct elf_section s = {0};

	while (elf_section__next(elf, &s))
		if (s.name && (!strcmp(s.name, ".gopclntab") || !strcmp(s.name, ".data.rel.ro.gopclntab")))
			return read_section(&s, budget, &t->all) && read_header(t);
	return false;
}

#define TABLE_ALIGN 32

/* Linkers of C, by which position-independent programs with C in them are linked, put it among other data. */
static bool search_section(struct go_table *t, Elf *elf, struct byte_budget *budget)
{
	struct elf_section s = {0};
	struct part all;

	if (!elf__section(elf, ".go.buildinfo", 0))
		return false;
	while (elf_section__next(elf, &s)) {
		if (!s.name || strcmp(s.name, ".data.rel.ro") || !read_section(&s, budget, &all))
			continue;
		for (u64 at = -all.address % TABLE_ALIGN; part_from(&all, at, &t->all); at += TABLE_ALIGN)
			if (find_layout(&t->all) && read_header(t))
				return true;
	}
	return false;
}

struct go_table *go_table__open(Elf *elf, struct byte_budget *budget, bool inlined)
{
	struct go_table *t = xcalloc(1, sizeof(*t));

	if ((find_section(t, elf, budget) || search_section(t, elf, budget)) &&
	    find_module(t, elf, budget, inlined))
		return t;
	free(t);
	return NULL;
}

void go_table__close(struct go_table *t)
{
	free(t);
}
